"""The equation of the power: one for the whole robot, without accelerations.

The power of the drives is what the energy grows by and what friction takes,

    v . tau = d/dt K(q, v) + v . g(q) + v . friction,

and K = 1/2 v . M(q) v is linear in the inertial parameters: M(q) v is the inverse dynamics of a
robot without gravity, at rest, with v in place of the acceleration. The derivative is taken by the
filter, of both sides at once.

Source: M. Gautier, "Dynamic identification of robots with power model", ICRA 1997.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout
from .columns import Samples
from .load_columns import LoadColumns
from .term_columns import term_columns


class PowerForm:
    """Columns of samples, and the equations of filtered columns.

    Attributes:
        equations: names of the equations (1,).
        has_slopes: whether derivatives of columns are wanted.
    """

    equations = ('power',)
    has_slopes = True

    def __init__(self, layout: ParameterLayout, dynamics: RobotDynamics) -> None:
        """Keep what the columns are made of; for the arguments see `TorqueForm`."""
        self._layout = layout
        self._dynamics, self._weightless = dynamics, dynamics.with_gravity(np.zeros(3))
        self._loads = LoadColumns(layout.model, layout.loads)

    def carried(self, times: Array, recording: str) -> Array:
        """Whether each load is carried (N, L), as 0 or 1."""
        return self._loads.carried(times, recording)

    def columns(self, samples: Samples, efforts: Array, carried: Array) -> tuple[Array, Array]:
        """Columns (N, p + 1) of powers, the last of the drives; and (N, p) of energies.

        Args:
            samples: states (N, n); accelerations are not used.
            efforts: (N, n) measured, finite [N m, N or A].
            carried: (N, L) whether each load is carried.
        """
        q, v = samples.positions, samples.velocities
        zero = np.zeros(v.shape)
        kinetic = 0.5 * self._along(v, self._weightless.regressor(q, zero, v), carried)
        gravity = self._along(v, self._dynamics.regressor(q, zero, zero), carried)
        terms = v * term_columns(self._layout.terms, samples, efforts, self._layout.smoothings)
        energies = np.zeros(terms.shape)
        if 'armature' in self._layout.terms:
            rotor = self._layout.terms.index('armature')
            terms[rotor], energies[rotor] = 0.0, 0.5 * v**2
        measured = np.zeros(v.shape) if 'gain' in self._layout.terms else efforts
        power = (v * measured).sum(axis=1, keepdims=True)
        values = np.concatenate([gravity, *terms, power], axis=1)
        return values, np.concatenate([kinetic, *energies], axis=1)

    def rows(self, values: Array, slopes: Array) -> tuple[Array, Array]:
        """Rows (K, 1, p) and right-hand sides (K, 1) of filtered columns.

        Args:
            values: (K, p + 1) as of `columns`, filtered.
            slopes: (K, p) as of `columns`, filtered and derived.
        """
        return (values[:, :-1] + slopes)[:, None], values[:, -1:]

    def _along(self, v: Array, inertial: Array, carried: Array) -> Array:
        """v . Y (N, 10 bodies and loads)."""
        both = [inertial]
        if self._layout.loads:
            both.append(self._loads.columns(inertial, carried))
        return np.concatenate([np.einsum('ij,ijk->ik', v, part) for part in both], axis=1)
