"""Least squares: exact without noise, honest intervals with it, of the URDF where data lack."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import exact_motion, truth, unfiltered
from mechanics.robots import hand_written
from simulated_recordings import Recorded, urdf

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.base_parameters import base_parameters, structure_of
from robot_dynamics_ros.identification.equations import Equations
from robot_dynamics_ros.identification.estimate import completion, estimate
from robot_dynamics_ros.identification.motion_equations import MotionEquations
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.simulation.physics import Physics

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
# Of the range of the torque; [rad/s].
EFFORT_NOISE, VELOCITY_NOISE = 0.005, 1e-3


@pytest.fixture(scope='module')
def structure():
    return structure_of(LAYOUT, ROBOT.native)


@pytest.fixture(scope='module')
def motion():
    return exact_motion(ROBOT.native, seconds=20.0, highest=1.0)


@pytest.fixture(scope='module')
def made():
    return MotionEquations(LAYOUT, ROBOT.native, cutoff=5.0, effort_levels=np.inf)


def recorded(motion, made, seed=0):
    """Equations of a recording with noise."""
    random = np.random.default_rng(seed)
    span = np.ptp(motion.efforts, axis=0)
    efforts = motion.efforts + EFFORT_NOISE * span * random.normal(size=motion.efforts.shape)
    v = motion.velocities + random.normal(0.0, VELOCITY_NOISE, motion.velocities.shape)
    signals = motion.positions, v, efforts, np.zeros_like(efforts)
    reader = Recorded(motion.times, *signals, motion.joints).reader
    return Equations.joined(made.of_motions(reader.motions(40.0)))


def test_states_and_efforts_of_mujoco_give_its_parameters():
    """Exact states; inertia, damping and gravity by MuJoCo's own algorithms."""
    text = urdf(friction=False, tool=True)
    # What is identified begins from a robot without its tool.
    layout = ParameterLayout(parse_urdf(urdf(friction=False)))
    physics = Physics(text, max_step=1e-3)
    random = np.random.default_rng(0)
    q, v, a = random.uniform(-1.5, 1.5, (3, 300, len(layout.joints)))
    assert physics.all_joints == layout.joints
    efforts = np.array([physics.required_torque(*state) for state in zip(q, v, a, strict=True)])
    made = MotionEquations(layout, effort_levels=np.inf)
    reduced = made.of_samples(
        unfiltered(layout.model, np.arange(300.0), q, v, a, efforts)
    ).reduced()
    base = base_parameters(reduced)
    found = estimate(reduced, base)
    true = layout.nominal()
    true[: -len(layout.terms) * len(layout.joints)] = parse_urdf(text).inertial_parameters()
    expected = base.values(true)
    assert base.rank == base.structure.rank
    np.testing.assert_allclose(
        base.values(found.parameters), expected, atol=1e-6 * np.abs(expected).max()
    )
    # Other states, by other dynamics.
    q, v, a = random.uniform(-2.0, 2.0, (3, 50, len(layout.joints)))
    torques = RobotDynamics(parse_urdf(text)).inverse_dynamics(q, v, a)
    rows = made.of_samples(unfiltered(layout.model, np.arange(50.0), q, v, a, torques)).rows
    np.testing.assert_allclose(rows @ found.parameters, torques, atol=1e-6 * np.abs(torques).max())


def test_intervals_cover_the_truth(motion, made, structure):
    """scripts/bench counts 200 recordings; here are enough to see a wrong scale.

    The filter leaves the share of its band of the noise: the same for joints with equal noise.
    """
    z = []
    for seed in range(10):
        reduced = recorded(motion, made, seed).reduced()
        base = base_parameters(reduced, structure)
        assert not base.undetermined_columns
        found = estimate(reduced, base)
        errors = base.values(found.parameters) - base.values(truth(LAYOUT))
        z.append(errors / np.sqrt(np.diag(found.base_covariance)))
        expected = EFFORT_NOISE * np.ptp(motion.efforts, axis=0) * np.sqrt(10.0 / motion.rate)
        np.testing.assert_allclose(found.noise, expected, rtol=0.25)
    # 10 x 35 draws of a standard normal, which correlate within a recording.
    assert 0.75 < np.sqrt(np.mean(np.square(z))) < 1.25
    assert 0.90 < np.mean(np.abs(z) < 1.96) < 0.99


def test_weights_are_those_of_the_noise(motion, made, structure):
    """Equations of a joint with ten times the noise count a hundredth: its own solution."""
    reduced = recorded(motion, made).reduced()
    base = base_parameters(reduced, structure)
    found = estimate(reduced, base)
    rows, sides = [], []
    for factor, noise, independent, count in zip(
        reduced.triangles, found.noise, reduced.independent, reduced.counts, strict=True
    ):
        weight = np.sqrt(independent / count) / noise
        rows.append(weight * factor[:, list(base.columns)])
        sides.append(weight * factor[:, -1])
    direct, *_ = np.linalg.lstsq(np.concatenate(rows), np.concatenate(sides), rcond=None)
    inverse = np.linalg.inv(np.concatenate(rows).T @ np.concatenate(rows))
    scale = np.sqrt(np.diag(inverse))
    np.testing.assert_allclose(base.values(found.parameters) / scale, direct / scale, atol=1e-3)
    np.testing.assert_allclose(
        found.base_covariance / np.outer(scale, scale), inverse / np.outer(scale, scale), atol=1e-3
    )


def test_a_completion_changes_base_parameters_alone(motion, made, structure):
    """Each by one, with changes that are the smallest in plausible values."""
    base = base_parameters(recorded(motion, made).reduced(), structure)
    changes = completion(base)
    np.testing.assert_allclose(base.combination @ changes, np.eye(base.rank), atol=1e-9)
    null = np.linalg.svd(base.combination)[2][base.rank :]
    gradient = changes / base.scales[:, None] ** 2
    assert np.abs(null @ gradient).max() < 1e-9 * np.abs(gradient).max()
