"""Contacts of a robot that is commanded: since when, at which link, in which direction."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.algorithms.kinematics import jacobian
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel

from ..torque_text import joint_torques, units_of
from .contact_link import ContactLinks
from .detection import FREE, BandThreshold, ContactDetector, ContactThresholds
from .detection.contact_thresholds import NEVER
from .detection.residual_bands import BANDS
from .external_settings import ExternalSettings
from .wrench import explaining_wrench

COLLISION = 'collision'


class LiveContact:
    """Detects contacts in the external torques of the commanded joints.

    Attributes:
        state: of the last step; its joints are indices of commanded joints.
        collides: whether a collision began with the last step.
        links: that are touched: one, or one of each touched branch of a tree; empty without a
            contact.
    """

    def __init__(
        self,
        model: RobotModel,
        joints: Sequence[str],
        indices: npt.NDArray[np.intp],
        settings: ExternalSettings,
    ) -> None:
        """Without a contact.

        Args:
            model: of the robot.
            joints: names of the commanded joints, k of them.
            indices: (k,) of these among the independent joints.
            settings: thresholds, one for each commanded joint.

        Raises:
            ParameterError: a threshold is not positive.
        """
        self._joints, self._indices = tuple(joints), indices
        self.use(model)
        self.state = self._directed = FREE
        self.links: tuple[str, ...] = ()
        self.collides, self._direction = False, np.zeros(3)
        self._detector: ContactDetector | None = None
        self.apply(settings)

    @property
    def detects(self) -> bool:
        """Whether there are thresholds."""
        return self._detector is not None

    @property
    def limits(self) -> Array:
        """Thresholds (2, k) of collision and push at the last step [N m or N]."""
        if self._detector is None:
            return np.full((2, len(self._joints)), np.inf)
        limits = self._detector.limits
        return np.where(limits < NEVER, limits, np.inf)

    def apply(self, settings: ExternalSettings) -> None:
        """Use other thresholds from the next step on; another cutoff forgets the contact.

        Raises:
            ParameterError: a threshold is not positive.
        """
        if not (settings.collision_threshold or settings.push_threshold):
            self._detector = None
            self._forget()
            return
        thresholds = contact_thresholds(settings, len(self._joints))
        cutoff = settings.contact_cutoff
        if self._detector is None or self._detector.bands.cutoff != cutoff:
            self._detector = ContactDetector(thresholds, cutoff)
            self._forget()
        else:
            self._detector.use(thresholds)

    def reset(self) -> None:
        """Forget the contact, after a discontinuity."""
        if self._detector is not None:
            self._detector.reset()
        self._forget()

    def pause(self) -> None:
        """Forget the contact, and go on after some time without an estimate."""
        if self._detector is not None:
            self._detector.pause()
        self._forget()

    def use(self, model: RobotModel) -> None:
        """Look for the touched link in another model with the same joints."""
        self._model, self._links = model, ContactLinks(model)
        self._sliding = model.sliding[self._indices]
        self._units = units_of(model, self._joints)

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take an estimate.

        Args:
            r: (k,) external torques [N m or N].
            v: (k,) velocities [rad/s or m/s].
            time: of the state [s].
        """
        if self._detector is None:
            return
        before = self.state
        self.state = self._detector.step(r, v, time)
        self.collides = self.state.kind == COLLISION != before.kind
        if self.state is not before:
            self._locate()

    def touched_joints(self) -> list[str]:
        """Names of the commanded joints that feel the contact."""
        return [self._joints[index] for index in self.state.joints]

    @property
    def link(self) -> str:
        """The touched link; of several branches, that of the first touched joint; '' for none."""
        return self.links[0] if self.links else ''

    def direction(self, q: Array, r: Array) -> Array:
        """Of the smallest force on `link` that explains the torques.

        Found where it is asked for, once for each `state`: the Jacobian is evaluated, not
        compiled, because a contact is rare and a robot has many links. That takes longer than all
        else in a cycle.

        Args:
            q: (n,) positions of all independent joints at the last step [rad or m].
            r: (k,) external torques at the last step [N m or N].

        Returns:
            (3,) in the axes of the link, with norm 1; zero where the torques tell none. A contact
            that no joint feels any more keeps its direction.
        """
        if self.state.joints and self.state is not self._directed:
            self._directed = self.state
            frame = self._model.frame(self.link)
            columns = np.array(jacobian(self._model, q.tolist(), frame, 'LOCAL'), dtype=float)
            force = explaining_wrench(columns[:, self._indices], r, self._sliding)[:3]
            size = float(np.linalg.norm(force))
            self._direction = force / size if size > 0.0 else force
        return self._direction

    def sentence(self, r: Array) -> str:
        """For log and diagnostics: the kind, the links, and the torques of the touched joints.

        Args:
            r: (k,) external torques [N m or N].

        Returns:
            Empty without a contact.
        """
        if not self.state:
            return ''
        felt = 'hardly felt any more'
        if touched := list(self.state.joints):
            units = [self._units[index] for index in touched]
            torques = joint_torques(self.touched_joints(), r[touched].tolist(), units)
            felt = f'external torque of {torques}'
        return f'{self.state.kind} at {" and ".join(self.links)}: {felt}'

    def bounds(self) -> str:
        """The thresholds of the touched joints at the last step; empty where none is touched."""
        return '; '.join(
            f'thresholds of {self._joints[index]}: '
            f'{threshold_text(self.limits[:, index].tolist())} {self._units[index]}'
            for index in self.state.joints
        )

    def _forget(self) -> None:
        self.state = self._directed = FREE
        self.links, self.collides = (), False
        self._direction = np.zeros(3)

    def _locate(self) -> None:
        """Find the touched links."""
        if not self.state:
            self._forget()
        elif self.state.joints:
            # A contact that is hardly felt any more stays where it was.
            felt = np.zeros(self._model.size, dtype=bool)
            felt[self._indices[list(self.state.joints)]] = True
            self.links = self._links.touched(felt)


def threshold_text(limits: Sequence[float]) -> str:
    """The thresholds (2,) of a joint by their band; empty where there are none."""
    each = zip(BANDS, limits, strict=True)
    return ', '.join(f'{band} {limit:.3g}' for band, limit in each if math.isfinite(limit))


def contact_thresholds(settings: ExternalSettings, size: int) -> ContactThresholds:
    """The thresholds of the settings; a band without a constant detects nothing.

    Args:
        settings: with one value for each joint.
        size: number of joints.

    Raises:
        ParameterError: a constant is not positive.
    """
    bands = (
        (
            settings.collision_threshold,
            settings.collision_threshold_velocity,
            settings.collision_threshold_acceleration,
        ),
        (
            settings.push_threshold,
            settings.push_threshold_velocity,
            settings.push_threshold_acceleration,
        ),
    )
    collision, push = (
        BandThreshold.of(constant, velocity or 0.0, acceleration or 0.0)
        if constant
        else BandThreshold.of(np.full(size, NEVER))
        for constant, velocity, acceleration in bands
    )
    return ContactThresholds(collision, push)
