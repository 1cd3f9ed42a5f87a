"""docs/identification.md: its commands lead from an unknown arm to an identified model."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm import play_and_record
from mechanics.examples import example, needs_examples

from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.control.trajectory import Point
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.excitation.motion import (
    ExcitationSettings,
    FourierSeries,
    resting_space,
)

ROOT = Path(__file__).resolve().parents[2]
ARM, DRAWN = 'examples/identified_arm/arm.urdf', 'examples/three_link_arm/three_link_arm.urdf'
TEXT = (ROOT / 'docs/identification.md').read_text()
# The words of each command of the document, and its Python.
BLOCK = re.search(r'```\n(robot_dynamics excite.*?)```', TEXT, re.DOTALL)[1]
EXCITE, PLAY, IDENTIFY, VALIDATE, COMPARE, LAUNCH = map(shlex.split, BLOCK.strip().splitlines())
PYTHON = re.search(r'^```python\n(.*?)^```', TEXT, re.DOTALL | re.M)[1]
# A shorter motion, and a coarser search for it: the same commands otherwise.
SHORTER = ['--duration', '8', '--frequency', '1']


def run(words):
    """The exit code of `robot_dynamics ...`, in this process."""
    with pytest.raises(SystemExit) as ended:
        main(words[1:])
    return ended.value.code


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Where the commands run, after the first three; the examples are there."""
    folder = tmp_path_factory.mktemp('arm')
    (folder / 'examples').symlink_to(ROOT / 'examples')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run([*EXCITE, *SHORTER]) == 0
        patch.setattr(sys, 'argv', PLAY[1:])
        assert play_and_record.main() is None
        assert run(IDENTIFY) in (0, 1)  # a short motion may be called poor
    return folder


def torques(urdf):
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 200, 3))
    return RobotDynamics(parse_urdf(urdf.read_text())).inverse_dynamics(*states)


def test_the_model_is_that_of_the_arm(folder):
    """Base parameters: torques of the bodies at any state, which the drawing misses by far."""
    assert LAUNCH[:4] == ['ros2', 'launch', 'robot_dynamics_ros', 'dynamics.launch.py']
    launched = [word.split(':=')[1] for word in LAUNCH[4:]]
    for file in (*launched, 'identified/report.html'):
        assert (folder / file).is_file()
    drawn, arm, found = (
        torques(folder / file) for file in (DRAWN, ARM, 'identified/identified.urdf')
    )
    left, before = (np.sqrt(np.mean((one - arm) ** 2, axis=0)) for one in (found, drawn))
    assert left.max() < 0.02 * before.max(), (left, before)
    result = json.loads((folder / 'identified/identification.json').read_text())
    for joint in result['validation'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']
    assert 'repeated_motion' not in [one['code'] for one in result['findings']]


def test_the_example_in_python_gives_the_model_too(folder, monkeypatch):
    """From the first three quarters of the recording; the rest shows what the model leaves."""
    head, *lines = (folder / 'recording.csv').read_text().splitlines(keepends=True)
    cut = 3 * len(lines) // 4
    (folder / 'monday.csv').write_text(''.join([head, *lines[:cut]]))
    (folder / 'tuesday.csv').write_text(''.join([head, *lines[cut:]]))
    (folder / 'arm.urdf').write_text((folder / DRAWN).read_text())
    monkeypatch.chdir(folder)
    names = {}
    exec(PYTHON, names)
    rigid, identified = torques(folder / ARM), names['identified']
    assert identified.parameters.determined == 16
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 200, 3))
    found = identified.model.dynamics.inverse_dynamics(*states)
    np.testing.assert_allclose(found, rigid, atol=0.05 * np.abs(rigid).max())
    left = {name: one.rms_identified for name, one in identified.validation.items()}
    assert max(left.values()) < 0.2, left


def test_it_validates_and_friction_and_inertia_are_no_findings_any_more(folder, monkeypatch):
    pytest.importorskip('pinocchio')
    monkeypatch.chdir(folder)
    assert run(VALIDATE) == 0
    assert run([*COMPARE, '--json', 'after.json']) in (0, 1)
    assert (folder / 'after.html').is_file()
    (row,) = json.loads((folder / 'after.json').read_text())['recordings']
    codes = {one['code'] for one in row['findings']}
    assert not codes & {'friction', 'payload', 'rotor', 'mass', 'scale', 'sign', 'unexplained'}


@needs_examples
def test_the_servo_follows_on_an_arm_with_light_wrists():
    """Of a Panda: with gains of the diagonal of M, its velocities are noise of the servo."""
    panda = example('panda_description/urdf/panda.urdf')
    joints = [f'panda_joint{number}' for number in range(1, 8)]
    harmonics = ExcitationSettings(duration=4.0).harmonics
    space = resting_space(harmonics)
    random = np.random.default_rng(0).normal(size=(space.shape[1], 7))
    start = np.array([0.0, -0.5, 0.0, -1.8, 0.0, 1.6, 0.0])
    series = FourierSeries(4.0, harmonics, start, 0.4 * space @ random)
    times = series.times(16)
    points = [Point(*state) for state in zip(times, *series.at(times)[:3], strict=True)]
    names, rows = play_and_record.played(panda.text, joints, points)
    found = rows[:, 1 + len(names) :][:, [names.index(joint) for joint in joints]]
    wanted = series.at(rows[:, 0])[1]
    assert np.sqrt(np.mean((found - wanted) ** 2)) < 0.2 * np.sqrt(np.mean(wanted**2))
