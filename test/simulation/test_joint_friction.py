"""A simulated arm with the law of friction: what it does by itself, and with the feedforward."""

import numpy as np
import pytest

pytest.importorskip('mujoco')

from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.feedforward import DEFAULT_TERMS, TERMS, Feedforward
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS
from robot_dynamics_ros.simulation.physics import JointServo, Physics

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
PERIOD = 1e-3
LAW = {
    'turn': {'viscous': 2.0, 'coulomb': 1.0, 'presliding': 4.0, 'displacement': 0.03},
    'slide': {'coulomb': 5.0, 'load': 0.2, 'stribeck': 4.0},
    'wrist': {'coulomb': 0.3, 'presliding': 0.5},
}


def feedforward(terms=TERMS, left_out=()):
    kinds = {kind for one in LAW.values() for kind in one} - {*left_out}
    given = {
        kind: {name: LAW[name].get(kind, CONSTANTS.get(kind, 0.0)) for name in JOINTS}
        for kind in kinds
    }
    friction = JointFriction(MODEL, **{'viscous': dict.fromkeys(JOINTS, 0.0), **given})
    return Feedforward(DYNAMICS, JOINTS, terms=terms, friction=friction)


def tracking_error(computed, seconds=3.0):
    """RMS distance of each joint from a reference that turns back again and again."""
    arm = Physics(URDF, JOINTS, friction=LAW)
    arm.servo = JointServo.tuned(arm.inertia(), 3.0)
    rates, errors = np.array([2.0, 3.0, 4.0]), []
    reference = Trajectory(
        [
            Point(
                time,
                0.1 * (1.0 - np.cos(rates * time)),
                0.1 * rates * np.sin(rates * time),
                0.1 * rates**2 * np.cos(rates * time),
            )
            for time in np.arange(0.0, seconds + 0.1, 0.02)
        ]
    )
    arm.follow(reference)
    for time in np.arange(0.0, seconds, PERIOD):
        rows = reference.at(time)
        computed.compute(arm.position, arm.velocity, rows, elapsed=PERIOD)
        arm.set_torque(computed.effort)
        arm.advance(PERIOD)
        errors.append(arm.position - rows[0])
    return np.sqrt(np.mean(np.square(errors), axis=0))


def test_tracking_is_better_with_each_part_of_the_law():
    without = tracking_error(feedforward(DEFAULT_TERMS))
    plain = tracking_error(feedforward(left_out=('presliding', 'load', 'stribeck')))
    whole = tracking_error(feedforward())
    assert (plain < without).all()
    assert (whole < 0.7 * plain).all()
    assert (whole < 0.25 * without).all()


def test_a_joint_at_rest_holds_what_friction_can_and_is_not_moved_by_its_compensation():
    arm, computed = Physics(URDF, JOINTS, (0.0, 0.0, 0.0), LAW), feedforward()
    arm.set_torque([0.0, 4.0, 0.2])
    arm.advance(0.5)
    assert np.abs(arm.position).max() < 2e-3
    for _ in range(500):
        computed.compute(arm.position, arm.velocity, elapsed=PERIOD)
        arm.set_torque(computed.parts[3])
        arm.advance(PERIOD)
    assert np.abs(arm.position).max() < 2e-3
