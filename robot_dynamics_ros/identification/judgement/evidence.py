"""What is kept of a recording to judge an identified model: small, whatever its length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from robot_dynamics_ros.comparison.evidence.plot_samples import PlotSamples
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Motion

from .whiteness import LagSums
from .windows import Windows

# Torques (N, n) of a model along a motion [N m or N].
Torques = Callable[[Motion], Array]
# Of one of many recordings.
SAMPLES_OF_ONE = 1024


@dataclass
class Evidence:
    """Sums, windows and samples of one recording.

    Attributes:
        file: name of the recording.
        counts: (n,) held-out samples with an effort.
        squares: (3, n) sums over these: squares of the measured effort, of the residual of the
            nominal model, and of that of the identified one.
        windows: of all of the recording.
        lags: of the held-out residual of the identified model; None without a sample.
        samples: held-out ones, for plots.
        held_out: their number.
        duration: of the held-out samples [s].
        rate: of the samples [Hz].
        cutoff: of the low pass [Hz].
    """

    file: str
    counts: Array
    squares: Array
    windows: Windows = field(default_factory=Windows)
    lags: LagSums | None = None
    samples: PlotSamples = field(default_factory=PlotSamples)
    held_out: int = 0
    duration: float = 0.0
    rate: float = float('nan')
    cutoff: float = float('nan')

    @classmethod
    def of_nothing(cls, file: str, size: int) -> Evidence:
        """That of a recording before its first sample.

        Args:
            file: name of the recording.
            size: number of joints.
        """
        return cls(file, np.zeros(size), np.zeros((3, size)))

    def add_fitted(self, motion: Motion, identified: Torques) -> None:
        """Take a motion that was fitted."""
        torques = identified(motion)
        self._windows(motion, torques)

    def add_held_out(self, motion: Motion, nominal: Torques, identified: Torques) -> None:
        """Take a motion that was not fitted, which follows those before in time."""
        before, after = nominal(motion), identified(motion)
        self._windows(motion, after)
        errors = np.stack([motion.efforts, motion.efforts - before, motion.efforts - after])
        self.counts += np.isfinite(motion.efforts).sum(axis=0)
        self.squares += np.nansum(errors**2, axis=1)
        if self.lags is None:
            self.lags = LagSums.of(motion.cutoff, motion.rate, len(motion.joints))
        self.lags.add(errors[2])
        # The torque of the identified model is the sum of the two.
        self.samples.add(motion, np.stack([before, after - before]), after_gap=motion.begins)
        self.held_out += len(motion)
        self.duration += len(motion) / motion.rate
        self.rate, self.cutoff = motion.rate, motion.cutoff

    def _windows(self, motion: Motion, torques: Array) -> None:
        residual = motion.efforts - torques
        self.windows.add(motion.times, motion.rate, torques, residual, motion.velocities)

    def as_one_of_many(self) -> Evidence:
        """The same with few samples."""
        return replace(self, samples=self.samples.reduced(SAMPLES_OF_ONE))

    @classmethod
    def joined(cls, parts: Sequence[Evidence]) -> Evidence:
        """That of a recording from that of its parts, in their order; one at least."""
        if len(parts) == 1:
            return parts[0]
        whole = cls.of_nothing(parts[0].file, len(parts[0].counts))
        for part in parts:
            whole.counts += part.counts
            whole.squares += part.squares
            whole.held_out += part.held_out
            whole.duration += part.duration
            if part.held_out:
                whole.rate, whole.cutoff = part.rate, part.cutoff
        whole.windows = Windows.joined([part.windows for part in parts])
        whole.samples = PlotSamples.joined([part.samples for part in parts])
        lags = [part.lags for part in parts if part.lags is not None]
        whole.lags = LagSums.joined(lags) if lags else None
        return whole
