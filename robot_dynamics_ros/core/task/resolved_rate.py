"""Joint velocities that give a frame a twist, with an answer at singularities too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..checks import Array
from .twist_rows import damped_reciprocals, length_units

# Below this share of the largest singular value of J a direction counts as nearly lost. Exactly
# there the joints move a hundred times as fast, for the same twist, as in the best direction.
NEARLY_LOST = 1e-2


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
    task, scale = jacobian[rows], units[rows]
    left, values, right = np.linalg.svd(scale[:, None] * task * joints, full_matrices=False)
    largest = float(values[0])
    if largest == 0.0:
        return VelocitySolution(np.zeros(len(joints)), -twist, 0.0, True)
    answers = damped_reciprocals(values, NEARLY_LOST) * (left.T @ (scale * twist))
    velocity: Array = joints * (right.T @ answers)
    conditioning = float(values[-1]) / largest
    singular = conditioning < NEARLY_LOST
    return VelocitySolution(velocity, task @ velocity - twist, conditioning, singular)
