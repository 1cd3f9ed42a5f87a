"""A guard that is shown states of the robot with three joints."""

import numpy as np
from three_joints import URDF

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
LOADED = RobotDynamics(MODEL.with_payload('hand', 1.0, (0.1, 0.0, 0.2)))
Q, REST = np.array([0.3, 0.1, -0.7]), np.zeros(3)
GRAVITY = DYNAMICS.gravity_torque(Q)
PERIOD = 0.005
# The joints of two drivers.
PARTS = np.array([[True, True, False], [False, False, True]])


def answer(guard, *state, now):
    """The command (k,) [N m or N] for a state, as the node's loop asks for it; None for none."""
    return guard.command(now) if guard.take(*state, now=now) else None


class Driver:
    """Shows states to a guard, one in each period; keeps what it answered."""

    def __init__(self, settings=None, terms=('gravity',), joints=(), dynamics=DYNAMICS):
        feedforward = Feedforward(dynamics, joints, terms=terms)
        self.guard = GuardedFeedforward(feedforward, settings or Settings(fade_time=0.2))
        self.guard.supervisor.active = True
        self.now = 10.0

    def show(self, q=Q, v=REST, effort=None, late=0.0):
        self.now += PERIOD
        command = answer(self.guard, self.now - late, q, v, effort, now=self.now)
        return None if command is None else command.copy()

    def settle(self, q=Q, seconds=1.0, **state):
        return [self.show(q, **state) for _ in range(round(seconds / PERIOD))][-1]

    def tick(self):
        self.now += PERIOD
        command = self.guard.command_without_state(self.now)
        return None if command is None else command.copy()


def assert_smooth(commands, offset, fade_time=0.2):
    """No step is larger than that of the smooth step at its steepest."""
    changes = np.abs(np.diff(commands, axis=0))
    assert (changes <= 1.5 * np.abs(offset) * PERIOD / fade_time + 1e-12).all()
