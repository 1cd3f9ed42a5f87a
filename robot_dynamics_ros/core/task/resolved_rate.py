"""Joint velocities that give a frame a twist, with an answer at singularities too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Array

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
            lengths in m and angles in rad; 0 where a direction is lost.
        singular: whether directions were damped, as `conditioning` is below `NEARLY_LOST`.
    """

    velocity: Array
    error: Array
    conditioning: float
    singular: bool


def resolve_twist(jacobian: Array, twist: Array) -> VelocitySolution:
    """The smallest v with J v nearest to the twist, both in the least-squares sense.

    Whitney, "Resolved motion rate control of manipulators and human prostheses" (1969). Only the
    directions that are nearly lost are damped, and the more the nearer they are to it
    (Maciejewski, Klein, "Numerical filtering for the operation of robotic manipulators through
    kinematically singular configurations", 1988): sigma / (sigma^2 + lambda^2) replaces 1 / sigma,
    which is the same at the threshold and fades to 0.

    Args:
        jacobian: (m, n) the rows of a Jacobian that the task is about, see `without_rounding`.
        twist: (m,) the same entries of the twist, in the axes of the Jacobian.
    """
    left, values, right = np.linalg.svd(jacobian, full_matrices=False)
    largest = float(values[0])
    if largest == 0.0:
        return VelocitySolution(np.zeros(jacobian.shape[1]), -twist, 0.0, True)
    threshold = NEARLY_LOST * largest
    damping = np.clip(threshold**2 - values**2, 0.0, None)
    velocity: Array = right.T @ (values / (values**2 + damping) * (left.T @ twist))
    conditioning = float(values[-1]) / largest
    singular = conditioning < NEARLY_LOST
    return VelocitySolution(velocity, jacobian @ velocity - twist, conditioning, singular)
