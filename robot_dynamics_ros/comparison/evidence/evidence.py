"""What is kept of a recording: small, and to be added to that of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..comparison import RecordingSummary
from .excerpts import Excerpts, merged
from .model_torques import ModelTorques
from .moments import Moments
from .plot_samples import PlotSamples

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings.motion import Motion
    from robot_dynamics_ros.recordings.quality import Quality

# Of one of many recordings.
WINDOWS_OF_ONE, SAMPLES_OF_ONE = 2, 1024


@dataclass
class Evidence:
    """Sums, windows and samples of one recording.

    Attributes:
        file: path of the recording.
        topic: of the joint states.
        joints: names, in the order of the columns.
        moments: of all samples.
        excerpts: windows of consecutive samples.
        samples: for plots.
        span: (2, n) smallest and largest position of each joint [rad or m].
        range: (2, n) smallest and largest effort of each joint [N m or N].
        count: number of samples.
        duration: of the samples, without gaps [s].
        rate: of the samples [Hz]; NaN before the first.
        cutoff: of the low-pass filter [Hz]; the same.
        quality: counts of the reader; None where there was none.
        error: why the recording could not be used; empty if it could.
        robot: fingerprint of the model; evidence of another model must not be added to it.
    """

    file: str
    topic: str
    joints: tuple[str, ...]
    moments: Moments
    span: Array
    range: Array
    excerpts: Excerpts = field(default_factory=Excerpts)
    samples: PlotSamples = field(default_factory=PlotSamples)
    count: int = 0
    duration: float = 0.0
    rate: float = float('nan')
    cutoff: float = float('nan')
    quality: Quality | None = None
    error: str = ''
    robot: str = ''

    @classmethod
    def of_nothing(
        cls, file: str, topic: str = '', joints: tuple[str, ...] = (), error: str = ''
    ) -> Evidence:
        """That of a recording before its first sample, or of one that cannot be used."""
        size = len(joints)
        nothing = np.stack([np.full(size, np.inf), np.full(size, -np.inf)])
        return cls(file, topic, joints, Moments.zero(size), nothing, nothing.copy(), error=error)

    def add(self, torques: ModelTorques, motion: Motion) -> None:
        """Take a motion, which follows those before in time."""
        terms = torques.terms(motion)
        self.moments += Moments.of(motion.efforts, terms, motion.velocities)
        self.excerpts.add(motion)
        self.samples.add(motion, terms, after_gap=motion.begins)
        for known, values in (self.span, motion.positions), (self.range, motion.efforts):
            known[0] = np.fmin(known[0], np.fmin.reduce(values))
            known[1] = np.fmax(known[1], np.fmax.reduce(values))
        self.count += len(motion.times)
        self.duration += len(motion.times) / motion.rate
        self.rate, self.cutoff = motion.rate, motion.cutoff

    def as_one_of_many(self) -> Evidence:
        """The same with few windows and samples, some 0.4 MB: a comparison keeps no more."""
        return replace(
            self,
            excerpts=self.excerpts.thinned(WINDOWS_OF_ONE),
            samples=self.samples.reduced(SAMPLES_OF_ONE),
        )

    @classmethod
    def joined(cls, parts: Sequence[Evidence]) -> Evidence:
        """That of a recording from that of its parts, in their order; one at least."""
        first = parts[0]
        whole = cls.of_nothing(first.file, first.topic, first.joints)
        whole.robot = first.robot
        whole.excerpts = merged(part.excerpts for part in parts)
        whole.samples = PlotSamples.joined([part.samples for part in parts])
        qualities = [part.quality for part in parts if part.quality is not None]
        whole.quality = type(qualities[0]).joined(qualities) if qualities else None
        for part in parts:
            whole.moments += part.moments
            for known, other in (whole.span, part.span), (whole.range, part.range):
                known[0] = np.fmin(known[0], other[0])
                known[1] = np.fmax(known[1], other[1])
            whole.count += part.count
            whole.duration += part.duration
            if part.count:
                whole.rate, whole.cutoff = part.rate, part.cutoff
        return whole

    @property
    def summary(self) -> RecordingSummary:
        """What the result of the comparison says of the recording."""
        return RecordingSummary(
            self.file, self.topic, self.count, self.duration, self.rate, self.cutoff, self.error
        )
