"""Triangles of boxes, cylinders and spheres, each about its own centre."""

from __future__ import annotations

import itertools

import numpy as np

from robot_dynamics_ros.core.checks import Array

STEPS = 16


def box(size: Array) -> Array:
    """Triangles (12, 3, 3) of a box with sides `size` (3,) [m]."""
    faces = []
    for axis, side in itertools.product(range(3), (-1.0, 1.0)):
        others = [other for other in range(3) if other != axis]
        corners = np.zeros((4, 3))
        corners[:, axis] = side
        corners[:, others] = [(-1, -1), (-1, 1), (1, 1), (1, -1)]
        faces += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    return np.array(faces) * np.asarray(size) / 2.0


def cylinder(radius: float, length: float) -> Array:
    """Triangles (4 STEPS, 3, 3) of a cylinder about z."""
    angles = np.linspace(0.0, 2.0 * np.pi, STEPS + 1)
    ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros_like(angles)], 1)
    half = np.array([0.0, 0.0, length / 2.0])
    low, high = ring - half, ring + half
    here, there = slice(None, -1), slice(1, None)
    axis = np.broadcast_to(half, (STEPS, 3))
    return np.concatenate(
        [
            np.stack([low[here], low[there], high[there]], 1),
            np.stack([low[here], high[there], high[here]], 1),
            np.stack([low[here], low[there], -axis], 1),
            np.stack([high[here], high[there], axis], 1),
        ]
    )


def sphere(radius: float) -> Array:
    """Triangles (STEPS^2, 3, 3) of a sphere."""
    polar = np.linspace(0.0, np.pi, STEPS // 2 + 1)[:, None]
    around = np.linspace(0.0, 2.0 * np.pi, STEPS + 1)[None, :]
    grid = radius * np.stack(
        [
            np.sin(polar) * np.cos(around),
            np.sin(polar) * np.sin(around),
            np.cos(polar) * np.ones_like(around),
        ],
        axis=-1,
    )
    low, high = slice(None, -1), slice(1, None)
    first = np.stack([grid[low, low], grid[high, low], grid[high, high]], 2)
    second = np.stack([grid[low, low], grid[high, high], grid[low, high]], 2)
    return np.concatenate([first, second]).reshape(-1, 3, 3)
