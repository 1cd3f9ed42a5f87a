"""The task space of a frame, joint velocities for a twist, held joints, and what can be lifted.

Twists and wrenches are [linear; angular]. Everything here has an answer at singularities too.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .checks import Array
from .definiteness import ScaledEigenvalues, mass_matrix_scale, twist_scale
from .errors import SingularMassMatrixError, StateError

# Entries of a twist or a wrench, for messages.
SPATIAL_ENTRIES = ('x', 'y', 'z', 'about x', 'about y', 'about z')
ALL_ROWS = (0, 1, 2, 3, 4, 5)

# Entries of J are sums over the joints of a chain, each rounded to 1e-16 of the largest distance:
# what is smaller than this share of it is rounding, not motion.
ROUNDING = 1e-13
# Eigenvalues of M^-1 and of J M^-1 J^T below these shares of the largest, all without units, are
# raised to them: in a direction that the joints cannot give, the inertia is very large instead of
# infinite.
NEARLY_MASSLESS = 1e-12
NEARLY_IMMOBILE = 1e-8
# Below this share of the largest singular value of J a direction counts as nearly lost. Exactly
# there the joints move a hundred times as fast, for the same twist, as in the best direction.
NEARLY_LOST = 1e-2
# Shares of a direction that `in_words` leaves out.
NEGLIGIBLE = 0.05


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


@dataclass(frozen=True)
class VelocitySolution:
    """The joint velocities that were found for a twist.

    Attributes:
        velocity: v (n,) [rad/s or m/s], always finite.
        error: J v - twist (m,): by how much the twist of the frame differs from the one asked
            for. With fewer joints than rows it is seldom zero.
        conditioning: smallest of the min(m, n) singular values of J as a share of the largest,
            with all entries as lengths; 0 where a direction is lost.
        singular: whether directions were damped, as `conditioning` is below `NEARLY_LOST`.
    """

    velocity: Array
    error: Array
    conditioning: float
    singular: bool


def task_inertia(J: Array, M: Array, rows: Sequence[int]) -> TaskInertia:
    """Lambda = (J M^-1 J^T)^-1.

    Args:
        J: (m, n) these rows of a Jacobian, see `without_rounding`.
        M: (n, n) mass matrix, see `without_rounding_noise`.
        rows: entries of the twist, m of them.
    """
    return _inertia(J, M, rows)[0]


def task_space(J: Array, drift: Array, M: Array, terms: Array, rows: tuple[int, ...]) -> TaskSpace:
    """The dynamics of the joints, projected to the rows of a twist.

    Khatib, "A unified approach for motion and force control of robot manipulators" (1987).

    Args:
        J: (m, n) these rows of a Jacobian, see `without_rounding`.
        drift: J_dot v (m,).
        M: (n, n) mass matrix, see `without_rounding_noise`.
        terms: rows g and C v, (2, n) [N m or N].
        rows: entries of the twist, m of them.
    """
    task, motion = _inertia(J, M, rows)
    inverse = motion.T @ task.inertia
    gravity, velocity = terms @ inverse
    coriolis = velocity - task.inertia @ drift
    return TaskSpace(task.inertia, coriolis, gravity, inverse, task.singular)


def _inertia(J: Array, M: Array, rows: Sequence[int]) -> tuple[TaskInertia, Array]:
    """Lambda, damped where it does not exist, and J M^-1 (m, n), with M^-1 damped."""
    joints = ScaledEigenvalues.of(M, mass_matrix_scale(M))
    motion = J @ joints.inverse(NEARLY_MASSLESS)
    mobility = motion @ J.T
    task = ScaledEigenvalues.of(mobility, twist_scale(mobility, rows))
    # w with w J = 0 is S^-1 u: not orthogonal any more where rows have different scales.
    lost = task.vectors[:, task.below(NEARLY_IMMOBILE)] / task.scale[:, None]
    immobile = np.linalg.qr(lost)[0].T if lost.size else lost.T
    massless = bool(joints.below(NEARLY_MASSLESS).any())
    return TaskInertia(task.inverse(NEARLY_IMMOBILE), tuple(rows), immobile, massless), motion


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
    with np.errstate(over='ignore', invalid='ignore'):
        acceleration = eigenvalues.inverse(NEARLY_MASSLESS) @ torque
    if not np.isfinite(acceleration).all():
        raise StateError('forward_dynamics has no finite value at this state and torque')
    return acceleration


def resolve_twist(
    jacobian: Array, sliding: npt.NDArray[np.bool_], twist: Array, rows: Sequence[int]
) -> VelocitySolution:
    """The smallest v with J v nearest to the twist, both in the least-squares sense.

    Whitney, "Resolved motion rate control of manipulators and human prostheses" (1969), with all
    entries of J as lengths, see `length_units`, and damped, see `damped_reciprocals`.

    Args:
        jacobian: (6, n) of the frame, see `without_rounding`.
        sliding: (n,) whether a joint slides.
        twist: (m,) in the axes of the Jacobian.
        rows: entries of the twist that the task is about, m of them.
    """
    units, joints = length_units(jacobian, sliding)
    task, scale = jacobian[list(rows)], units[list(rows)]
    left, values, right = np.linalg.svd(scale[:, None] * task * joints, full_matrices=False)
    largest = float(values[0])
    if largest == 0.0:
        return VelocitySolution(np.zeros(len(joints)), -twist, 0.0, True)
    answers = damped_reciprocals(values, NEARLY_LOST) * (left.T @ (scale * twist))
    velocity: Array = joints * (right.T @ answers)
    conditioning = float(values[-1]) / largest
    singular = conditioning < NEARLY_LOST
    return VelocitySolution(velocity, task @ velocity - twist, conditioning, singular)


def length_units(jacobian: Array, sliding: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Factors of the rows (6,) and columns (k,) of J that make all of its entries lengths.

    Those of angular rows, and of the columns of joints that slide, are the root mean square
    distance of the frame from the axes that turn [m], 1 if there is none. So singular values
    compare, and depend on no unit and no choice of axes.

    Args:
        jacobian: (6, k) [linear; angular].
        sliding: (k,) whether a joint slides.
    """
    linear, angular = np.square(jacobian).reshape(2, 3, -1).sum(axis=1) @ ~sliding
    lever = math.sqrt(linear / angular) if angular and linear else 1.0
    return np.array([1.0, 1.0, 1.0, lever, lever, lever]), np.where(sliding, lever, 1.0)


def damped_reciprocals(values: Array, share: float) -> Array:
    """1 / sigma, fading to 0 where it is below a share of the largest, the first one.

    sigma / (sigma^2 + lambda^2) damps only directions that are nearly lost, the more the nearer
    they are to it (Maciejewski, Klein, "Numerical filtering for the operation of robotic
    manipulators through kinematically singular configurations", 1988).
    """
    squares = values * values
    return values / (squares + np.maximum(share**2 * squares[0] - squares, 0.0))


def without_rounding(jacobian: Array, reach: float) -> Array:
    """The Jacobian, with zeros for entries that are nothing but rounding.

    The z row of a planar arm on an oblique base is 1e-17 instead of 0. A threshold relative to
    that row alone would take it for a direction in which the arm can move.

    Args:
        jacobian: (..., 6, n) [linear; angular].
        reach: size of the robot [m], to compare the linear entries of a column with its angular
            ones; see `RobotModel.reach`.
    """
    if not reach:
        # Every axis passes through one point, and no distance has been rounded.
        return jacobian
    shares = jacobian / _units(reach)
    squares = shares * shares
    threshold = ROUNDING**2 * np.add.reduce(squares, axis=-2, keepdims=True)
    return jacobian * (squares > threshold)


@lru_cache
def _units(reach: float) -> Array:
    """(6, 1): those of the rows of a Jacobian."""
    return np.array([[reach], [reach], [reach], [1.0], [1.0], [1.0]])


def weight_torque(jacobian: Array, gravity: Array) -> Array:
    """The torque (..., n) that holds a mass of 1 kg at the origin of a frame [N m/kg or N/kg].

    A mass m at a point p has the potential energy -m gravity . p, and its derivative by q is
    -m J^T gravity.

    Args:
        jacobian: (..., 6, n) [linear; angular] of the frame, in the axes of the base.
        gravity: (3,) in the same axes [m/s^2].
    """
    products = jacobian[..., :3, :] * gravity[:, None]
    torque: Array = -products.sum(axis=-2)
    # A joint that does not lift the mass has a sum of 1e-17 instead of 0.
    return np.where(np.abs(torque) > ROUNDING * np.abs(products).sum(axis=-2), torque, 0.0)


def largest_mass(gravity_torque: Array, per_mass: Array, limits: Array) -> Array:
    """The largest m with |gravity_torque + m per_mass| <= limits for every joint, (...) [kg].

    Args:
        gravity_torque: (..., n) that holds the robot without the mass [N m or N].
        per_mass: (..., n) that holds 1 kg, see `weight_torque`.
        limits: (n,) effort limits [N m or N].

    Returns:
        Infinite if no joint with a limit lifts the mass. Negative if the joints hold the robot
        only when so much mass is taken off there; -infinite if no mass makes them hold it.
    """
    held, lever = np.abs(gravity_torque), np.abs(per_mass)
    allowed = limits + ROUNDING * held.max(axis=-1, keepdims=True)
    hopeless = ((lever == 0.0) & (held > allowed)).any(axis=-1)
    torque = gravity_torque * np.sign(per_mass)
    with np.errstate(divide='ignore', invalid='ignore'):
        largest = np.where(lever > 0.0, (limits - torque) / lever, np.inf).min(axis=-1)
        smallest = np.where(lever > 0.0, (-limits - torque) / lever, -np.inf).max(axis=-1)
    return np.where(hopeless | (smallest > largest), -np.inf, largest)


def checked_rows(rows: Sequence[int]) -> tuple[int, ...]:
    """Entries of a twist, if each is one of 0 to 5 and comes once.

    Raises:
        StateError: they are not.
    """
    try:
        chosen = tuple(operator.index(row) for row in rows)
    except TypeError:
        chosen = ()
    if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(ALL_ROWS):
        raise StateError(
            f'rows are {rows}: different ones of 0 to 5 are needed, 0 to 2 linear, 3 to 5 angular'
        )
    return chosen


def in_words(direction: Array, labels: Sequence[str]) -> str:
    """A direction as a sum of its entries, such as '0.8 x - 0.6 about z'.

    Args:
        direction: (m,) of a twist or a wrench, not zero.
        labels: of its entries, see `SPATIAL_ENTRIES`.
    """
    # Either sign is the same direction: the largest share is shown positive.
    shown = direction * np.sign(direction[np.argmax(np.abs(direction))])
    shares = [
        f'{share:.2g} {label}'
        for share, label in zip(shown, labels, strict=True)
        if abs(share) > NEGLIGIBLE
    ]
    return ' + '.join(shares).replace('+ -', '- ')
