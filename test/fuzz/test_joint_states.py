"""No torque from a state that is not trusted."""

import numpy as np
from hypothesis import given
from malformed import joint_states
from property_settings import tried
from three_joints import JOINTS, URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import StateError

INPUTS = joint_states()
SPEEDS = parse_urdf(URDF).velocity_limits


def valid(message):
    """Whether names and sizes fit, and no joint of the robot is at or moves with infinity."""
    names, sizes = list(message.name), (len(message.velocity), len(message.effort))
    if not names or len(set(names)) < len(names) or len(message.position) != len(names):
        return False
    if message.header.stamp.sec < 0 or not {*sizes} <= {0, len(names)}:
        return False
    places = [names.index(joint) for joint in JOINTS if joint in names]
    speeds = np.take(message.velocity, places) if len(message.velocity) else np.zeros(0)
    return bool(
        np.isfinite(np.take(message.position, places)).all() and not np.isinf(speeds).any()
    )


def complete(message):
    """Whether a valid message holds each joint, with its velocity."""
    if not set(JOINTS) <= set(message.name) or not len(message.velocity):
        return False
    return bool(np.isfinite(velocities(message)).all())


def moderate(message):
    """Whether no value of a complete message is beyond all bounds, or 10 times its limit."""
    fast = np.abs(velocities(message)) > 10.0 * SPEEDS
    return not fast.any() and max(map(abs, [*message.position, *message.velocity])) < 1e6


def velocities(message):
    return np.take(message.velocity, [list(message.name).index(joint) for joint in JOINTS])


@tried
@given(INPUTS)
def test_only_usable_states_are_answered(node, message):
    with node.robot_holder.lock:
        robot = node.robot_holder.require()
        guard = robot.guard
        # Each state is the first: what may follow what is tested with the guards.
        now = node.robot_holder.clock.now()
        robot.guard.set_clock(now)
        last = guard.effort.copy()
        try:
            robot.take(message, now)
            command = robot.guard.command(now)
        except StateError as error:
            asked = 'is the unit' in str(error)
            assert asked or not (valid(message) and complete(message) and moderate(message))
            np.testing.assert_array_equal(guard.effort, last)
        else:
            assert valid(message)
            assert command is not None or not complete(message)
            if command is None:
                return
            assert np.isfinite(command).all()
            limits, step = guard.limiter.limits, np.abs(command - last)
            assert (np.abs(command) <= limits).all()
            assert (step <= 0.02 * guard.limiter.rates * (1 + 1e-12) + 1e-12).all()
