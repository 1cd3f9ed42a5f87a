"""A large recording in parts, on processes and on a cluster, gives what it gives as a whole."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import three_joints

pytest.importorskip('rosbags')

from recorded_states import joined, joint_state_bag, sine_states

from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.cli.compare import compare_parts
from robot_dynamics_ros.cli.compare.compare_task import gather_evidence
from robot_dynamics_ros.cli.recording_options import RecordingOptions
from robot_dynamics_ros.comparison.evidence.evidence import (
    SAMPLES_OF_ONE,
    WINDOWS_OF_ONE,
    Evidence,
)
from robot_dynamics_ros.recordings import motions, open_recording
from robot_dynamics_ros.scheduling.plain_data import encoded

STATES = replace(sine_states(rate=500.0, seconds=90.0), names=three_joints.JOINTS)
CUTOFF = 20.0


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    return joint_state_bag(tmp_path_factory.mktemp('large') / 'bag', STATES)


@pytest.fixture(scope='module')
def options():
    return RecordingOptions(three_joints.URDF, None, {}, CUTOFF)


@pytest.mark.parametrize('count', [1, 2, 3, 7])
def test_each_state_is_in_one_part(bag, count):
    parts = []
    for number in range(count):
        with open_recording([bag], part=(number, count)) as recording:
            parts.append(joined(recording))
            assert len(parts[-1][0]) == recording.quality.samples
    for got, wanted in zip(
        zip(*parts, strict=True),
        (STATES.stamps, STATES.positions, STATES.velocities, STATES.efforts),
        strict=True,
    ):
        whole = np.concatenate(got)
        if whole.ndim == 1:
            whole, wanted = np.rint(whole * 1e9), wanted - STATES.stamps[0]
        assert np.array_equal(whole, wanted)
    sizes = [len(part[0]) for part in parts]
    assert max(sizes) < 2.5 * min(sizes)


def test_more_parts_than_blocks(tmp_path):
    bag = joint_state_bag(tmp_path / 'small', STATES.part(slice(500)))
    counts = []
    for number in range(4):
        with open_recording([bag], part=(number, 4)) as recording:
            counts.append(sum(len(motion) for motion in motions(recording, cutoff=CUTOFF)))
    assert sorted(counts)[:3] == [0, 0, 0]
    assert max(counts) > 300


def test_parts_are_the_recording_but_for_what_the_filter_loses_between_them(bag, options):
    whole = gather_evidence(options, 'bag', (bag,))
    pieces = [gather_evidence(options, 'bag', (bag,), part=(number, 3)) for number in range(3)]
    parts = Evidence.joined(pieces)
    # What the filter needs at the ends of the recording, it needs at both sides of two cuts.
    at_ends = len(STATES) - whole.count
    assert parts.count == pytest.approx(whole.count - 2 * at_ends, abs=4)
    assert parts.quality.samples == whole.quality.samples == len(STATES)
    assert parts.quality.interval == pytest.approx(whole.quality.interval, rel=1e-6)
    assert (parts.rate, parts.cutoff) == pytest.approx((whole.rate, whole.cutoff), rel=1e-6)
    assert parts.span == pytest.approx(whole.span, abs=1e-3)
    each = parts.moments.products / parts.count
    wanted = whole.moments.products / whole.count
    assert np.abs(each - wanted).max() < 0.02 * np.abs(wanted).max()
    rows, regular = parts.samples.thinned(1000)
    assert (np.diff(rows.times) > 0.0).all()
    assert regular.sum() > 100


def test_a_large_recording_is_compared_in_parts(bag, tmp_path, monkeypatch):
    """The same numbers, within what is lost at two cuts; each part is kept for a second run."""
    (tmp_path / 'arm.urdf').write_text(three_joints.URDF)
    monkeypatch.chdir(tmp_path)
    size = sum(path.stat().st_size for path in bag.iterdir())

    def compared(*more):
        arguments = [str(bag), '--urdf', 'arm.urdf', '--json', 'result.json', *more]
        with pytest.raises(SystemExit) as ended:
            main(['compare', *arguments])
        assert ended.value.code in (0, 1)
        return json.loads(Path('result.json').read_text())

    whole = compared()
    monkeypatch.setattr(compare_parts, 'LARGEST_PART', size // 3 + 1)
    parts = compared('--jobs', '2', '--resume', 'kept')
    assert len(list(Path('kept').iterdir())) == 3
    assert compared('--jobs', '2', '--resume', 'kept') == parts
    assert [one['cutoff'] for one in parts['recordings']] == [whole['recordings'][0]['cutoff']]
    for name, joint in whole['joints'].items():
        other = parts['joints'][name]
        assert other['rms_measured'] == pytest.approx(joint['rms_measured'], rel=0.02)
        assert other['rms_residual'] == pytest.approx(joint['rms_residual'], rel=0.02)
    codes = [[finding['code'] for finding in result['findings']] for result in (whole, parts)]
    assert codes[0] == codes[1]


def test_one_of_many_recordings_gives_little_and_the_same_sums(bag, options):
    whole = gather_evidence(options, 'bag', (bag,))
    little = gather_evidence(options, 'bag', (bag,), one_of_many=True)
    assert len(encoded(little)) < 400_000 < len(encoded(whole))
    assert np.array_equal(little.moments.products, whole.moments.products)
    assert (little.count, little.duration) == (whole.count, whole.duration)
    assert 1 <= len(list(little.excerpts)) <= WINDOWS_OF_ONE
    kept = sum(map(len, little.samples.pieces))
    assert SAMPLES_OF_ONE // 4 < kept <= SAMPLES_OF_ONE


def test_many_recordings_are_compared(bag, tmp_path, monkeypatch):
    (tmp_path / 'arm.urdf').write_text(three_joints.URDF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compare_parts, 'MANY', 2)
    count = 3
    for number in range(count):
        states = STATES.part(slice(1000 * number, 1000 * number + 6000))
        joint_state_bag(tmp_path / f'{number}', states)
    names = [f'{number}' for number in range(count)]
    with pytest.raises(SystemExit):
        main(['compare', *names, '--urdf', 'arm.urdf', '--json', 'result.json', '--jobs', '1'])
    result = json.loads(Path('result.json').read_text())
    assert [one['error'] for one in result['recordings']] == [''] * count
    assert len({one['samples'] for one in result['recordings']}) == 1
