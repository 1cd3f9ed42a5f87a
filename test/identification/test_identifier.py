"""The Identifier of Python is that of the command: fit, judge, save."""

import json
from contextlib import nullcontext

import numpy as np
import pytest
import yaml

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, loaded_rows, recording, rows
from running_command import run

from robot_dynamics_ros.core import ParameterError, UnknownNameError, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

__all__ = ['run']
ROBOT = parse_urdf(DESCRIBED.read_text())


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('identifier')
    (folder / 'arm.urdf').write_text(DESCRIBED.read_text())
    recording(folder / 'good.csv')
    return folder


@pytest.fixture(scope='module')
def read(files):
    return Recording.read(files / 'good.csv', ROBOT)


@pytest.fixture(scope='module')
def identified(read):
    return Identifier(DESCRIBED.read_text()).fit({'good.csv': read})


def test_the_command_finds_what_python_finds_and_writes_the_same_files(run, files, identified):
    ended = run('identify', 'good.csv', '--urdf', 'arm.urdf', '--output', 'there', '--json', 'a')
    assert ended.returncode == 0, ended.stderr
    there = json.loads((files / 'a').read_text())
    saved = identified.save(files / 'here')
    here = {file.name: file.read_text(errors='replace') for file in saved}
    assert here.keys() <= {file.name for file in (files / 'there').iterdir()}
    for name in ('identified.urdf', 'friction.yaml', 'dynamics_node.yaml', 'identification.json'):
        assert here[name] == (files / 'there' / name).read_text(), name
    assert json.loads(here['identification.json']) == there


def test_another_recording_validates_without_being_fitted(files, identified, read):
    """That of a loaded arm is not predicted; what was fitted is refused."""
    with pytest.raises(ParameterError, match='fitted'):
        identified.validate([read])
    found = {}
    for name, table in (('again', rows()), ('loaded', loaded_rows(1.2))):
        write(files / f'{name}.csv', list(ROBOT.joint_names), table)
        found[name] = identified.validate([Recording.read(files / f'{name}.csv', ROBOT)])
    joint = ROBOT.joint_names[1]
    again, before = found['again'][joint], identified.validation[joint]
    assert again.rms_low < again.rms_identified < again.rms_high
    assert again.rms_identified < 1.3 * before.rms_identified
    assert found['loaded'][joint].rms_identified > 5.0 * again.rms_identified


def test_a_model_alone_is_fitted_with_progress_in_states(identified, read, tmp_path):
    counted = []

    def bar(what, total, unit):
        assert (what, total, unit) == ('good.csv', len(rows()), 'states')
        return nullcontext(counted.append)

    found = Identifier(ROBOT, progress=bar).fit({'good.csv': read})
    assert sum(counted) > len(rows())
    assert repr(found.parameters.joints) == repr(identified.parameters.joints)
    with pytest.raises(ParameterError, match='URDF'):
        found.save(tmp_path / 'none')


def test_torque_sensors_behind_the_gears_show_no_rotor(read, tmp_path):
    identifier = Identifier(DESCRIBED.read_text(), effort='torque-sensor')
    # The second one validates, and is fitted too in the end.
    found = identifier.fit({'good.csv': read}, {'again.csv': read})
    assert (len(found.recordings), found.held_out) == (2, ('again.csv',))
    rows_of = (*found.parameters.joints, *found.parameters.sums)
    assert not any('armature' in row.name for row in rows_of)
    found.save(tmp_path / 'sensors', doubtful=True)
    written = yaml.safe_load((tmp_path / 'sensors/friction.yaml').read_text())['joints']
    assert [one['armature'] for one in written.values()] == [0.0] * len(JOINTS)
    assert all(0.0 <= one['viscous_lower'] <= one['viscous'] for one in written.values())
    fastest = np.abs(rows()[:, 4:7]).max(axis=0)
    np.testing.assert_allclose(
        [one['max_velocity'] for one in written.values()], fastest, rtol=0.1
    )


def test_efforts_that_come_a_little_early_are_shifted(files):
    """By 1.4 samples."""
    early = np.hstack([rows()[:-7, :7], rows()[7:, 7:]])
    write(files / 'early.csv', list(JOINTS), early[::5])
    found = Identifier(ROBOT).fit([Recording.read(files / 'early.csv', ROBOT)])
    assert found.as_json()['effort_delay'] == pytest.approx(-0.014, abs=3e-3)


def test_a_recording_that_is_too_short_does_not_stop_the_others(files, read):
    write(files / 'few.csv', list(JOINTS), rows()[:20])
    few = Recording.read(files / 'few.csv', ROBOT)
    # Nor one with fewer joints.
    write(files / 'two.csv', list(JOINTS[:2]), rows()[:500, [0, 1, 2, 4, 5, 7, 8]])
    named = {'few.csv': few, 'two.csv': Recording.read(files / 'two.csv', ROBOT), 'good.csv': read}
    found = Identifier(ROBOT).fit(named)
    errors = {one.file: bool(one.error) for one in found.recordings}
    assert errors == {name: name != 'good.csv' for name in named}
    assert found.validation['joint1'].standing == 'better'
    for fitted, held_out in ((read, few), (few, read)):
        with pytest.raises(RecordingError, match='few'):
            Identifier(ROBOT).fit([fitted], [held_out])


@pytest.mark.parametrize(
    ('settings', 'error'),
    [
        ({'friction': 0.0}, ParameterError),
        ({'delay': 1.0}, ParameterError),
        ({'effort': 'volt'}, ParameterError),
        ({'effort': 'current'}, ParameterError),
        ({'gains': {'joint1': 3.0}}, ParameterError),
        ({'effort': 'current', 'gains': {'joint1': 0.0}}, ParameterError),
        ({'effort': 'current', 'gains': {'wrist': 1.0}}, UnknownNameError),
        ({'loads': [('tool', -1.0, 'good.csv')]}, ParameterError),
        ({'loads': [('hand', 1.0, 'good.csv')]}, UnknownNameError),
        ({'loads': [('tool', 1.0, 'bad.csv')]}, UnknownNameError),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(read, settings, error):
    with pytest.raises(error):
        Identifier(ROBOT, **settings).fit({'good.csv': read})


def test_a_recording_is_fitted_or_held_out_and_named_once(read):
    for given in (([read, read],), ([read], [read])):
        with pytest.raises(ParameterError, match='twice'):
            Identifier(ROBOT).fit(*given)
    with pytest.raises(RecordingError, match='no recording'):
        Identifier(ROBOT).fit([])
