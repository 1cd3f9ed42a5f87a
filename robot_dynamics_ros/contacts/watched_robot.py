"""A robot whose recordings are watched: its settings, its observer, and what was not recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.control.external.contact import ContactLinks
from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings.joint_samples import gap_limit

# Of the observer [Hz], as of dynamics_node by default.
BANDWIDTH = 20.0
# Of the rate of the states, the bandwidth of a filter at most [-]: noise is beyond it.
SHARE_OF_RATE = 0.2


@dataclass(frozen=True)
class WatchSettings:
    """Values of parameters of dynamics_node; joints that are not named have those of the URDF.

    Attributes:
        joint_model: friction, offsets and rotors.
        gravity: acceleration of free fall in the base frame [m/s^2].
        bandwidth: of the observer [Hz], `BANDWIDTH` of joints that are not named there.
        thresholds: (2, 3) of each joint by name, see `ContactThresholds`; empty where none are
            given.
        driver_gravity_check: whether efforts without gravity, or in another unit, are recognised.
    """

    joint_model: JointModel = AS_DESCRIBED
    gravity: tuple[float, ...] = STANDARD_GRAVITY
    bandwidth: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, Array] = field(default_factory=dict)
    driver_gravity_check: bool = True


class WatchedRobot:
    """The robot, its friction and its settings.

    Attributes:
        model: whose joints are those of the recording.
        settings: see `WatchSettings`.
        dynamics: of the model.
        friction: of the joints.
        links: which link is touched.
        locked: joints of the URDF that were not recorded.
        missing: of these, the joints whose position changes the torque of a recorded one.
    """

    def __init__(
        self,
        model: RobotModel,
        settings: WatchSettings,
        locked: Sequence[str] = (),
        missing: Sequence[str] = (),
    ) -> None:
        """Compile nothing yet.

        Args:
            model: whose independent joints are those of the recording, in their order.
            settings: see `WatchSettings`; joints that the model does not have do not matter.
            locked: joints of the URDF that were not recorded, which `model` has locked.
            missing: of these, the joints whose position changes the torque of a recorded one.

        Raises:
            ParameterError: a value is negative or not finite, or a smoothing is 0.
        """
        self.model, self.settings = settings.joint_model.with_rotors(model), settings
        self.locked, self.missing = tuple(locked), tuple(missing)
        self.links = ContactLinks(self.model)
        self.dynamics = RobotDynamics(self.model, gravity=settings.gravity)
        self.friction = settings.joint_model.friction(self.model)

    @property
    def locked_remark(self) -> str:
        """What a user has to know of joints that were not recorded; empty without any."""
        if not self.locked:
            return ''
        was, are = ('was', 'is') if len(self.locked) == 1 else ('were', 'are')
        text = f'{listed(self.locked)} {was} not recorded, and {are} taken to be locked'
        if not self.missing:
            return text
        return (
            f'{text}; motion of {listed(self.missing)} looks like an external torque on other '
            'joints, as does a rest that is not at zero or at the nearest position limit: record '
            'all joints'
        )

    def bandwidth(self, interval: float) -> Array:
        """(n,) of the observer [Hz], for states with that usual time between two [s]."""
        given = self.settings.bandwidth
        wanted = [given.get(name, BANDWIDTH) for name in self.model.joint_names]
        return np.minimum(wanted, SHARE_OF_RATE / interval)

    def observer(self, interval: float) -> ExternalForceObserver:
        """A new observer, for states with that usual time between two [s]."""
        return ExternalForceObserver(
            self.dynamics,
            self.bandwidth(interval),
            friction=self.friction,
            offset=self.settings.joint_model.offsets(self.model),
            # Of a gap, the cuts of the recording decide.
            longest_interval=2.0 * gap_limit(interval),
        )
