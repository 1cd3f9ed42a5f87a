"""What is kept of a recording to judge an identified model: small, whatever its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .drawn_samples import DrawnSamples
from .judged_torques import Torques
from .whiteness import LagSums
from .windows import Windows


@dataclass
class Evidence:
    """Sums, windows and samples of one recording.

    Attributes:
        file: name of the recording.
        counts: (n,) held-out samples with an effort.
        squares: (3, n) sums over these: squares of the measured effort, of the residual of the
            nominal model, and of that of the identified one.
        sums: (n,) of the measured effort over the same samples.
        windows: of all of the recording.
        lags: of the held-out residual of the identified model; None without a sample.
        samples: held-out ones, for plots.
        held_out: their number.
        duration: of the held-out samples [s].
    """

    file: str
    counts: Array
    squares: Array
    sums: Array
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
        return cls(file, np.zeros(size), np.zeros((3, size)), np.zeros(size))

    def add_fitted(self, torques: Torques) -> None:
        """Take torques of the part that was fitted."""
        self.windows.add(torques)

    def add_held_out(self, torques: Torques, cutoff: float) -> None:
        """Take torques of the part that was not fitted, which follow those before in time.

        Args:
            torques: at equal intervals.
            cutoff: of the low pass that they have passed [Hz].
        """
        self.windows.add(torques)
        self.samples.add(torques)
        measured = torques.measured
        errors = np.stack([measured, measured - torques.nominal, torques.residual])
        self.counts += np.isfinite(measured).sum(axis=0)
        self.squares += np.nansum(errors**2, axis=1)
        self.sums += np.nansum(measured, axis=0)
        self.held_out += len(torques)
        if len(torques) < 2:
            return
        interval = float(torques.times[-1] - torques.times[0]) / (len(torques) - 1)
        self.duration += len(torques) * interval
        if self.lags is None:
            self.lags = LagSums.of(cutoff, 1.0 / interval, measured.shape[1])
        self.lags.add(errors[2])

    @classmethod
    def joined(cls, parts: Sequence[Evidence]) -> Evidence:
        """That of a recording from that of its parts, in their order; one at least."""
        if len(parts) == 1:
            return parts[0]
        whole = cls.of_nothing(parts[0].file, len(parts[0].counts))
        for part in parts:
            whole.counts += part.counts
            whole.squares += part.squares
            whole.sums += part.sums
            whole.held_out += part.held_out
            whole.duration += part.duration
        whole.windows = Windows.joined([part.windows for part in parts])
        whole.samples = DrawnSamples.joined([part.samples for part in parts])
        lags = [part.lags for part in parts if part.lags is not None]
        whole.lags = LagSums.joined(lags) if lags else None
        return whole
