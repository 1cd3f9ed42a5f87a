"""What the size of the external torques tells of a recording."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.control.torque_text import joint_torques
from robot_dynamics_ros.core.checks import Array

from .joint_residuals import JointResiduals
from .threshold_floor import UNKNOWN_LIMIT

# Share of the effort limit that the root of the mean square is large from [-]: identified arms
# without a contact have at most 0.035 (docs/external_forces.md).
LARGE = 0.05
# A residual of more than this many times the largest measured effort is not one of a contact [-]:
# what pushes on an arm is carried by its drives.
UNEXPLAINED = 3.0
OWN = (
    'either the model is wrong, efforts are those of other joints, or something touches the robot '
    'most of the time, which only thresholds of a recording without contact can tell'
)
GIVEN = 'the model is wrong, efforts are those of other joints, or something touches the robot'


class ResidualDoubts:
    """Judges the residuals of a recording joint by joint."""

    def __init__(
        self, joints: Sequence[str], units: Sequence[str], residuals: JointResiduals, limits: Array
    ) -> None:
        """Take what is known of a recording.

        Args:
            joints: names, k of them.
            units: (k) of their torques or forces.
            residuals: of the recording.
            limits: (k,) effort limits of the joints [N m or N]; infinite for none.
        """
        self._joints, self._units, self._rms = joints, units, residuals.rms
        known = np.where(np.isfinite(limits), limits, UNKNOWN_LIMIT)
        self._large = self._rms > LARGE * known

    def large(self, *, own: bool, left_out: bool = False) -> str:
        """That external torques are large throughout, as a sentence; empty if they are not.

        Args:
            own: whether there are no thresholds but those of the recording itself.
            left_out: whether the residuals are those without contacts.
        """
        if not self._large.any():
            return ''
        return (
            f'the external torque is large throughout{", contacts left out" if left_out else ""}: '
            f'RMS of {self._torques(self._large)}; {OWN if own else GIVEN}'
        )

    def unexplained(self, efforts: Array) -> str:
        """Why positions, efforts or model cannot be right, as a phrase; empty if they can.

        Args:
            efforts: (k,) largest absolute measured effort of each joint [N m or N].
        """
        beyond = self._large & (self._rms > UNEXPLAINED * efforts)
        if not beyond.any():
            return ''
        return (
            f'the external torque is more than {UNEXPLAINED:g} times the largest measured effort '
            f'(RMS of {self._torques(beyond)}): are positions in rad and m, not in degrees or '
            'millimetres, efforts in N m and N, and is it the description of this robot?'
        )

    def _torques(self, which: Array) -> str:
        rows = np.flatnonzero(which).tolist()
        names, units = [self._joints[row] for row in rows], [self._units[row] for row in rows]
        return joint_torques(names, self._rms[rows].tolist(), units)
