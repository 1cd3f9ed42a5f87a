"""The equations of the torques: one for each independent joint.

tau = Y(q, v, a) pi + terms of the joints.

Source: Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links"
(1986).
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import BODY, ParameterLayout
from .columns import Samples
from .load_columns import LoadColumns
from .term_columns import term_columns


class TorqueForm:
    """Columns of samples, and the equations of filtered columns.

    Attributes:
        equations: names of the equations (n,).
        has_slopes: whether derivatives of columns are wanted.
    """

    has_slopes = False

    def __init__(self, layout: ParameterLayout, dynamics: RobotDynamics) -> None:
        """Keep what the columns are made of.

        Args:
            layout: of the parameters.
            dynamics: of its model.
        """
        self.equations = layout.joints
        self._layout, self._dynamics = layout, dynamics
        self._loads = LoadColumns(layout.model, layout.loads)
        self._felt = np.flatnonzero(_felt(layout, self._loads.bodies))

    def carried(self, times: Array, recording: str) -> Array:
        """Whether each load is carried (N, L), as 0 or 1."""
        return self._loads.carried(times, recording)

    def columns(self, samples: Samples, efforts: Array, carried: Array) -> tuple[Array, Array]:
        """Columns (N, c) whose values the equations have, and none whose slopes they have.

        Args:
            samples: states (N, n).
            efforts: (N, n) measured, finite [N m, N or A].
            carried: (N, L) whether each load is carried.
        """
        q, v, a = samples.positions, samples.velocities, samples.accelerations
        inertial = self._dynamics.regressor(q, v, a)
        count = len(q)
        terms = term_columns(self._layout.terms, samples, efforts, self._layout.smoothings)
        measured = np.zeros(v.shape) if 'gain' in self._layout.terms else efforts
        if self._layout.loads:
            loads = self._loads.columns(inertial, carried)
            inertial = np.concatenate([inertial, loads], axis=2)
        felt = np.take(inertial.reshape(count, -1), self._felt, axis=1)
        return np.concatenate([felt, *terms, measured], axis=1), np.empty((count, 0))

    def rows(self, values: Array, slopes: Array) -> tuple[Array, Array]:
        """Rows (K, n, p) and right-hand sides (K, n) of filtered columns.

        Args:
            values: (K, c) as of `columns`, filtered.
            slopes: (K, 0).
        """
        layout, n, count = self._layout, len(self.equations), len(values)
        rows = np.zeros((count, n, layout.size))
        first, inertial = len(self._felt), BODY * len(layout.bodies)
        block = np.zeros((count, n * inertial))
        block[:, self._felt] = values[:, :first]
        rows[:, :, :inertial] = block.reshape(count, n, inertial)
        for term in layout.terms:
            rows[:, np.arange(n), layout.columns(term)] = values[:, first : first + n]
            first += n
        return rows, values[:, first : first + n]


def _felt(layout: ParameterLayout, of_loads: list[int]) -> Array:
    """Which joint feels which inertial parameter (n, 10 bodies and loads): what it carries.

    Args:
        layout: of the parameters.
        of_loads: the body that carries each load.
    """
    joints = layout.model.joints
    felt = np.zeros((len(layout.joints), len(layout.bodies)), bool)
    for body, carrier in enumerate([*range(len(joints)), *of_loads]):
        while carrier >= 0:
            felt[joints[carrier].coordinate.index, body] = True
            carrier = joints[carrier].parent
    return felt.repeat(BODY, axis=1)
