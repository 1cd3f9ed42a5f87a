"""A robot whose recordings are searched for contacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.control.external.contact import ContactLinks
from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.control.external.thresholds import NEVER, ContactThresholds
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY

from .locked_joints import LockedJoints
from .watch_settings import WatchSettings

# Of the rate of the states, the bandwidth of the observer at most [-]: r is noise beyond it.
SHARE_OF_RATE = 0.2
ALL_RECORDED = LockedJoints()
# Thresholds of a joint in which nothing is detected.
NOTHING = np.array([[NEVER, 0.0, 0.0]] * 2)


class WatchedRobot:
    """The robot, its friction and its settings.

    Attributes:
        model: whose joints are those of the recording.
        settings: see `WatchSettings`.
        links: which link is touched.
        friction: of the joints.
        locked: joints of the description that were not recorded.
    """

    def __init__(
        self, model: RobotModel, settings: WatchSettings, locked: LockedJoints = ALL_RECORDED
    ) -> None:
        """Compile nothing yet.

        Args:
            model: whose independent joints are those of the recording, in their order.
            settings: see `WatchSettings`; joints that the model does not have do not matter.
            locked: joints of the description that were not recorded, which `model` has locked.

        Raises:
            ParameterError: a value is negative or not finite, or a smoothing is 0.
        """
        self.model = settings.joint_model.with_rotors(model)
        self.settings = settings
        self.locked = locked
        self.links = ContactLinks(self.model)
        gravity = STANDARD_GRAVITY if settings.gravity is None else settings.gravity
        self._dynamics = RobotDynamics(self.model, gravity=gravity)
        self.friction = settings.joint_model.friction(self.model)
        self._offset = settings.joint_model.offsets(self.model)

    def wanted_bandwidth(self) -> Array:
        """(n,) of the observer, as far as the states come often enough [Hz]."""
        given, usual = self.settings.bandwidth, self.settings.usual_bandwidth
        return np.array([given.get(name, usual) for name in self.model.joint_names])

    def bandwidth(self, interval: float) -> Array:
        """(n,) of the observer [Hz].

        Args:
            interval: usual time between two states [s].
        """
        return np.minimum(self.wanted_bandwidth(), SHARE_OF_RATE / interval)

    def observer(self, interval: float, longest: float) -> ExternalForceObserver:
        """A new observer.

        Args:
            interval: usual time between two states [s].
            longest: time between two consecutive states [s].
        """
        return ExternalForceObserver(
            self._dynamics,
            self.bandwidth(interval),
            friction=self.friction,
            offset=self._offset,
            longest_interval=longest,
        )

    def gravity_torque(self, q: Array) -> Array:
        """g(q) at positions (N, n) [N m or N]."""
        return self._dynamics.gravity_torque(q)

    def thresholds(self, joints: Sequence[str]) -> ContactThresholds | None:
        """Those of the settings, for some joints; None where there are none.

        Args:
            joints: names, in this order.

        Raises:
            ParameterError: a value is out of bounds.
        """
        given = self.settings.thresholds
        if not given:
            return None
        coefficients = np.zeros((2, 3, len(joints)))
        for index, joint in enumerate(joints):
            coefficients[:, :, index] = given.get(joint, NOTHING)
        return ContactThresholds(coefficients)
