"""Joint trajectories, interpolated in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Trajectory:
    """Points (m,) in time with positions (m, n) and, where known, their derivatives.

    Between two points the joints follow the polynomial that meets what the points carry: linear
    for positions, cubic with velocities, quintic with accelerations. Before the first and after
    the last point they rest there.
    """

    times: Vector
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64] | None = None
    accelerations: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be followed."""
        points = len(self.times)
        if points == 0 or (np.diff(self.times) <= 0).any():
            raise ValueError('a trajectory needs points whose times increase')
        if self.accelerations is not None and self.velocities is None:
            raise ValueError('a trajectory with accelerations needs velocities')
        for name in ('positions', 'velocities', 'accelerations'):
            array = getattr(self, name)
            if array is None:
                continue
            if array.shape != (points, self.positions.shape[1]):
                raise ValueError(f'{name} is {array.shape}, positions {self.positions.shape}')
            if not np.isfinite(array).all():
                raise ValueError(f'{name} holds a number that is not finite')

    @property
    def duration(self) -> float:
        """Time of the last point [s]."""
        return float(self.times[-1])

    def sample(self, time: float) -> tuple[Vector, Vector]:
        """Return position and velocity, (n,) each, at a time [s]."""
        times, rest = self.times, np.zeros(self.positions.shape[1])
        if time <= times[0]:
            return self.positions[0], rest
        if time >= times[-1]:
            return self.positions[-1], rest
        left = int(np.searchsorted(times, time, side='right')) - 1
        span = float(times[left + 1] - times[left])
        coefficients = self._coefficients(left, span)
        s = time - float(times[left])
        position = velocity = rest
        for c in coefficients[::-1]:  # Horner, for the value and its derivative together
            velocity = velocity * s + position
            position = position * s + c
        return position, velocity

    def _coefficients(self, left: int, h: float) -> list[Vector]:
        """Polynomial of one segment, constant term first, in s = t - times[left]."""
        q0, q1 = self.positions[left], self.positions[left + 1]
        d = q1 - q0
        if self.velocities is None:
            return [q0, d / h]
        v0, v1 = self.velocities[left], self.velocities[left + 1]
        if self.accelerations is None:
            return [q0, v0, 3 * d / h**2 - (2 * v0 + v1) / h, -2 * d / h**3 + (v0 + v1) / h**2]
        a0, a1 = self.accelerations[left], self.accelerations[left + 1]
        return [
            q0,
            v0,
            a0 / 2,
            (20 * d - (8 * v1 + 12 * v0) * h - (3 * a0 - a1) * h**2) / (2 * h**3),
            (-30 * d + (14 * v1 + 16 * v0) * h + (3 * a0 - 2 * a1) * h**2) / (2 * h**4),
            (12 * d - 6 * (v1 + v0) * h + (a1 - a0) * h**2) / (2 * h**5),
        ]
