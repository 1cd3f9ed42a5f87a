"""What is kept of a recording to judge an identified model: small, whatever its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .drawn_samples import DrawnSamples
from .judged_torques import Torques
from .whiteness import LagSums
from .windows import Windows


@dataclass
class TorqueSums:
    """Sums over the samples of joints that move.

    Attributes:
        moving: (n,) samples of the joint, with an effort or without.
        counts: (n,) those with an effort.
        squares: (3, n) over these: squares of the measured effort, of the residual of the nominal
            model, and of that of the identified one.
        sums: (n,) of the measured effort over the same samples.
    """

    moving: Array
    counts: Array
    squares: Array
    sums: Array

    @classmethod
    def of_nothing(cls, size: int) -> TorqueSums:
        """Those of no sample of so many joints."""
        return cls(np.zeros(size), np.zeros(size), np.zeros((3, size)), np.zeros(size))

    def add(self, torques: Torques) -> None:
        """Take some torques."""
        judged = torques.judged
        errors = np.stack([judged, judged - torques.nominal, torques.residual])
        self.moving += (~torques.rests).sum(axis=0)
        self.counts += np.isfinite(judged).sum(axis=0)
        self.squares += np.nansum(errors**2, axis=1)
        self.sums += np.nansum(judged, axis=0)

    @classmethod
    def joined(cls, parts: Sequence[TorqueSums]) -> TorqueSums:
        """Those of all samples of the parts, one at least."""
        names = ('moving', 'counts', 'squares', 'sums')
        return cls(*(np.sum([getattr(part, name) for part in parts], axis=0) for name in names))

    @property
    def rms(self) -> Array:
        """(3, n) of the measured effort and of both residuals; NaN without a sample."""
        with np.errstate(all='ignore'):
            result: Array = np.sqrt(self.squares / self.counts)
        return result

    @property
    def deviations(self) -> Array:
        """(n,) standard deviation of the measured efforts; 0 without a sample."""
        counts = np.maximum(self.counts, 1.0)
        variances = self.squares[0] / counts - (self.sums / counts) ** 2
        result: Array = np.sqrt(np.maximum(variances, 0.0))
        return result


@dataclass
class Evidence:
    """Sums, windows and samples of one recording.

    Attributes:
        file: name of the recording.
        of_fitted: sums over the fitted part.
        of_held_out: sums over the held-out part.
        windows: of all of the recording.
        lags: of the held-out residual of the identified model; None without a sample.
        samples: held-out ones, for plots.
        held_out: their number.
        duration: of the held-out samples [s].
    """

    file: str
    of_fitted: TorqueSums
    of_held_out: TorqueSums
    windows: Windows = field(default_factory=Windows)
    lags: LagSums | None = None
    samples: DrawnSamples = field(default_factory=DrawnSamples)
    held_out: int = 0
    duration: float = 0.0

    @classmethod
    def of_nothing(cls, file: str, size: int) -> Evidence:
        """That of a recording before its first sample.

        Args:
            file: name of the recording.
            size: number of joints.
        """
        return cls(file, TorqueSums.of_nothing(size), TorqueSums.of_nothing(size))

    def of_fitted_part(self) -> Evidence:
        """The same with the windows of the fitted part alone."""
        return replace(self, windows=self.windows.of_fitted())

    def add_fitted(self, torques: Torques) -> None:
        """Take torques of the part that was fitted."""
        self.windows.add(torques, fitted=True)
        self.of_fitted.add(torques)

    def add_held_out(self, torques: Torques, cutoff: float) -> None:
        """Take torques of the part that was not fitted, which follow those before in time.

        Args:
            torques: at equal intervals.
            cutoff: of the low pass that they have passed [Hz].
        """
        self.windows.add(torques, fitted=False)
        self.samples.add(torques)
        self.of_held_out.add(torques)
        self.held_out += len(torques)
        if len(torques) < 2:
            return
        interval = float(torques.times[-1] - torques.times[0]) / (len(torques) - 1)
        self.duration += len(torques) * interval
        if self.lags is None:
            self.lags = LagSums.of(cutoff, 1.0 / interval, torques.residual.shape[1])
        self.lags.add(torques.residual)

    @classmethod
    def joined(cls, parts: Sequence[Evidence]) -> Evidence:
        """That of a recording from that of its parts, in their order; one at least."""
        if len(parts) == 1:
            return parts[0]
        lags = [part.lags for part in parts if part.lags is not None]
        return cls(
            parts[0].file,
            TorqueSums.joined([part.of_fitted for part in parts]),
            TorqueSums.joined([part.of_held_out for part in parts]),
            Windows.joined([part.windows for part in parts]),
            LagSums.joined(lags)[0] if lags else None,
            DrawnSamples.joined([part.samples for part in parts]),
            sum(part.held_out for part in parts),
            sum(part.duration for part in parts),
        )
