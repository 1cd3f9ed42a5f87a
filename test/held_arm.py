"""An arm before its first command, and what a guard commands it."""

import numpy as np
from guard_answer import answer
from three_joints import URDF

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import Inhibition, Mode
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

DYNAMICS = RobotDynamics(parse_urdf(URDF), backend='python')
Q, PERIOD = np.array([0.3, 0.1, -0.7]), 0.005
GRAVITY = DYNAMICS.gravity_torque(Q)
ZERO = np.zeros(3)
INACTIVE = Inhibition('the controller is inactive', 'when it is active', interrupts=True)


class Arm:
    """Shows its states to a guard until the first command; keeps all commands."""

    def __init__(self, terms=('gravity',), **settings):
        settings = {'on_restart': 'take_over', 'fade_time': 0.2} | settings
        self.guard = GuardedFeedforward(Feedforward(DYNAMICS, terms=terms), Settings(**settings))
        self.guard.supervisor.active = True
        self.now, self.commands = 10.0, []

    def show(self, q=Q, v=ZERO, effort=GRAVITY):
        self.now += PERIOD
        command = answer(self.guard, self.now, q, v, effort, now=self.now, time=self.now)
        if command is not None:
            self.commands.append(command.copy())
        return command

    def first(self, speed=0.0, **state):
        """The first command of an arm whose joints move at this speed, and its time."""
        begin = self.now
        for _ in range(200):
            q = Q + speed * (self.now - begin)
            if self.show(q, v=ZERO + speed, **state) is not None:
                return self.commands[-1], self.now - begin
        raise AssertionError('no command within a second')


class ArmInParts(Arm):
    """An arm whose joints come in two messages in turn."""

    PARTS = (np.array([True, True, False]), np.array([False, False, True]))
    shown = 0

    def show(self, q=Q, v=ZERO, effort=GRAVITY):
        part = self.PARTS[self.shown % 2]
        self.shown += 1
        effort = None if effort is None else np.where(part, effort, np.nan)
        return super().show(np.where(part, q, np.nan), np.where(part, v, np.nan), effort)


def interrupted(kind=Arm, **settings):
    """An arm at its gravity torque whose controller was deactivated and activated."""
    arm = kind(on_restart='fade_from_zero', **settings)
    arm.first()
    while not arm.guard.double_compensation.excluded:
        arm.show()
    np.testing.assert_allclose(arm.commands[-1], GRAVITY, rtol=1e-12)
    arm.guard.supervisor.inhibitions.put('controller', INACTIVE)
    assert [arm.show() for _ in range(10)] == [None] * 10
    assert arm.guard.mode is Mode.SILENT
    assert arm.guard.stopped
    arm.guard.supervisor.inhibitions.put('controller', None)
    return arm
