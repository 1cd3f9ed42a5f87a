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

NAMES = ('times', 'squares', 'products', 'rates', 'speeds', 'fitted')


@dataclass
class Windows:
    """Means over windows of a recording, in the order of time, in pieces.

    Attributes:
        times: (W,) middles [s].
        squares: (W, n) mean squares of the residual [(N m)^2 or N^2].
        products: (W, n) mean of residual times rate of the torque [(N m)^2/s].
        rates: (W, n) mean squares of the rate of the torque [(N m/s)^2].
        speeds: (W, n) smallest absolute velocity; 0 at a reversal, NaN where the joint rests or
            its effort is not known [rad/s or m/s].
        fitted: (W,) whether they are of the fitted part.
    """

    times: list[Array] = field(default_factory=list)
    squares: list[Array] = field(default_factory=list)
    products: list[Array] = field(default_factory=list)
    rates: list[Array] = field(default_factory=list)
    speeds: list[Array] = field(default_factory=list)
    fitted: list[Array] = field(default_factory=list)

    def add(self, torques: Torques, *, fitted: bool) -> None:
        """Take torques that follow those before in time.

        Args:
            torques: at equal intervals.
            fitted: whether they are of the fitted part.
        """
        if len(torques) < 2:
            return
        interval = float(torques.times[-1] - torques.times[0]) / (len(torques) - 1)
        length = max(2, round(LENGTH / interval))
        count = len(torques) // length
        if not count:
            return
        slopes = np.gradient(torques.identified, interval, axis=0)
        known = np.isfinite(torques.residual)
        residual = np.where(known, torques.residual, 0.0)

        def means(values: Array) -> Array:
            result: Array = values[: count * length].reshape(count, length, -1).mean(axis=1)
            return result

        self.times.append(means(torques.times[:, None])[:, 0])
        self.squares.append(means(residual**2))
        self.products.append(means(residual * slopes))
        self.rates.append(means(slopes**2 * known))
        v = torques.velocities[: count * length].reshape(count, length, -1)
        judged = means(known.astype(float)) > 0.0
        self.speeds.append(np.where(judged, smallest(v), np.nan))
        self.fitted.append(np.full(count, fitted))

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

    def of_fitted(self) -> Windows:
        """Those of the fitted part alone."""
        kept = [piece for piece, flags in enumerate(self.fitted) if flags.all()]
        return Windows(*([getattr(self, name)[piece] for piece in kept] for name in NAMES))

    @classmethod
    def usual_residuals(cls, recordings: Sequence[Windows], size: int) -> Array:
        """The root of the median mean square of the fitted residual (n,) [N m or N].

        What touched the robot for less than half of the time does not change it.

        Args:
            recordings: of an identification.
            size: number of joints.
        """
        nothing = np.empty((0, size))
        squares = [piece for one in recordings for piece in one.squares]
        speeds = [piece for one in recordings for piece in one.speeds]
        fitted = [piece for one in recordings for piece in one.fitted]
        chosen = np.concatenate([np.empty(0, bool), *fitted])
        known = np.isfinite(np.concatenate([nothing, *speeds])[chosen])
        columns = np.concatenate([nothing, *squares])[chosen].T
        medians = [
            np.median(column[rows]) if rows.any() else 0.0
            for column, rows in zip(columns, known.T, strict=True)
        ]
        return np.sqrt(medians)

    @classmethod
    def joined(cls, parts: Sequence[Windows]) -> Windows:
        """Those of the parts of a recording."""
        whole = cls()
        for part in parts:
            for name in NAMES:
                getattr(whole, name).extend(getattr(part, name))
        return whole
