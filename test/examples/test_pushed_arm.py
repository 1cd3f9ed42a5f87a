"""What the observer says beside what MuJoCo knows: pushes and collisions."""

import math

import numpy as np
import pytest

pytest.importorskip('mujoco')

from pushed_arm.experiments import (
    collide,
    push_tool,
    touched_by_moment,
)
from pushed_arm.felt_arm import FeltArm, Noise, with_friction

from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.friction import JointFriction
from robot_dynamics_ros.demo import DemoError, default_urdf

BANDWIDTH = 10.0  # [Hz]
LINKS = 'shoulder', 'upper_arm', 'forearm', 'wrist_1', 'wrist_2', 'wrist_3'
FORCE = (12.0, 0.0, -16.0)  # [N], of 20 N


@pytest.fixture(scope='module')
def urdf():
    try:
        return default_urdf().read_text()
    except DemoError as error:
        pytest.skip(str(error))


@pytest.fixture(scope='module')
def dynamics(urdf):
    return RobotDynamics(parse_urdf(urdf))


@pytest.fixture(scope='module')
def rough(urdf):
    """With friction: 5 % of the effort limit, and as much at 1 rad/s."""
    return with_friction(urdf, 0.05)


@pytest.fixture
def arm(urdf, dynamics):
    def make(noise, **options):
        return FeltArm(urdf, noise, bandwidth=BANDWIDTH, dynamics=dynamics, **options)

    return make


def test_the_wrench_of_a_constant_force_is_right_after_five_lags(arm):
    pushed = push_tool(arm(Noise(0.0, 0.0, 0.0)), FORCE, 0.4)
    lags = pushed.times * 2.0 * math.pi * BANDWIDTH
    on = (lags >= 5.0) & pushed.applied.any(axis=1)
    assert on.sum() > 100
    np.testing.assert_allclose(np.linalg.norm(pushed.applied[on, :3], axis=1), 20.0)
    error = (pushed.felt - pushed.applied)[on]
    assert np.linalg.norm(error[:, :3], axis=1).max() < 0.02 * 20.0
    # At a lever of 0.1 m.
    assert np.linalg.norm(error[:, 3:], axis=1).max() < 0.02 * 20.0 * 0.1
    assert np.abs(pushed.felt[pushed.times < 0.0]).max() < 1e-6


@pytest.fixture(scope='module')
def standing():
    """Six standard deviations of r at rest, mostly from the velocities: 2 pi f M times theirs."""
    return ContactThresholds.of(6, 2.0, 2.0)


@pytest.mark.parametrize(('joint', 'moment'), [*enumerate([5.0, -5.0] * 3)])
def test_a_moment_about_a_joint_is_found_at_its_link(arm, standing, joint, moment):
    felt = arm(Noise(friction=0.0), seed=joint)
    assert touched_by_moment(felt, standing, joint, moment) == (f'{LINKS[joint]}_link',)


@pytest.fixture(scope='module')
def moving(rough):
    """Thresholds that friction within a quarter of the model does not exceed.

    At rest it is anything up to 1.25 F_s, in motion it errs by 0.25 (F_s + F_v |v|): the slow band
    is below the larger of both, the fast one below their sum.
    """
    coulomb, viscous = JointFriction(parse_urdf(rough)).bounds
    slow = np.array([1.25 * coulomb, 0.25 * viscous, 0.0 * viscous])
    return ContactThresholds(
        np.stack([slow + 0.25 * np.stack([coulomb, viscous, 0.0 * coulomb]), slow])
    )


@pytest.mark.parametrize('velocity', [(0.0, 0.0, -0.5), (-0.3, 0.0, -0.4)])
def test_a_collision_at_half_a_metre_per_second_is_found_within_5_ms(
    rough, dynamics, moving, velocity
):
    collision = collide(rough, Noise(), moving, velocity, seed=3, dynamics=dynamics)
    assert not collision.early
    assert collision.delay <= 0.005
    # It was the wall: before it the residual stayed below the threshold of the fast band.
    assert (np.abs(collision.force[collision.times < 0.0]) == 0.0).all()
