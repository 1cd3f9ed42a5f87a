"""The recordings of an identification: a first look at each, their equations, torques of models.

A drive at its limit gives the same effort for long. So does a joint that waits, and efforts of
coarse steps stay the same at each peak: what tells is that no other effort is held for as long.
A glitch of a sample or two is no extreme: the extremes are those of a running median.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from typing import TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.recordings import JointSamples, Motion, Recording
from robot_dynamics_ros.recordings.low_pass import checked_cutoff

from .equations import Equations
from .held_out import Torques, split_motions
from .motion_equations import (
    ABOVE,
    MotionEquations,
    at_rest,
    motions_cutoff,
)
from .parameters import USUAL, Flags, JointTerm, Load, ParameterLayout

Part = TypeVar('Part', JointSamples, Motion)
# Opens a recording; it is read and closed within one block, so that one is open at a time.
Opens = Callable[[], AbstractContextManager[Recording]]
# What is done, how many states there are, and their unit; gives what takes the number of those
# that were done since its last call.
Progress = Callable[[str, int | None, str], AbstractContextManager[Callable[[int], object]]]
# Bytes of equations of all recordings that are kept.
MOST_KEPT = 400_000_000
# Of the time in which the robot moves: what is fitted; what follows is held out.
FITTED_SHARE = 2.0 / 3.0
# An effort is saturated where it stays at its extreme for this time [s], in this share of all
# samples, and for so many times as long as at any other effort: steps of a coarse resolution are
# longer at a peak, up to five times as long as beside it.
HELD, HELD_SHARE, HELD_LONGER = 0.1, 0.005, 5.0
# Measured efforts whose median counts, and how many equal ones in a row decide it.
WINDOW = 5
MAJORITY = WINDOW // 2 + 1
# Over which the speed of raw positions is averaged, against the noise of encoders [s].
AVERAGED = 0.1
# Stamps that are nearer to each other are the same [s].
SHORTEST = 1e-9


@dataclass(frozen=True)
class Survey:
    """What the samples of recordings show before they are filtered.

    Attributes:
        samples: that were read.
        interval: usual time between two samples [s].
        span: (2, n) smallest and largest position [rad or m].
        range: (2, n) smallest and largest effort, but for glitches; NaN without one [N m, N or A].
        at_limit: (2, n) samples of a moving joint whose effort is the smallest or the largest one.
        longest: (2, n) longest run of such samples.
        elsewhere: (n,) longest run of other equal efforts of a moving joint.
    """

    samples: int
    interval: float
    span: Array
    range: Array
    at_limit: Array
    longest: Array
    elsewhere: Array

    @property
    def largest(self) -> Array:
        """Largest absolute effort (n,), but for glitches; 0 without one [N m, N or A]."""
        with np.errstate(invalid='ignore'):
            absolute = np.where(np.isfinite(self.range), np.abs(self.range), 0.0)
        return absolute.max(axis=0)

    def exceeded(self, model: RobotModel) -> Flags:
        """Which joints (n,) have efforts beyond the limit of the URDF: it is not the drive's."""
        return self.largest > ABOVE * model.effort_bounds

    @property
    def saturated(self) -> Flags:
        """Which joints saturate at the smallest effort, and which at the largest one (2, n)."""
        # No drive has its limit at 0, and coarse steps alone leave nothing between two efforts.
        return (
            (self.range[1] > self.range[0])
            & (self.range != 0.0)
            & (self.elsewhere > 0.0)
            & (self.longest * self.interval >= HELD)
            & (self.at_limit >= HELD_SHARE * self.samples)
            & (self.longest > HELD_LONGER * self.elsewhere)
        )

    @property
    def saturated_shares(self) -> Array:
        """Share (n,) of all samples in which the effort of a joint is saturated [-]."""
        return np.where(self.saturated, self.at_limit, 0.0).sum(axis=0) / self.samples

    def levels(self, model: RobotModel) -> Array:
        """The smallest and the largest effort (2, n) at which joints saturate [N m, N or A].

        NaN where a joint does not saturate, and infinite where the limit of the URDF does not
        count, as efforts exceed it.
        """
        others = np.outer([-1.0, 1.0], np.where(self.exceeded(model), np.inf, np.nan))
        return np.where(self.saturated, self.range, others)

    @classmethod
    def of(
        cls, chunks: Iterable[JointSamples], bands: Array, interval: float
    ) -> tuple[Survey, float]:
        """Look at all samples of a recording once; the time at which to hold out the rest [s].

        Args:
            chunks: of the recording, in their order; an effort that stays the same over the border
                of two counts as two.
            bands: (n,) speeds below which the joints may stick [rad/s or m/s].
            interval: usual time between two samples [s].
        """
        times, slow, parts = [], [], []
        for chunk in filter(len, chunks):
            moves = _raw_speeds(chunk.times, chunk.positions) >= bands
            times.append(chunk.times)
            slow.append(~np.any(moves, axis=1))
            parts.append(cls._of_chunk(chunk, moves, interval))
        return cls.joined(parts), _split(np.concatenate(times), np.concatenate(slow))

    @classmethod
    def _of_chunk(cls, chunk: JointSamples, moves: Flags, interval: float) -> Survey:
        """What samples show of which joints move (N, n)."""
        ranges = np.full((2, moves.shape[1]), np.nan)
        (at_limit, longest), elsewhere = np.zeros((2, *ranges.shape)), np.zeros(len(ranges[0]))
        for joint, efforts in enumerate(chunk.efforts.T):
            known = efforts[np.isfinite(efforts)]
            if len(known) < WINDOW:
                continue
            medians = _medians(known)
            ranges[:, joint] = medians.min(), medians.max()
            lengths, values = _runs(np.where(moves[:, joint], efforts, np.nan))
            extreme = values == ranges[:, joint, None]
            lasting = np.where(lengths >= MAJORITY, lengths, 0)
            at_limit[:, joint] = (extreme * lasting).sum(axis=1)
            longest[:, joint] = (extreme * lengths).max(axis=1, initial=0)
            elsewhere[joint] = lengths[~extreme.any(axis=0)].max(initial=0)
        span = _ends(chunk.positions[:, None])
        return cls(len(chunk), interval, span, ranges, at_limit, longest, elsewhere)

    @classmethod
    def joined(cls, surveys: Sequence[Survey]) -> Survey:
        """That of several recordings, one at least."""
        samples, intervals, spans, ranges, at_limit, longest, elsewhere = (
            np.array([getattr(one, each.name) for one in surveys]) for each in fields(cls)
        )
        extremes = _ends(ranges)
        # What is an extreme of one recording alone is none of all.
        same = ranges == extremes
        others = np.where(same, 0.0, longest).max(axis=(0, 1))
        return cls(
            int(samples.sum()),
            float(intervals.min()),
            _ends(spans),
            extremes,
            np.where(same, at_limit, 0.0).sum(axis=0),
            np.where(same, longest, 0.0).max(axis=0),
            np.maximum(elsewhere.max(axis=0), others),
        )


def _medians(values: Array) -> Array:
    """Of `WINDOW` values (N,) in a row: the third of five, without sorting them (N - 4,)."""
    a, b, c, d, e = sliding_window_view(values, WINDOW).T
    low = np.maximum(np.minimum(a, b), np.minimum(c, d))
    high = np.minimum(np.maximum(a, b), np.maximum(c, d))
    return np.maximum(np.minimum(low, high), np.minimum(np.maximum(low, high), e))


def _ends(ranges: Array) -> Array:
    """The smallest and the largest (2, n) of ranges, or values (k, 2 or 1, n); NaN is none."""
    return np.stack([np.fmin.reduce(ranges[:, 0]), np.fmax.reduce(ranges[:, -1])])


def _raw_speeds(times: Array, positions: Array) -> Array:
    """Speeds (N, n), each over the last `AVERAGED` seconds; 0 at the first sample.

    Args:
        times: (N,) [s].
        positions: (N, n), NaN where not known [rad or m].
    """
    # Stamps may go back where a clock was set.
    ordered = np.maximum.accumulate(times)
    begins = np.searchsorted(ordered, ordered - AVERAGED)
    steps = np.maximum(ordered - ordered[begins], SHORTEST)[:, None]
    return np.abs(positions - positions[begins]) / steps


def _split(times: Array, slow: Flags) -> float:
    """The time before which the fitted share of the samples of a robot that moves lies [s].

    Args:
        times: (N,) [s].
        slow: (N,) whether all joints are slow.
    """
    if len(times) < 2:
        return float(times[0]) if len(times) else float('nan')
    interval = max(float(np.median(np.diff(times))), np.finfo(float).tiny)
    moving = times[~at_rest(slow[:, None], interval)[:, 0]]
    return float(np.quantile(moving if len(moving) else times, FITTED_SHARE))


def _runs(values: Array) -> tuple[Array, Array]:
    """Lengths (R,) of runs of equal values (N,), and these values; NaN is none."""
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    lengths, held = np.diff(starts, append=len(values)), values[starts]
    known = np.isfinite(held)
    return lengths[known], held[known]


def no_progress(
    what: str, total: int | None, unit: str
) -> AbstractContextManager[Callable[[int], object]]:
    """Progress that nobody sees."""
    return nullcontext(lambda done: None)


def still_open(recording: Recording) -> Opens:
    """What gives a recording that somebody else closes."""
    return lambda: nullcontext(recording)


@dataclass(frozen=True)
class Source:
    """One recording: how it is opened, and what its first states and a first look show.

    Attributes:
        name: of the recording.
        opens: it.
        topic: of its joint states.
        joints: that are read.
        cutoff: of its equations [Hz].
        survey: of its samples.
        split: time at which its held-out part begins [s]; infinite where all of it is fitted, and
            minus infinity where all of it is held out.
    """

    name: str
    opens: Opens
    topic: str
    joints: tuple[str, ...]
    cutoff: float
    survey: Survey
    split: float

    @classmethod
    def surveyed(
        cls,
        name: str,
        opens: Opens,
        recording: Recording,
        model: RobotModel,
        progress: Progress = no_progress,
    ) -> Source:
        """Look at all samples of a recording once; its last third is held out.

        Raises:
            RecordingError: the files are damaged, or the cutoff is not possible.
        """
        wanted, rate = recording.cutoff, 1.0 / recording.interval
        cutoff = recording.usual_cutoff() if wanted is None else checked_cutoff(wanted, rate)
        chunks = counted(recording.chunks(), name, recording, progress)
        survey, split = Survey.of(chunks, dead_bands(model), recording.interval)
        return cls(name, opens, recording.topic, recording.joints, cutoff, survey, split)

    def equations(
        self, maker: MotionEquations, cutoff: float, most_kept: int, progress: Progress
    ) -> list[tuple[bool, Equations]]:
        """Equations in the order of time, each with whether it is held out.

        Args:
            maker: of the equations.
            cutoff: of these [Hz].
            most_kept: bytes of each part.
            progress: shows how far it is.

        Raises:
            RecordingError: the recording cannot be used.
        """
        found: list[tuple[bool, Equations]] = []
        with self.opens() as recording:
            recording.judge_efforts(maker.layout.model)
            motions = recording.motions(cutoff=motions_cutoff(cutoff, 1.0 / self.survey.interval))
            shown = counted(motions, self.name, recording, progress)
            parts = split_motions(shown, self.split)
            for held_out, group in groupby(parts, key=itemgetter(0)):
                made = maker.of_motions((motion for _, motion in group), self.name)
                if (first := next(made, None)) is not None:
                    found.append((held_out, Equations.joined(chain([first], made), most_kept)))
        return found


@dataclass(frozen=True)
class JudgedRecording:
    """One recording of an identification.

    Attributes:
        file: path, as it was given.
        topic: of the joint states.
        samples: number of samples.
        duration: of the held-out part [s].
        rate: of the samples [Hz].
        cutoff: of the low pass [Hz].
        error: why it could not be used; empty if it could.
        split: time at which its held-out part begins [s]; infinite where all of it is fitted, and
            minus infinity where all of it is held out.
        held_out: samples of the held-out part.
    """

    file: str
    topic: str = ''
    samples: int = 0
    duration: float = 0.0
    rate: float = math.nan
    cutoff: float = math.nan
    error: str = ''
    split: float = math.nan
    held_out: int = 0


@dataclass(frozen=True)
class RecordedData:
    """Recordings with all that decides how their equations are made.

    Attributes:
        model: the robot whose joints that were not recorded are locked.
        dynamics: of it, compiled.
        sources: the recordings.
        terms: of the joints.
        loads: that the robot carries in some of the recordings.
        known: values of parameters by name.
        unmeasured: joints whose effort the driver does not measure.
        progress: shows how far a pass over the recordings is.
        still: joints that hardly move: nothing of their motion is fitted or judged.
        constants: of the friction, see `ParameterLayout`.
        tried: whether equations are made for other terms and constants of friction too.
        bodies: (10 b,) parameters whose torques the joints transmit, see `Equations.with_load`;
            None: those of the URDF.
        delay: of the efforts behind the states, by which they are shifted [s].
        parts: equations of each recording in the order of time, each with whether it is held out;
            see `read`.
    """

    model: RobotModel
    dynamics: RobotDynamics
    sources: Sequence[Source]
    terms: tuple[JointTerm, ...] = USUAL
    loads: tuple[Load, ...] = ()
    known: Mapping[str, float] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()
    progress: Progress = no_progress
    still: tuple[str, ...] = ()
    constants: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    tried: bool = True
    bodies: Array | None = None
    delay: float = 0.0
    parts: Mapping[str, Sequence[tuple[bool, Equations]]] = field(default_factory=dict)

    @cached_property
    def layout(self) -> ParameterLayout:
        """Of what is estimated."""
        return ParameterLayout(
            self.model, self.terms, self.loads, dict(self.known), self.constants
        )

    @cached_property
    def survey(self) -> Survey:
        """Of all samples of the recordings that are fitted; without one, of all recordings."""
        return Survey.joined([one.survey for one in self.fitted_sources or self.sources])

    @property
    def cutoff(self) -> float:
        """Of the equations of all recordings: the lowest of all [Hz].

        Equations of a joint that have passed the same low pass have the same noise.
        """
        return min(one.cutoff for one in self.sources)

    @property
    def fitted_sources(self) -> list[Source]:
        """Those that are fitted, wholly or in part."""
        return [one for one in self.sources if one.split != -np.inf]

    def read(self, models: Sequence[Array] = ()) -> RecordedData:
        """The same with the equations of all recordings, read one after another.

        Args:
            models: parameters (p,) that are judged, which is faster; empty: any can be fitted.

        Raises:
            RecordingError: a recording cannot be used.
        """
        bodies = [one[: len(self._transmitted)] for one in (*models, self._transmitted)]
        maker = MotionEquations(
            self.layout,
            self.dynamics,
            cutoff=self.cutoff,
            effort_levels=self.survey.levels(self.model),
            unmeasured=self.unmeasured,
            tried=self.tried,
            combined=np.stack(bodies, axis=1) if models else None,
        )
        kept = MOST_KEPT // len(self.sources)
        parts = {
            one.name: one.equations(maker, self.cutoff, kept, self.progress)
            for one in self.sources
        }
        return replace(self, parts=parts)

    def all_fitted(self) -> RecordedData:
        """The same recordings with nothing held out."""
        return replace(self, sources=[replace(one, split=np.inf) for one in self.sources])

    @cached_property
    def equations(self) -> Equations:
        """Of all that is fitted.

        Raises:
            ParameterError: nothing that is fitted has an equation.
        """
        return self.settled(Equations.joined(chain(*map(self._fitted, self.fitted_sources))))

    @cached_property
    def alone(self) -> Mapping[str, Equations]:
        """Of each recording by its name, where anything of it is fitted."""
        parts = {one.name: self._fitted(one) for one in self.fitted_sources}
        return {name: self.settled(Equations.joined(one)) for name, one in parts.items() if one}

    def empty_names(self) -> list[str]:
        """Names of recordings that are to be fitted and give no equation."""
        return [one.name for one in self.fitted_sources if not self._fitted(one)]

    def torques(self, nominal: Array, identified: Array) -> list[Torques]:
        """The torques of each recording; slow joints are judged too.

        Args:
            nominal: parameters (p,) of the URDF.
            identified: parameters (p,) of the identified model.
        """
        return [
            Torques.of_equations(
                name,
                [(later, replace(self.settled(one), slow_count=True)) for later, one in parts],
                self.model,
                nominal,
                identified,
            )
            for name, parts in self.parts.items()
        ]

    def judged_recordings(self, torques: Sequence[Torques]) -> list[JudgedRecording]:
        """What is said of each recording."""
        found = []
        for source, one in zip(self.sources, torques, strict=True):
            held_out = int(one.held_out.sum())
            found.append(
                JudgedRecording(
                    source.name, source.topic, source.survey.samples,
                    held_out * one.interval if held_out > 1 else 0.0, 1.0 / source.survey.interval,
                    self.cutoff, split=source.split, held_out=held_out,
                )
            )  # fmt: skip
        return found

    def _fitted(self, source: Source) -> list[Equations]:
        parts = self.parts[source.name]
        return [part for held_out, part in parts if not held_out or source.split == np.inf]

    def settled(self, equations: Equations) -> Equations:
        """Equations with the delay, the friction and what is known and still."""
        own = equations.shifted(self.delay).with_friction(self.terms, self.constants)
        own = own.with_load(self._transmitted).with_known(dict(self.known))
        return replace(own, still=self.still)

    @property
    def _transmitted(self) -> Array:
        """Parameters (10 b,) of bodies and loads whose torques the joints transmit."""
        size = self.layout.felt.shape[1]
        return self.layout.nominal()[:size] if self.bodies is None else self.bodies


def counted(
    parts: Iterable[Part], name: str, recording: Recording, progress: Progress
) -> Iterator[Part]:
    """The parts of a recording, whose progress is shown."""
    with progress(name, recording.size, 'states') as advance:
        for part in parts:
            yield part
            advance(len(part))
