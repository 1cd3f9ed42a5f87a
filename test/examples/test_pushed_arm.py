"""What the observer says beside what MuJoCo knows: pushes, collisions, free motion."""

import math

import numpy as np
import pytest

pytest.importorskip('mujoco')

from pushed_arm.experiments import (
    HOME,
    TOOL,
    alarms,
    collide,
    follow,
    least_thresholds,
    push_tool,
    still,
    touched_by_moment,
)
from pushed_arm.felt_arm import PERIOD, FeltArm, Noise, with_friction

from robot_dynamics_ros.control.external.contact_detector import ContactDetector
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.friction import JointFriction
from robot_dynamics_ros.demo import DemoError, default_urdf
from robot_dynamics_ros.simulation.outside_forces import Push

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


def test_a_push_is_found_when_the_observer_can_know_it(arm):
    """Its torque r = J^T F (1 - exp(-t / T)) exceeds a threshold: then, or 3 ms later."""
    felt = arm(Noise(0.0, 0.0, 0.0))
    detector = ContactDetector(ContactThresholds.of(6, 3.0, 3.0))
    torque = felt.dynamics.jacobian(HOME, TOOL)[:3].T @ FORCE
    limit = -math.log(1.0 - 3.0 / np.abs(torque).max()) / (2.0 * math.pi * BANDWIDTH)
    found = []
    for index in follow(felt, still(HOME, 0.8)):
        if index == 0:
            begin = felt.physics.time + 0.5
            felt.physics.outside.push(Push(TOOL, FORCE, delay=0.5, duration=9.0))
        if detector.step(felt.r, felt.v, felt.physics.time):
            found.append(felt.physics.time - begin)
    assert limit > 2.0 * PERIOD
    assert limit - PERIOD <= found[0] <= limit + 0.003


@pytest.fixture(scope='module')
def standing():
    """Six standard deviations of r at rest, mostly from the velocities: 2 pi f M times theirs."""
    return ContactThresholds.of(6, 2.0, 2.0)


@pytest.mark.parametrize('joint', range(6))
@pytest.mark.parametrize('moment', [5.0, -5.0])
def test_a_moment_about_a_joint_is_found_at_its_link(arm, standing, joint, moment):
    felt = arm(Noise(friction=0.0), seed=joint)
    assert touched_by_moment(felt, standing, joint, moment) == (f'{LINKS[joint]}_link',)


@pytest.fixture(scope='module')
def moving(rough):
    """Thresholds that friction which varies by 5 % does not exceed."""
    return least_thresholds(JointFriction(parse_urdf(rough)))


@pytest.mark.parametrize('velocity', [(0.0, 0.0, -0.5), (0.0, 0.5, 0.0), (-0.3, 0.0, -0.4)])
def test_a_collision_at_half_a_metre_per_second_is_found_within_5_ms(
    rough, dynamics, moving, velocity
):
    collision = collide(rough, Noise(), moving, velocity, seed=3, dynamics=dynamics)
    assert not collision.early
    assert collision.delay <= 0.005
    # It was the wall: before it the residual stayed below the threshold of the fast band.
    before = collision.times < 0.0
    assert (np.abs(collision.force[before]) == 0.0).all()


def test_no_false_alarm_in_motions_that_were_not_learned(rough, dynamics, moving):
    """`scripts/bench --only contacts` does it for 30 minutes."""
    felt = FeltArm(rough, Noise(), bandwidth=BANDWIDTH, dynamics=dynamics, seed=1)
    assert alarms(felt, [moving], 7.0, seed=2) == [0]


def test_friction_that_the_model_does_not_have_is_felt(urdf, rough, dynamics, standing):
    """So a motion without alarms says something about the thresholds."""
    felt = FeltArm(rough, Noise(), bandwidth=BANDWIDTH, dynamics=dynamics, seed=1)
    assert alarms(felt, [standing], 2.0, seed=2)[0] > 0
