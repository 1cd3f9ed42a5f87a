"""No torque from a state that is not trusted."""

import time

import numpy as np
from hypothesis import given
from malformed import joint_states, tried
from three_joints import JOINTS

from robot_dynamics_ros.core.errors import StateError

INPUTS = joint_states()


def usable(message):
    """Whether each joint is named once and everything that counts is there and finite."""
    names = list(message.name)
    if len(set(names)) < len(names) or not set(JOINTS) <= set(names):
        return False
    if message.header.stamp.sec < 0 or len(message.position) != len(names):
        return False
    for field in (message.velocity, message.effort):
        if len(field) not in (0, len(names)):
            return False
    if not len(message.velocity):
        return False
    places = [names.index(joint) for joint in JOINTS]
    counted = [*np.take(message.position, places), *np.take(message.velocity, places)]
    return bool(np.isfinite(counted).all())


def moderate(message):
    """Whether no physical quantity is beyond all bounds."""
    return max(map(abs, [*message.position, *message.velocity]), default=0.0) < 1e6


@tried
@given(INPUTS)
def test_only_usable_states_are_answered(node, message):
    with node.robot_holder.lock:
        robot = node.robot_holder.require()
        guard = robot.guard
        # Each state is the first: what may follow what is tested with the guards.
        guard.reset_times()
        robot.state = type(robot.state)(JOINTS)
        last = guard.effort.copy()
        started = time.monotonic()
        try:
            command = robot.answer(message, 0.0)
        except StateError:
            assert not (usable(message) and moderate(message))
            np.testing.assert_array_equal(guard.effort, last)
        else:
            assert usable(message)
            assert command is not None
            assert np.isfinite(command.data).all()
            limits, step = guard.limiter.limits, np.abs(command.data - last)
            assert (np.abs(command.data) <= limits).all()
            assert (step <= 0.02 * guard.limiter.rates * (1 + 1e-12) + 1e-12).all()
        assert time.monotonic() - started < 1.0
