"""The uniform ellipsoid that has the mass, the centre of mass and the inertia of a link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.spatial import Inertia


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid in the frame of its link.

    Attributes:
        center: (3,) [m].
        semi_axes: (3,) lengths [m]; 0 where the inertia allows none.
        directions: (3, 3) a column for each axis.
    """

    center: Array
    semi_axes: Array
    directions: Array

    @classmethod
    def of(cls, inertia: Inertia) -> Ellipsoid:
        """The ellipsoid of a body with a mass.

        A uniform ellipsoid with the semi-axes a has the second moments m a^2 / 5.
        """
        rotational = np.array(inertia.rotational_at_center_of_mass)
        second = 0.5 * rotational.trace() * np.eye(3) - rotational
        moments, directions = np.linalg.eigh(second)
        semi_axes = np.sqrt(np.maximum(5.0 * moments / inertia.mass, 0.0))
        return cls(np.array(inertia.center_of_mass), semi_axes, directions)

    def surface(self, steps: int = 16) -> Array:
        """Points on a grid of the surface, shape (steps + 1, 2 steps + 1, 3) [m]."""
        polar = np.linspace(0.0, np.pi, steps + 1)[:, None]
        around = np.linspace(0.0, 2.0 * np.pi, 2 * steps + 1)[None, :]
        sphere = np.stack(
            [
                np.sin(polar) * np.cos(around),
                np.sin(polar) * np.sin(around),
                np.cos(polar) * np.ones_like(around),
            ],
            axis=-1,
        )
        surface: Array = self.center + (sphere * self.semi_axes) @ self.directions.T
        return surface

    def sections(self, steps: int = 48) -> Array:
        """Points of the three sections through two axes each, shape (3, steps + 1, 3) [m]."""
        angles = np.linspace(0.0, 2.0 * np.pi, steps + 1)
        circle = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], 1)
        circles = np.stack([np.roll(circle, shift, axis=1) for shift in range(3)])
        sections: Array = self.center + (circles * self.semi_axes) @ self.directions.T
        return sections
