"""The dynamics of a robot as its tool feels it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..errors import StateError

# Eigenvalues of M^-1 and of J M^-1 J^T below these shares of the largest are taken for as large:
# in a direction that the joints cannot give, the tool is very heavy instead of infinitely so.
NEARLY_MASSLESS = 1e-12
NEARLY_IMMOBILE = 1e-8
# Where even the largest vanishes: its inverse, and sums of such, are still finite.
LEAST = 1e-290

# Shares of a direction that are not worth a word.
NEGLIGIBLE = 0.05


@dataclass(frozen=True)
class TaskInertia:
    """Lambda, and where it had to be damped.

    Attributes:
        inertia: Lambda = (J M^-1 J^T)^-1, (m, m), finite.
        immobile: (i, m) unit directions of the task in which (nearly) no motion is possible.
        massless: whether some motion of the joints moves (nearly) no mass.
    """

    inertia: Array
    immobile: Array
    massless: bool

    @property
    def singular(self) -> bool:
        """Whether Lambda does not exist (nearly) and stands for a damped one."""
        return self.massless or bool(len(self.immobile))

    def remarks(self, labels: Sequence[str]) -> list[str]:
        """What is singular, in words.

        Args:
            labels: of the entries of the twist that the task is about, m of them.
        """
        found = []
        if len(self.immobile):
            directions = '; '.join(_in_words(direction, labels) for direction in self.immobile)
            found.append(
                'the joints can give (nearly) no motion in these directions, where the inertia '
                f'is very large instead of infinite: {directions}'
            )
        if self.massless:
            found.append('some motion of the joints moves (nearly) no mass')
        return found


@dataclass(frozen=True)
class TaskSpace:
    """F = Lambda x_ddot + coriolis + gravity, with x_dot = J v; every entry is finite.

    Attributes:
        inertia: Lambda = (J M^-1 J^T)^-1, (m, m).
        coriolis: Lambda (J M^-1 C v - J_dot v), (m,).
        gravity: J_bar^T g, (m,).
        inverse: J_bar = M^-1 J^T Lambda, (n, m): the dynamically consistent inverse of J; torques
            (1 - J^T J_bar^T) tau do not move the tool.
        singular: whether Lambda does not exist (nearly) and stands for a damped one.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    inverse: Array
    singular: bool


def project(
    J: Array, J_dot: Array, M: Array, velocity_torque: Array, gravity_torque: Array, v: Array
) -> TaskSpace:
    """Khatib, "A unified approach for motion and force control of robot manipulators" (1987).

    Args:
        J: (m, n) rows of a Jacobian.
        J_dot: (m, n) its time derivative.
        M: (n, n) mass matrix.
        velocity_torque: C v (n,).
        gravity_torque: g (n,).
        v: (n,).
    """
    mobility, _ = _inverse(M, NEARLY_MASSLESS)
    task = task_inertia(J, M)
    inverse = mobility @ J.T @ task.inertia
    return TaskSpace(
        inertia=task.inertia,
        coriolis=inverse.T @ velocity_torque - task.inertia @ (J_dot @ v),
        gravity=inverse.T @ gravity_torque,
        inverse=inverse,
        singular=task.singular,
    )


def task_inertia(J: Array, M: Array) -> TaskInertia:
    """Lambda = (J M^-1 J^T)^-1.

    Args:
        J: (m, n) rows of a Jacobian.
        M: (n, n) mass matrix.
    """
    mobility, massless = _inverse(M, NEARLY_MASSLESS)
    inertia, immobile = _inverse(J @ mobility @ J.T, NEARLY_IMMOBILE)
    return TaskInertia(inertia, immobile, bool(len(massless)))


def checked_rows(rows: Sequence[int]) -> list[int]:
    """Entries of a twist, if each is one of 0 to 5 and comes once.

    Raises:
        StateError: they are not.
    """
    try:
        chosen = [operator.index(row) for row in rows]
    except TypeError:
        chosen = []
    if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(range(6)):
        raise StateError(f'rows are {rows}, different ones of 0 to 5 are needed')
    return chosen


def _inverse(matrix: Array, least: float) -> tuple[Array, Array]:
    """Of a symmetric matrix, with eigenvalues raised to that share of the largest one.

    Also gives the unit eigenvectors of those that were raised, as rows.
    """
    values, vectors = np.linalg.eigh(matrix)
    floor = max(least * float(values[-1]), LEAST)
    inverse: Array = (vectors / np.maximum(values, floor)) @ vectors.T
    return 0.5 * (inverse + inverse.T), vectors.T[values < floor]


def _in_words(direction: Array, labels: Sequence[str]) -> str:
    # Either sign is the same direction: the largest share is shown positive.
    shown = direction * np.sign(direction[np.argmax(np.abs(direction))])
    shares = [
        f'{share:.2g} {label}'
        for share, label in zip(shown, labels, strict=True)
        if abs(share) > NEGLIGIBLE
    ]
    return ' + '.join(shares).replace('+ -', '- ')
