"""The dynamics of a robot in the task space: inertia and forces at a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import Array
from ..errors import SingularMassMatrixError, StateError
from ..scaled_eigenvalues import ScaledEigenvalues, mass_matrix_scale, twist_scale
from .twist_rows import SPATIAL_ENTRIES, in_words

# Eigenvalues of M^-1 and of J M^-1 J^T below these shares of the largest, all without units, are
# raised to them: in a direction that the joints cannot give, the inertia is very large instead of
# infinite.
NEARLY_MASSLESS = 1e-12
NEARLY_IMMOBILE = 1e-8


@dataclass(frozen=True)
class TaskInertia:
    """Lambda, and where it had to be damped.

    Whether a direction is immobile does not depend on the units of length and mass.

    Attributes:
        inertia: Lambda = (J M^-1 J^T)^-1, (m, m), finite.
        rows: entries of the twist that the task is about, m of them.
        immobile: (i, m) orthonormal directions of the task in which (nearly) no motion is
            possible.
        massless: whether some motion of the joints moves (nearly) no mass.
    """

    inertia: Array
    rows: tuple[int, ...]
    immobile: Array
    massless: bool

    @property
    def singular(self) -> bool:
        """Whether Lambda does not exist (nearly) and stands for a damped one."""
        return self.massless or bool(len(self.immobile))

    def remarks(self) -> list[str]:
        """What is singular, in words; empty where nothing is."""
        found = []
        if len(self.immobile):
            labels = [SPATIAL_ENTRIES[row] for row in self.rows]
            directions = '; '.join(in_words(direction, labels) for direction in self.immobile)
            found.append(
                'the joints can give (nearly) no motion in these directions, where the inertia '
                f'is very large instead of infinite: {directions}'
            )
        if self.massless:
            found.append(
                'some motion of the joints moves (nearly) no mass: give every moving link an '
                'inertial'
            )
        return found


@dataclass(frozen=True)
class TaskSpace:
    """F = Lambda x_ddot + coriolis + gravity, with x_dot = J v; every entry is finite.

    Attributes:
        inertia: Lambda = (J M^-1 J^T)^-1, (m, m).
        coriolis: Lambda (J M^-1 C v - J_dot v), (m,).
        gravity: J_bar^T g, (m,).
        inverse: J_bar = M^-1 J^T Lambda, (n, m): the dynamically consistent inverse of J; torques
            (1 - J^T J_bar^T) tau do not move the frame.
        singular: whether Lambda does not exist (nearly) and stands for a damped one.
    """

    inertia: Array
    coriolis: Array
    gravity: Array
    inverse: Array
    singular: bool


def task_space(
    J: Array,
    J_dot: Array,
    M: Array,
    velocity_torque: Array,
    gravity_torque: Array,
    v: Array,
    rows: Sequence[int],
) -> TaskSpace:
    """The dynamics of the joints, projected to the rows of a twist.

    Khatib, "A unified approach for motion and force control of robot manipulators" (1987).

    Args:
        J: (m, n) these rows of a Jacobian, see `without_rounding`.
        J_dot: (m, n) its time derivative.
        M: (n, n) mass matrix.
        velocity_torque: C v (n,) [N m or N].
        gravity_torque: g (n,) [N m or N].
        v: (n,) velocities [rad/s or m/s].
        rows: entries of the twist, m of them.
    """
    task, mobility = _task_inertia(J, M, rows)
    inverse = mobility @ J.T @ task.inertia
    return TaskSpace(
        inertia=task.inertia,
        coriolis=inverse.T @ velocity_torque - task.inertia @ (J_dot @ v),
        gravity=inverse.T @ gravity_torque,
        inverse=inverse,
        singular=task.singular,
    )


def task_inertia(J: Array, M: Array, rows: Sequence[int]) -> TaskInertia:
    """Lambda = (J M^-1 J^T)^-1.

    Args:
        J: (m, n) these rows of a Jacobian, see `without_rounding`.
        M: (n, n) mass matrix.
        rows: entries of the twist, m of them.
    """
    return _task_inertia(J, M, rows)[0]


def _task_inertia(J: Array, M: Array, rows: Sequence[int]) -> tuple[TaskInertia, Array]:
    """Lambda, and the M^-1 (n, n) that it was computed from."""
    joints = ScaledEigenvalues.of(M, mass_matrix_scale(M))
    mobility = joints.inverse(NEARLY_MASSLESS)
    spread = J @ mobility @ J.T
    task = ScaledEigenvalues.of(spread, twist_scale(spread, rows))
    # w with w J = 0 is S^-1 u: not orthogonal any more where rows have different scales.
    lost = task.vectors[:, task.below(NEARLY_IMMOBILE)] / task.scale[:, None]
    inertia = TaskInertia(
        inertia=task.inverse(NEARLY_IMMOBILE),
        rows=tuple(rows),
        immobile=np.linalg.qr(lost)[0].T,
        massless=bool(joints.below(NEARLY_MASSLESS).any()),
    )
    return inertia, mobility


def acceleration_of_moving_joints(M: Array, torque: Array, joints: Sequence[str]) -> Array:
    """a (k,) with M a = torque [rad/s^2 or m/s^2].

    Args:
        M: (k, k) rows and columns of the mass matrix of the joints that move.
        torque: (k,) what is left of their torques after gravity and velocity terms [N m or N].
        joints: names of the joints that move.

    Raises:
        StateError: the acceleration is not finite.
        SingularMassMatrixError: M is singular.
    """
    eigenvalues = ScaledEigenvalues.of(M, mass_matrix_scale(M))
    if eigenvalues.below(NEARLY_MASSLESS).any():
        raise SingularMassMatrixError(
            f'the mass matrix is singular here: some motion of {", ".join(joints)} moves no mass, '
            'so that no torque determines its acceleration; give every moving link an inertial, '
            'or hold more joints'
        )
    scale, values, vectors = eigenvalues.scale, eigenvalues.values, eigenvalues.vectors
    with np.errstate(over='ignore', invalid='ignore'):
        acceleration: Array = vectors @ ((torque / scale) @ vectors / values) / scale
    if not np.isfinite(acceleration).all():
        raise StateError('forward_dynamics has no finite value at this state and torque')
    return acceleration
