"""Short windows of a recording: where the residual is large, and by how much efforts are late.

To first order, an effort that comes d seconds late is tau(t) - d tau'(t): in a window, d is minus
the sum of residual times tau' divided by the sum of tau'^2. Of one clock, d is constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.core.checks import Array

LENGTH = 0.1  # [s]


@dataclass
class Windows:
    """Sums over windows of a recording, in the order of time.

    Attributes:
        times: (W,) middles [s].
        squares: (W, n) mean squares of the residual [(N m)^2 or N^2].
        products: (W, n) mean of residual times rate of the torque [(N m)^2/s].
        rates: (W, n) mean squares of the rate of the torque [(N m/s)^2].
        speeds: (W, n) smallest absolute velocity [rad/s or m/s].
    """

    times: list[Array] = field(default_factory=list)
    squares: list[Array] = field(default_factory=list)
    products: list[Array] = field(default_factory=list)
    rates: list[Array] = field(default_factory=list)
    speeds: list[Array] = field(default_factory=list)

    def add(self, times: Array, rate: float, torques: Array, residual: Array, v: Array) -> None:
        """Take consecutive samples.

        Args:
            times: (N,) [s].
            rate: of the samples [Hz].
            torques: (N, n) of the model [N m or N].
            residual: (N, n) measured effort minus torque of the model; NaN where not measured.
            v: (N, n) velocities [rad/s or m/s].
        """
        length = max(2, round(LENGTH * rate))
        count = len(times) // length
        if not count:
            return
        slopes = np.gradient(torques, 1.0 / rate, axis=0)
        known = np.nan_to_num(residual)

        def means(values: Array) -> Array:
            result: Array = values[: count * length].reshape(count, length, -1).mean(axis=1)
            return result

        self.times.append(means(times[:, None])[:, 0])
        self.squares.append(means(known**2))
        self.products.append(means(known * slopes))
        self.rates.append(means(slopes**2 * np.isfinite(residual)))
        speeds = np.abs(v[: count * length]).reshape(count, length, -1)
        self.speeds.append(speeds.min(axis=1))

    def joined_arrays(self, size: int) -> tuple[Array, Array, Array, Array, Array]:
        """Times (W,), and squares, products, rates and speeds (W, n)."""
        nothing = np.empty((0, size))
        columns = (self.squares, self.products, self.rates, self.speeds)
        times = np.concatenate([np.empty(0), *self.times])
        squares, products, rates, speeds = (np.concatenate([nothing, *one]) for one in columns)
        return times, squares, products, rates, speeds

    @classmethod
    def joined(cls, parts: Sequence[Windows]) -> Windows:
        """Those of the parts of a recording, in their order."""
        whole = cls()
        for part in parts:
            for name in ('times', 'squares', 'products', 'rates', 'speeds'):
                getattr(whole, name).extend(getattr(part, name))
        return whole
