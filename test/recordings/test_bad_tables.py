"""CSV files that cannot be used: one line that names the file, the problem, and what to do."""

import gzip
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rosbags')

from recorded_states import (
    TOPIC,
    csv_file,
    joined,
    sine_states,
)
from refused_files import refused

from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

# Of a file that is read in several parts.
ROWS = 4096

STATES = sine_states(seconds=2.0)


# What the refusal names, beside the file.
BAD_TABLES = {
    'is empty': (b'', 'time'),
    'no time': (b'elbow_position\n1\n', 'time, t'),
    'two times': (b't,time,elbow_position\n1,2,3\n', '2'),
    'semicolons': (b't;a_position\n1;2\n', 'semicolons'),
    'tabs': (b't\ta_position\n1\t2\n', 'tabs'),
    'no header': (b'0.0,1.0\n0.1,1.0\n', 'header'),
    'no values': (b't,elbow\n1,2\n', 'JOINT_position'),
    'no positions': (b't,elbow_effort\n1,2\n', 'JOINT_position'),
    'twice': (b't,a_effort,a.effort\n1,2,3\n', 'a.effort'),
    'words': (b't,a_position\n1,2\n\n2,high\n', "line 4 .*'high'.*'a_position'"),
    'a time of day': (b't,a_position\n12:05,2\n', "line 2 .*'12:05'.*'t'"),
    'quoted words': (b't,a_position\n1,"high, low"\n', "'high, low'.*'a_position'"),
    'an underscore': (b't,a_position\n1,1_0\n', '1_0'),
    'a long word': (b't,a_position\n1,' + b'x' * 999, rf"'{'x' * 40}\.\.\.'"),
    'ragged': (b't,a_position\n1,2\n2\n', 'line 3 .*1 .*2'),
    'longer': (b't,a_position\n1,2\n2,3,4\n', 'line 3 .*3 .*2'),
    'a large cell': (b't,a_position\n1,' + b'x' * 200_000, 'line 2'),
    'a large name': (b't,' + b'x' * 200_000, 'header'),
    'too few cells': (b't,a_position\n1\n2\n', '1'),
    'no rows': (b't,a_position\n', 'row'),
    'time is text': (b't,a_position\nnan,2\n', 'time'),
    'late': (b't,a_position\n1e300,2\n', 'time'),
    'not UTF-8': (b't,a_position\n1,\xff\n', 'UTF-8'),
    'long line': (b't,a_position\n' + b'1' * (1 << 20), '1048576'),
}


@pytest.mark.parametrize('name', BAD_TABLES)
def test_bad_csv_files(tmp_path, name):
    content, match = BAD_TABLES[name]
    file = tmp_path / 'bad.csv'
    file.write_bytes(content)
    refused(match, file)


def test_a_word_in_a_later_block_is_found_in_its_line(tmp_path):
    file = tmp_path / 'bad.csv'
    rows = [f'{0.01 * number:.2f},1,' for number in range(ROWS + 100)]
    rows[ROWS + 50] = '41.46,1,ERROR'
    file.write_text('\n'.join(['t,a_position,a_effort', *rows]))
    refused(rf"line {ROWS + 52} .*'ERROR'.*'a_effort'", file)


def test_columns_that_are_not_read_may_hold_text(tmp_path):
    file = tmp_path / 'modes.csv'
    file.write_text('mode,time,a_position,note\nauto,0.0,1.0,"a, b"\n,0.1,"",x\n')
    with Recording.read([file]) as recording:
        times, positions, *_ = joined(recording)
    np.testing.assert_allclose(times, [0.0, 0.1])
    np.testing.assert_array_equal(positions, [[1.0], [np.nan]])


def test_csv_files_that_do_not_fit_each_other(tmp_path):
    one = csv_file(tmp_path / 'one.csv', STATES, fields=['position'])
    late = replace(STATES, stamps=STATES.stamps + np.arange(500) % 2)
    two = csv_file(tmp_path / 'two.csv', late, fields=['velocity'])
    refused('times', one, two)
    refused('position', one, one)
    shorter = csv_file(tmp_path / 'shorter.csv', STATES.part(slice(400)), fields=['velocity'])
    refused('times', one, shorter)


def test_compressed_csv_files_that_are_damaged(tmp_path):
    whole = gzip.compress(csv_file(tmp_path / 'states.csv', STATES).read_bytes())
    for content in (whole[:-20], whole[:50], b'hello', whole[:60] + bytes(60) + whole[120:]):
        file = tmp_path / 'bad.csv.gz'
        file.write_bytes(content)
        refused('bad.csv.gz', file)


def test_empty_cells_are_not_measured(tmp_path):
    file = tmp_path / 'holes.csv'
    file.write_text('time,a_position,a_effort,b_position\n0.0,1.0,,2.0\n0.1,,3.0,\n')
    with Recording.read([file]) as recording:
        assert recording.joints == ('a', 'b')
        _, positions, velocities, efforts = joined(recording)
    np.testing.assert_array_equal(positions, [[1.0, 2.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(efforts, [[np.nan, np.nan], [3.0, np.nan]])
    assert np.isnan(velocities).all()
    assert recording.topic == TOPIC


@pytest.mark.parametrize('longer', [0, 1])
def test_csv_files_of_which_one_ends_with_a_block(tmp_path, longer):
    """Rows are read in blocks: what follows the last common block is not lost."""
    states = sine_states(seconds=20.0)
    parts = [states.part(slice(ROWS + 100)), states.part(slice(ROWS))]
    files = [
        csv_file(tmp_path / f'{field}.csv', part, fields=[field])
        for field, part in zip(('position', 'effort'), parts[:: 1 - 2 * longer], strict=True)
    ]
    refused('rows', *files)
