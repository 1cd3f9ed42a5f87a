"""The Identifier of Python is that of the command: fit, judge, save."""

import json

import numpy as np
import pytest
import yaml

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import ARM, DESCRIBED, JOINTS, loaded_rows, recording, rows
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
    saved = json.loads(here['identification.json'])
    assert {key: value for key, value in saved.items() if key != 'model'} == there


def test_what_is_written_is_fitted_to_everything_and_the_judged_model_was_not(identified):
    found = identified.as_json()
    used = sum(one['used'] for one in found['equations'].values())
    assert found['written_equations'] == used
    assert 0.55 < found['judged_equations'] / used < 0.75
    assert all(f'{found[key]}' in identified.summary for key in ('rank', 'judged_equations'))
    assert identified.model.model.joint_names == ROBOT.joint_names


def test_another_recording_judges_without_being_fitted(files, identified, read):
    """As good on what it was fitted to as on what was held out; on a loaded arm it is not."""
    again = identified.judge([read])
    (one,) = again.recordings
    assert one.held_out > 300
    for name, joint in again.joints.items():
        before = identified.judgement.joints[name]
        assert joint.rms_identified < 1.3 * before.rms_identified
        assert joint.rms_low < joint.rms_identified < joint.rms_high
    write(files / 'loaded.csv', list(ROBOT.joint_names), loaded_rows(1.2))
    recording(files / 'turned.csv', lambda t, tau: -tau)
    turned = identified.judge([Recording.read(files / 'turned.csv', ROBOT)])
    assert 'sign' in {one.code for one in turned.findings}
    loaded = identified.judge([Recording.read(files / 'loaded.csv', ROBOT)])
    joint = ROBOT.joint_names[1]
    assert loaded.joints[joint].rms_identified > 5.0 * again.joints[joint].rms_identified


def test_a_model_alone_is_fitted_with_progress_in_states(identified, read, tmp_path):
    counted = {}

    class Bar:
        def __init__(self, what, total, unit):
            assert (what, total, unit) == ('good.csv', len(rows()), 'states')

        def __enter__(self):
            return lambda done: counted.update(states=counted.get('states', 0) + done)

        def __exit__(self, *_):
            pass

    found = Identifier(ROBOT, progress=Bar).fit({'good.csv': read})
    assert counted['states'] > 3 * 0.6 * len(rows())
    assert repr(found.joint_rows) == repr(identified.joint_rows)
    with pytest.raises(ParameterError, match='URDF'):
        found.save(tmp_path / 'none')


def test_torque_sensors_behind_the_gears_show_no_rotor(read, tmp_path):
    identifier = Identifier(DESCRIBED.read_text(), effort='torque-sensor')
    # The second one judges, and is fitted too in the end.
    found = identifier.fit({'good.csv': read}, {'again.csv': read})
    fitted, held_out = found.judgement.recordings
    assert (fitted.held_out, held_out.held_out > 300) == (0, True)
    assert not any('armature' in row.name for row in (*found.joint_rows, *found.base_rows))
    found.save(tmp_path / 'sensors', doubtful=True)
    written = yaml.safe_load((tmp_path / 'sensors/friction.yaml').read_text())['joints']
    assert [one['armature'] for one in written.values()] == [0.0] * len(JOINTS)
    assert all(0.0 <= one['viscous_lower'] <= one['viscous'] for one in written.values())
    fastest = np.abs(rows()[:, 4:7]).max(axis=0)
    np.testing.assert_allclose(
        [one['max_velocity'] for one in written.values()], fastest, rtol=0.1
    )


def test_a_model_that_is_not_to_be_loaded_is_saved_by_force_alone(files, tmp_path):
    recording(
        files / 'pushed.csv',
        lambda t, tau: tau * np.where(t < t[-1] * 2.0 / 3.0 + 0.4, 1.25, 1.0)[:, None],
    )
    pushed = Recording.read(files / 'pushed.csv', ROBOT)
    found = Identifier(ARM.read_text()).fit([pushed])
    assert found.objections
    with pytest.raises(ParameterError, match='worse'):
        found.save(tmp_path / 'worse')
    assert not (tmp_path / 'worse').exists()
    assert found.save(tmp_path / 'worse', doubtful=True)


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
    found = Identifier(ROBOT).fit(named).judgement
    errors = {one.file: bool(one.error) for one in found.recordings}
    assert errors == {name: name != 'good.csv' for name in named}
    assert found.joints['joint1'].is_judged
    for fitted, held_out in ((read, few), (few, read)):
        with pytest.raises(RecordingError, match='few'):
            Identifier(ROBOT).fit([fitted], [held_out])


@pytest.mark.parametrize(
    ('settings', 'error'),
    [
        ({'friction': 'none'}, ParameterError),
        ({'friction': 0.0}, ParameterError),
        ({'friction': float('nan')}, ParameterError),
        ({'delay': 'soon'}, ParameterError),
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


@pytest.mark.parametrize(
    ('fitted', 'held_out', 'error'),
    [(2, 0, ParameterError), (1, 1, ParameterError), (0, 0, RecordingError)],
)
def test_a_recording_is_fitted_or_held_out_and_named_once(read, fitted, held_out, error):
    with pytest.raises(error):
        Identifier(ROBOT).fit(fitted * [read], held_out * [read])
