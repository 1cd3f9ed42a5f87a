"""The arm of `three_joints` in an exactly known motion, pushed by exactly known torques."""

import numpy as np
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.external.drive_torques import GivenState
from robot_dynamics_ros.control.external.estimate import ExternalForceEstimate, ExternalSettings
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.friction import JointFriction

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
FRICTION = JointFriction(
    MODEL, viscous={'turn': 1.0, 'wrist': 0.2}, coulomb={'slide': 3.0}, smoothing=0.1
)
OFFSET = np.array([0.1, 0.2, 0.3])
NONE, PUSH = np.zeros(3), np.array([3.0, -10.0, 1.0])
PERIOD = 0.002
# Between two samples of the driver the trapezoid takes every term for even. With 2 ms and these
# motions the worst that was seen is 3e-5 N m.
SAMPLING = 3e-4
# Gravity does not act along the first axis alone, so that every joint is loaded.
CENTER, AMPLITUDES, RATES = [0.3, 0.1, -0.7], np.array([0.3, 0.05, 0.4]), np.array([3.0, 5.0, 4.0])


def settings(**changes):
    values = {'external_observer': True, 'external_bandwidth': (20.0, 20.0, 20.0)}
    return ExternalSettings(**(values | changes))


def thresholds(collision, push=None):
    """Constant thresholds of the three joints, as settings."""
    push = collision if push is None else push
    return {'thresholds': ContactThresholds.of(3, collision, push)}


class FeltArm:
    """Shows states to an estimate, one in each period.

    Attributes:
        push: (3,) external torque [N m or N].
        change: is given each effort (3,), and returns what the driver says of it.
        drop: whether states are lost instead of shown.
    """

    def __init__(self, *, moves=True, dynamics=DYNAMICS, **changes):
        self.dynamics = dynamics
        self.estimate = ExternalForceEstimate(
            dynamics, JOINTS, settings(**changes), friction=FRICTION, offset=OFFSET
        )
        self.push = NONE
        self.change = lambda effort: effort
        self.drop = False
        # As of a driver that stamps with the time since 1970.
        self.time = 1.7e9
        self._amplitudes = AMPLITUDES if moves else NONE
        self.collisions = 0

    def motion(self):
        """Rows q, v and a at the present time."""
        angle = RATES * (self.time - 1.7e9)
        sizes = self._amplitudes, self._amplitudes * RATES, -self._amplitudes * RATES**2
        waves = np.sin(angle), np.cos(angle), np.sin(angle)
        q, v, a = (size * wave for size, wave in zip(sizes, waves, strict=True))
        return CENTER + q, v, a

    def effort(self):
        q, v, a = self.motion()
        return self.dynamics.inverse_dynamics(q, v, a) + FRICTION.torque(v) + OFFSET - self.push

    def show(self, *, held=(True, True, True), has_velocity=True):
        """One state; the joints that are not held are not in it."""
        self.time += PERIOD
        if self.drop:
            return
        q, v, _ = self.motion()
        effort = self.change(self.effort())
        shown = [np.where(held, values, np.nan) for values in (q, v, effort)]
        given = GivenState(shown[0], shown[1] if has_velocity else None, shown[2])
        self.estimate.update(self.time, q, v, given, longest_interval=0.1)
        self.collisions += self.estimate.contact.collides

    def run(self, seconds, **state):
        for _ in range(round(seconds / PERIOD)):
            self.show(**state)


def settled(**changes):
    """An arm whose efforts have been found to fit, and whose collisions are detected."""
    arm = FeltArm(**changes)
    arm.run(1.0)
    assert not arm.estimate.reason
    return arm
