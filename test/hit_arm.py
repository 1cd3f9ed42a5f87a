"""A guarded arm at rest whose external torques are estimated, and which may be hit."""

import numpy as np
from shown_states import DYNAMICS, GRAVITY, MODEL, PERIOD, REST, Driver, Q

from robot_dynamics_ros.control.external.estimate import ExternalForceEstimate, ExternalSettings
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core.friction import JointFriction

HIT = np.array([0.0, 30.0, 6.0])
# Of the reference: a constant acceleration, so that its torque differs from gravity.
ACCELERATION = np.array([1.0, -0.5, 2.0])


class HitArm(Driver):
    """An arm at rest that follows a reference, estimates external torques, and may be hit."""

    def __init__(self, on_collision, on_stop='zero', **external):
        settings = Settings(
            fade_time=0.2,
            on_restart='fade_from_zero',
            on_collision=on_collision,
            on_stop=on_stop,
        )
        super().__init__(settings, terms=('gravity', 'inertial'))
        self.hit = np.zeros(3)
        values = {
            'external_observer': True,
            'external_bandwidth': (20.0,) * 3,
            'thresholds': ContactThresholds.of(3, (5.0, 5.0, 1.0), (5.0, 5.0, 1.0)),
        }
        self.guard.external = ExternalForceEstimate(
            DYNAMICS,
            MODEL.joint_names,
            ExternalSettings(**(values | external)),
            friction=JointFriction(MODEL),
            offset=np.zeros(3),
        )

    def show(self):
        return super().show(Q, REST, effort=GRAVITY - self.hit)

    def settle(self, seconds=1.5):
        return [self.show() for _ in range(round(seconds / PERIOD))]

    def follow(self):
        self.guard.set_reference(Trajectory([Point(0.0, Q, REST, ACCELERATION)]), 1e6)
        return self.settle()[-1]

    def collide(self):
        self.hit = HIT
        return self.settle(seconds=0.3)
