"""From the samples of a recording to parameters: cutoffs, and what the filters leave."""

import numpy as np
import pytest

pytest.importorskip('scipy')
pytest.importorskip('mujoco')

from exact_motion import exact_motion, truth
from mechanics.robots import hand_written
from simulated_recordings import Recorded

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.identification.observability import base_parameters, structure_of
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import (
    Cutoffs,
    EquationOptions,
    MotionEquations,
    RecordedEquations,
    reduce,
)
from robot_dynamics_ros.recordings import open_recording

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
UNLIMITED = dict.fromkeys(LAYOUT.joints, 1e9)


@pytest.fixture(scope='module')
def recorded():
    motion = exact_motion(ROBOT.native, seconds=12.0, rate=500.0)
    signals = motion.positions, motion.velocities, motion.efforts
    return Recorded(motion.times, *signals, np.zeros_like(signals[0]), motion.joints)


def test_recordings_without_noise_give_the_parameters(recorded):
    """Friction that jumps at each reversal, and filters on both sides, leave 1e-4."""
    cutoffs = Cutoffs(motions=80.0, equations=10.0)
    options = EquationOptions(cutoff=cutoffs.equations, effort_levels=UNLIMITED)
    made = MotionEquations(LAYOUT, options, ROBOT.native)
    reduced = reduce(made.of_motions(recorded.reader.motions(cutoffs.motions)))
    base = base_parameters(reduced, structure_of(LAYOUT, ROBOT.native))
    rows = np.concatenate(list(reduced.triangles))
    found = np.linalg.lstsq(rows[:, list(base.columns)], rows[:, -1], rcond=None)[0]
    expected = base.values(truth(LAYOUT))
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())


def test_the_motions_pass_what_the_equations_pass(recorded):
    chosen = Cutoffs.of(recorded.reader)
    assert 5.0 <= chosen.equations <= 20.0
    assert chosen.equations < chosen.motions <= 125.0
    assert Cutoffs.of(recorded.reader, 100.0).equations == 100.0
    assert Cutoffs.of(recorded.reader, 100.0).motions == pytest.approx(125.0)
    with pytest.raises(RecordingError, match='a quarter of'):
        Cutoffs.of(recorded.reader, 126.0)


def test_recordings_of_different_rates_pass_one_low_pass(tmp_path):
    """Their equations have one noise for each joint: that of the lowest cutoff of all."""
    robot = hand_written('pendulum')
    motion = exact_motion(robot.native, seconds=20.0, rate=200.0)
    files, cutoffs = {}, []
    for name, step in (('fast', 1), ('slow', 10)):
        columns = {'time': motion.times}
        for index, joint in enumerate(motion.joints):
            columns[f'{joint}_position'] = motion.positions[:, index]
            columns[f'{joint}_velocity'] = motion.velocities[:, index]
            columns[f'{joint}_effort'] = motion.efforts[:, index]
        table = np.column_stack(list(columns.values()))[::step]
        file = tmp_path / f'{name}.csv'
        np.savetxt(file, table, delimiter=',', header=','.join(columns), comments='')
        files[name] = [file]
        with open_recording([file]) as recording:
            cutoffs.append(Cutoffs.of(recording).equations)
    assert cutoffs[1] < 0.6 * cutoffs[0]
    blocks = list(RecordedEquations.of_files(ParameterLayout(robot.model), files))
    for name, rate in (('fast', 200.0), ('slow', 20.0)):
        # One equation is kept in half a period of the cutoff.
        step = int(rate / (2.0 * cutoffs[1]))
        intervals = {block.interval for block in blocks if block.recording == name}
        assert intervals == {step / rate}
