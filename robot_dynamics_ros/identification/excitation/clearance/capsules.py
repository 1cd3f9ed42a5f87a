"""Capsules that enclose points, and the points of two segments that are closest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Squared lengths below count as zero [m^2].
TINY = 1e-18


@dataclass(frozen=True)
class Capsule:
    """All points within a radius of a segment.

    Attributes:
        ends: (2, 3) of the segment [m].
        radius: [m].
    """

    ends: Array
    radius: float


def enclosing_capsule(points: Array) -> Capsule:
    """A capsule that encloses points (k, 3), along their principal axis.

    The radius is the largest distance from the axis; the segment is as short as it can be then.
    """
    center = (points.min(axis=0) + points.max(axis=0)) / 2.0
    _, directions = np.linalg.eigh(np.cov((points - center).T, bias=True))
    axis = directions[:, -1]
    along = (points - center) @ axis
    across = np.linalg.norm(points - center - np.outer(along, axis), axis=1)
    radius = float(across.max())
    caps = np.sqrt(np.maximum(radius**2 - across**2, 0.0))
    lower, upper = float((along + caps).min()), float((along - caps).max())
    if lower > upper:
        lower = upper = (lower + upper) / 2.0
    return Capsule(center + np.outer([lower, upper], axis), radius)


def closest_points(first: Array, second: Array) -> tuple[Array, Array]:
    """The points (..., 3) of two segments (..., 2, 3) that are closest to each other.

    Ericson, "Real-Time Collision Detection" (2005), section 5.1.9.
    """
    d1, d2 = first[..., 1, :] - first[..., 0, :], second[..., 1, :] - second[..., 0, :]
    between = first[..., 0, :] - second[..., 0, :]
    a, e, b = _dot(d1, d1), _dot(d2, d2), _dot(d1, d2)
    c, f = _dot(d1, between), _dot(d2, between)
    determinant = a * e - b * b
    with np.errstate(divide='ignore', invalid='ignore'):
        s = np.where(determinant > TINY, np.clip((b * f - c * e) / determinant, 0.0, 1.0), 0.0)
        t = np.where(e > TINY, (b * s + f) / e, 0.0)
        clipped = np.clip(t, 0.0, 1.0)
        # Where t left the second segment, or that is a point, s is computed anew.
        again = (t != clipped) | (e <= TINY)
        new = np.where(a > TINY, np.clip((b * clipped - c) / a, 0.0, 1.0), 0.0)
    s = np.where(again, new, s)
    return first[..., 0, :] + s[..., None] * d1, second[..., 0, :] + clipped[..., None] * d2


def _dot(a: Array, b: Array) -> Array:
    product: Array = np.einsum('...i,...i->...', a, b)
    return product
