"""Short windows of a recording: where the residual is large, and by how much efforts are late.

To first order, an effort that comes d seconds late is tau(t) - d tau'(t): in a window, d is minus
the sum of residual times tau' divided by the sum of tau'^2. Of one clock, d is constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..estimation.disturbances import LENGTH, smallest
from .judged_torques import Torques

NAMES = ('times', 'squares', 'products', 'rates', 'speeds')


@dataclass
class Windows:
    """Means over windows of a recording, in the order of time, in pieces.

    Attributes:
        times: (W,) middles [s].
        squares: (W, n) mean squares of the residual [(N m)^2 or N^2].
        products: (W, n) mean of residual times rate of the torque [(N m)^2/s].
        rates: (W, n) mean squares of the rate of the torque [(N m/s)^2].
        speeds: (W, n) smallest absolute velocity; 0 at a reversal [rad/s or m/s].
    """

    times: list[Array] = field(default_factory=list)
    squares: list[Array] = field(default_factory=list)
    products: list[Array] = field(default_factory=list)
    rates: list[Array] = field(default_factory=list)
    speeds: list[Array] = field(default_factory=list)

    def add(self, torques: Torques) -> None:
        """Take torques that follow those before in time."""
        if len(torques) < 2:
            return
        interval = float(torques.times[-1] - torques.times[0]) / (len(torques) - 1)
        length = max(2, round(LENGTH / interval))
        count = len(torques) // length
        if not count:
            return
        slopes = np.gradient(torques.identified, interval, axis=0)
        known = np.nan_to_num(torques.residual)

        def means(values: Array) -> Array:
            result: Array = values[: count * length].reshape(count, length, -1).mean(axis=1)
            return result

        self.times.append(means(torques.times[:, None])[:, 0])
        self.squares.append(means(known**2))
        self.products.append(means(known * slopes))
        self.rates.append(means(slopes**2 * np.isfinite(torques.measured)))
        v = torques.velocities[: count * length].reshape(count, length, -1)
        self.speeds.append(smallest(v))

    def arrays(self, size: int) -> tuple[Array, Array, Array, Array, Array]:
        """Times (W,), and squares, products, rates and speeds (W, n), in the order of time."""
        times = np.concatenate([np.empty(0), *self.times])
        order = np.argsort(times, kind='stable')
        nothing = np.empty((0, size))
        squares, products, rates, speeds = (
            np.concatenate([nothing, *one])[order]
            for one in (self.squares, self.products, self.rates, self.speeds)
        )
        return times[order], squares, products, rates, speeds

    @classmethod
    def joined(cls, parts: Sequence[Windows]) -> Windows:
        """Those of the parts of a recording."""
        whole = cls()
        for part in parts:
            for name in NAMES:
                getattr(whole, name).extend(getattr(part, name))
        return whole
