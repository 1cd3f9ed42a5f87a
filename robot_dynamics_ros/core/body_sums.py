"""The part of `RobotDynamics` that sums over all bodies: energies, momentum, centre of mass."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from .checks import Array
from .compiled_quantities import CompiledQuantities
from .task.samples import number_or_rows


class BodySums:
    """Energies, momentum and centre of mass of the moving bodies.

    Links that are fixed to the base are left out.
    """

    _call: CompiledQuantities
    _gravity: Array

    def kinetic_energy(self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None) -> Any:
        """T = v^T M v / 2 [J], a float; for a batch an array (N,).

        With `out`, of the shape () or (N,), that array.
        """
        energy = self._call['kinetic_energy'](q, v, out)
        return number_or_rows(energy) if out is None else out

    def potential_energy(self, q: npt.ArrayLike, out: Array | None = None) -> Any:
        """U with dU/dq = g [J] of the moving bodies, zero for mass at the base origin.

        A float; for a batch an array (N,). With `out`, of the shape () or (N,), that array.
        """
        energy = self._call['potential_energy'](q, self._gravity, out)
        return number_or_rows(energy) if out is None else out

    def momentum(self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None) -> Array:
        """[linear; angular about the base origin] of all bodies, in base axes, shape (6,)."""
        return self._call['momentum'](q, v, out)

    def center_of_mass(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """c, shape (3,) [m]: the centre of mass of the moving bodies, in the base.

        Raises:
            InertiaError: no moving body has a mass.
        """
        return self._call['center_of_mass'](q, out)

    def center_of_mass_jacobian(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """J(q), shape (3, n): the velocity of the centre of mass is J v, in base axes.

        Raises:
            InertiaError: no moving body has a mass.
        """
        return self._call['center_of_mass_jacobian'](q, out)
