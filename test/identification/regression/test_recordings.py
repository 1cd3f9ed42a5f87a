"""From the samples of a recording to parameters: cutoffs, saturation, what the filters leave."""

import numpy as np
import pytest
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
    reduce,
    saturated_levels,
)
from robot_dynamics_ros.recordings import JointSamples

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
    with pytest.raises(RecordingError, match='a quarter of the rate'):
        Cutoffs.of(recorded.reader, 126.0)


def test_an_effort_that_stays_at_its_largest_is_saturated(recorded):
    """Also over the ends of chunks it is found; noise hides no level, and makes none."""
    first, second = recorded.joints[:2]
    level = 0.6 * np.abs(recorded.efforts[:, 0]).max()
    noise = np.random.default_rng(0).normal(0.0, 0.1, recorded.efforts.shape)
    efforts = recorded.efforts + noise
    efforts[:, 0] = np.clip(efforts[:, 0], -level, level)
    efforts[7, 1] = np.nan
    chunks = [
        JointSamples(recorded.joints, recorded.times[rows], recorded.positions[rows],
                     recorded.velocities[rows], efforts[rows])
        for rows in (slice(0, 2000), slice(2000, 2001), slice(2001, None))
    ]  # fmt: skip
    assert saturated_levels(chunks) == {first: level}
    assert second not in saturated_levels(chunks)
    still = JointSamples(recorded.joints, *(4 * [np.zeros((50, 4))]))
    assert saturated_levels([still]) == {}
