"""The torques of the drives from one of two sources, and what is known of each source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel

from .drive_torques import DriveTorques
from .effort_check import EffortCheck
from .external_settings import Source
from .given_state import GivenState

NAMES: dict[Source, str] = {'measured': 'measured efforts', 'commanded': 'commands'}


class EffortSources:
    """Measured efforts or commands, as parameter `external_from` says.

    Whether the torques of a source fit gravity is kept while the other one is used: they are the
    same torques afterwards.
    """

    def __init__(
        self,
        model: RobotModel,
        joints: Sequence[str],
        indices: npt.NDArray[np.intp],
        source: Source,
    ) -> None:
        """Without a state; nothing is known of any source.

        Args:
            model: of the robot.
            joints: names of the commanded joints, k of them.
            indices: (k,) of these among the independent joints.
            source: that is used.
        """
        bounds = model.effort_bounds[indices]
        self._drives = DriveTorques(model, joints, indices)
        self._checks = {each: EffortCheck(bounds) for each in get_args(Source)}
        self.use(source)

    @property
    def torque(self) -> Array:
        """(n,) of all independent joints by the last state, see `DriveTorques`."""
        return self._drives.torque

    @property
    def states(self) -> npt.NDArray[np.int64]:
        """(k,) states that have held each joint, see `DriveTorques`."""
        return self._drives.states

    @property
    def missing(self) -> npt.NDArray[np.int64]:
        """(2, k) states without measured velocities, and efforts, see `DriveTorques`."""
        return self._drives.missing

    @property
    def fits(self) -> bool:
        """Whether the torques of the source have been found to fit."""
        return self._check.fits

    @property
    def known(self) -> bool:
        """Whether there has been the time to find that out."""
        return self._check.known

    @property
    def reason(self) -> str:
        """Why the torques of the source cannot be used, as a phrase; empty if they can."""
        return f'{NAMES[self._source]} {self._check.reason}' if self._check.reason else ''

    def use(self, source: Source) -> None:
        """Take the torques from a source from now on."""
        self._source, self._check = source, self._checks[source]
        self._drives.reset()
        self.reset()

    def distrust(self, source: Source) -> None:
        """Compare the torques of a source with gravity anew: they come from another device."""
        self._checks[source].distrust()

    def reset(self) -> None:
        """Drop the comparison that goes on, after a discontinuity; what was found stays."""
        self._check.reset()

    def take(self, given: GivenState) -> str:
        """Keep the torques of a state; why they are not known, empty if they are."""
        if self._source == 'measured':
            return self._drives.measured(given.q, given.v, given.effort)
        return self._drives.commanded(given.q, given.v, given.command)

    def compare(self, residual: Array, gravity: Array, elapsed: float) -> None:
        """Compare with gravity; arguments as of `EffortCheck.step`."""
        self._check.step(residual, gravity, elapsed)
