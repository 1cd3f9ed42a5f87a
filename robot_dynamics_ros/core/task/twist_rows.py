"""The rows of a Jacobian that a task is about, free of rounding."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..checks import Array
from ..errors import StateError

# Entries of a twist or a wrench, for messages.
SPATIAL_ENTRIES = ('x', 'y', 'z', 'about x', 'about y', 'about z')
ALL_ROWS = (0, 1, 2, 3, 4, 5)

# Entries of J are sums over the joints of a chain, each rounded to 1e-16 of the largest distance:
# what is smaller than this share of it is rounding, not motion.
ROUNDING = 1e-13

# Shares of a direction that `in_words` leaves out.
NEGLIGIBLE = 0.05


def checked_rows(rows: Sequence[int]) -> list[int]:
    """Entries of a twist, if each is one of 0 to 5 and comes once.

    Raises:
        StateError: they are not.
    """
    try:
        chosen = [operator.index(row) for row in rows]
    except TypeError:
        chosen = []
    if not chosen or len(set(chosen)) != len(chosen) or not set(chosen) <= set(ALL_ROWS):
        raise StateError(
            f'rows are {rows}: different ones of 0 to 5 are needed, 0 to 2 linear, 3 to 5 angular'
        )
    return chosen


def without_rounding(jacobian: Array, reach: float) -> Array:
    """The Jacobian, with zeros for entries that are nothing but rounding.

    The z row of a planar arm on an oblique base is 1e-17 instead of 0. A threshold relative to
    that row alone would take it for a direction in which the arm can move.

    Args:
        jacobian: (6, n) [linear; angular].
        reach: size of the robot [m], to compare the linear entries of a column with its angular
            ones; see `RobotModel.reach`.
    """
    if not reach:
        # Every axis passes through one point, and no distance has been rounded.
        return jacobian
    unit = np.repeat([reach, 1.0], 3)[:, None]
    shares = jacobian / unit
    threshold = ROUNDING * np.linalg.norm(shares, axis=0)
    return np.where(np.abs(shares) > threshold, jacobian, 0.0)


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
    result: Array = values / (squares + np.maximum(share**2 * squares[0] - squares, 0.0))
    return result


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
