"""Equations that are linear in the parameters, in blocks that fit into memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.spatial import Vector

from ..parameters.parameter_layout import ParameterLayout

Flags = npt.NDArray[np.bool_]

# Why an equation does not count: an effort was not measured, its joint was slow, an effort was
# saturated, or a load was gripped or put down. The first one that holds is said.
REASONS = ('missing', 'slow', 'saturated', 'load_changes')


@dataclass(frozen=True)
class EquationBlock:
    """rows @ parameters = torques, for m times and r equations at each.

    In torque form there is one equation per independent joint, r = n. In power form there is one
    for the whole robot, r = 1: its right-hand side is the power of the drives [W].

    Attributes:
        layout: of the columns.
        equations: names of the equations (r,): those of the joints, or 'power'.
        rows: (m, r, p), zero in the columns of known parameters.
        torques: (m, r) measured, without what known parameters contribute [N m, N or W].
        times: (m,) since the start of the recording [s].
        used: (m, r) whether an equation counts: false in the dead band, at saturated efforts and
            where no effort was measured.
        independence: share of the equations that white noise of the samples leaves independent.
        recording: name of the recording.
        left_out: (m, r, reasons) whether an equation was left out for each of
            `REASONS`; None: not known.
        gravity: (3,) of the equations, in the base frame [m/s^2].
        interval: between two equations of a motion without a gap [s]; NaN: not known.
    """

    layout: ParameterLayout
    equations: tuple[str, ...]
    rows: Array
    torques: Array
    times: Array
    used: Flags
    independence: float = 1.0
    recording: str = ''
    left_out: Flags | None = None
    gravity: Vector = STANDARD_GRAVITY
    interval: float = float('nan')

    def __len__(self) -> int:
        return len(self.times)

    @property
    def velocities(self) -> Array:
        """(m, n) of the joints, filtered, from the columns of viscous friction [rad/s or m/s].

        In torque form, with the term 'viscous'.
        """
        joints = np.arange(len(self.layout.joints))
        velocities: Array = self.rows[:, joints, self.layout.columns('viscous')]
        if 'viscous_negative' in self.layout.terms:
            velocities = velocities + self.rows[:, joints, self.layout.columns('viscous_negative')]
        return velocities

    def within(self, begin: float, end: float) -> EquationBlock:
        """Those of its equations from one time to before another one [s]."""
        chosen = (self.times >= begin) & (self.times < end)
        if chosen.all():
            return self
        left_out = None if self.left_out is None else self.left_out[chosen]
        names = ('rows', 'torques', 'times', 'used')
        arrays = {name: getattr(self, name)[chosen] for name in names}
        return replace(self, **arrays, left_out=left_out)
