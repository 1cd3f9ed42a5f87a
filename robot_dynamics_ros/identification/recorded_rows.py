"""Rows of all recordings of an identification, and what is known of each of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.comparison import Compared
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Motion, Recording
from robot_dynamics_ros.regression.regressors import (
    ARMATURE,
    BODIES,
    DELAY,
    GAIN,
    Regressor,
    payload_on,
)
from robot_dynamics_ros.regression.rows import RowMaker, Rows, motions_cutoff

Flags = npt.NDArray[np.bool_]
Opens = Callable[[], Recording]
# Called with the name of a recording, the number of its states, and 'states'; gives a function
# that takes the number of those that were read since the last call.
Progress = Callable[[str, int | None, str], AbstractContextManager[Callable[[int], object]]]
# Of the effort limit: from there on a drive may be saturated.
SATURATED = 0.98
# Of the cutoff of motions: products of their signals have up to twice that frequency.
OVERSAMPLING = 4.0
# Rows, beyond which one of two is left: there are two for each period of the cutoff.
MAX_ROWS = 10_000
# Blocks of time, each predicted by the others.
BLOCKS = 4
# Rows of a joint below which nothing of it is fitted, or said of it.
FEWEST = 20
# Largest delay that is found or given [s]: no driver delivers efforts later.
LARGEST_DELAY = 0.2


def no_progress(
    what: str, total: int | None, unit: str
) -> AbstractContextManager[Callable[[int], object]]:
    """Progress that nobody sees."""
    return nullcontext(lambda done: None)


def already(recording: Recording) -> Opens:
    """What gives a recording that is read."""
    return lambda: recording


@dataclass(frozen=True)
class Load:
    """A body of known mass that a link carries in one recording.

    Attributes:
        link: name of the link.
        mass: [kg].
        recording: name of the recording.
        term: name of its regressor: what the mass alone does not say of it.
    """

    link: str
    mass: float
    recording: str
    term: str


@dataclass(frozen=True)
class Source:
    """One recording.

    Attributes:
        name: of the recording.
        opens: it.
        files: its own name.
        compared: with the URDF.
        held_out: whether it is predicted, and not fitted at first.
    """

    name: str
    opens: Opens
    files: str
    compared: Compared
    held_out: bool


@dataclass(frozen=True)
class RecordedRobot:
    """How rows are made of recordings of a robot.

    Attributes:
        dynamics: of the robot whose joints that were not recorded are locked.
        friction: regressors of friction and offset.
        rotors: whether efforts are before the gear, where rotors act.
        scales: (n,) torque of an effort, as far as it is known [-, N m/A or N/A].
        gains: joints whose scale is estimated.
        loads: in some of the recordings.
        unmeasured: joints whose driver does not measure the effort.
        delay: of the efforts behind the states [s].
        progress: shows how far a pass over the recordings is.
    """

    dynamics: RobotDynamics
    friction: Sequence[Regressor]
    rotors: bool
    scales: Array
    gains: Flags
    loads: Sequence[Load] = ()
    unmeasured: Collection[str] = ()
    delay: float = 0.0
    progress: Progress = no_progress

    @property
    def model(self) -> RobotModel:
        """The robot."""
        return self.dynamics.model

    @property
    def terms(self) -> list[Regressor]:
        """All regressors."""
        carried = [replace(payload_on(self.model, one.link), name=one.term) for one in self.loads]
        own = [*([ARMATURE] if self.rotors else []), *self.friction]
        return [BODIES, DELAY, *carried, *own, *([GAIN] if self.gains.any() else [])]

    def rows(self, sources: Sequence[Source]) -> RecordedRows:
        """The rows of recordings, one after another.

        Raises:
            RecordingError: a recording cannot be used.
        """
        cutoff = min(one.compared.cutoff for one in sources)
        parts, saturated = [], np.zeros((2, self.model.size))
        speeds = np.zeros(self.model.size)
        for source in sources:
            maker = RowMaker(self.dynamics, self.terms, cutoff=cutoff)
            absent = {one.term for one in self.loads if one.recording != source.name}
            carried = self._carrying(source.name)
            recording = source.opens()
            recording.judge_efforts(self.model)
            with self.progress(source.name, recording.size, 'states') as advance:
                for motion in self.segments(recording, cutoff):
                    prepared = self._prepared(motion, saturated)
                    maker.add(prepared, absent, carried)
                    fast = np.abs(motion.velocities) * np.isfinite(prepared.efforts)
                    speeds = np.maximum(speeds, fast.max(axis=0, initial=0.0))
                advance(recording.size or 0)
            parts.append(maker.rows())
        step = -(-sum(len(one.times) for one in parts) // MAX_ROWS) or 1
        parts = [one.part(slice(None, None, step)) for one in parts]
        shares = saturated[0] / np.maximum(saturated[1], 1.0)
        return RecordedRows(sources, parts, shares, speeds, cutoff)

    def _carrying(self, name: str) -> RobotDynamics | None:
        model = self.model
        for one in self.loads:
            if one.recording == name:
                model = model.with_payload(one.link, one.mass, name=one.term)
        return RobotDynamics(model, gravity=self.dynamics.gravity) if self.loads else None

    def segments(self, recording: Recording, cutoff: float) -> Iterator[Motion]:
        """Motions of the joints, whole segments: what is shifted must not end in between.

        At a lower rate, where that has all which they hold.
        """
        kept: list[Motion] = []
        wide = motions_cutoff(cutoff, 1.0 / recording.interval)
        for motion in recording.motions(cutoff=wide):
            if motion.begins and kept:
                yield _joined(kept)
                kept = []
            stride = max(1, int(motion.rate / (OVERSAMPLING * wide)))
            first = -motion.number % stride
            part = motion.of(self.model.joint_names).part(slice(first, None, stride))
            number = (motion.number + first) // stride
            kept.append(replace(part, rate=motion.rate / stride, number=number))
        if kept:
            yield _joined(kept)

    def _prepared(self, motion: Motion, saturated: Array) -> Motion:
        """A motion with torques in the place of efforts, at the time of its states."""
        measured = ~np.isin(self.model.joint_names, list(self.unmeasured))
        efforts = np.where(measured, motion.efforts * self.scales, np.nan)
        if not self.gains.any():
            beyond = np.abs(efforts) >= SATURATED * self.model.effort_limits
            saturated += np.array([beyond.sum(axis=0), np.isfinite(efforts).sum(axis=0)])
            efforts = np.where(beyond, np.nan, efforts)
        if self.delay:
            times = motion.times
            efforts = np.stack(
                [
                    np.interp(times + self.delay, times, one, left=np.nan, right=np.nan)
                    for one in efforts.T
                ],
                axis=1,
            )
        return replace(motion, efforts=efforts)


def _joined(parts: Sequence[Motion]) -> Motion:
    def whole(name: str) -> Array:
        return np.concatenate([getattr(one, name) for one in parts])

    return replace(
        parts[0], times=whole('times'), positions=whole('positions'), efforts=whole('efforts'),
        velocities=whole('velocities'), accelerations=whole('accelerations'),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class RecordedRows:
    """Rows of recordings.

    Attributes:
        sources: the recordings.
        parts: rows of each.
        saturated: (n,) share of the samples whose effort is near its limit; they are left out.
        speeds: (n,) largest ones with an effort [rad/s or m/s].
        cutoff: of the rows [Hz].
    """

    sources: Sequence[Source]
    parts: Sequence[Rows]
    saturated: Array
    speeds: Array
    cutoff: float

    @cached_property
    def whole(self) -> Rows:
        """The rows of all recordings, without joints of which there are too few."""
        rows = Rows.joined(self.parts)
        enough = rows.used.sum(axis=0) >= FEWEST
        return replace(rows, used=rows.used & enough, moving=rows.moving & enough)

    @property
    def held_out(self) -> Flags:
        """(N,) rows of recordings that are held out."""
        parts = zip(self.sources, self.parts, strict=True)
        return np.concatenate([np.full(len(part.times), one.held_out) for one, part in parts])

    @property
    def blocks(self) -> npt.NDArray[np.int_]:
        """(N,) which of `BLOCKS` blocks of time a row is of; where some are held out, 0, or -1."""
        if self.held_out.any():
            return np.where(self.held_out, 0, -1)
        count = len(self.held_out)
        return np.arange(count) * BLOCKS // max(1, count)

    def spans(self, chosen: Flags) -> Mapping[str, tuple[float, float]]:
        """First and last time of some of the rows (N,) in each recording that has any [s]."""
        found, first = {}, 0
        for source, part in zip(self.sources, self.parts, strict=True):
            own = part.times[chosen[first : first + len(part.times)]]
            first += len(part.times)
            if len(own):
                found[source.name] = (float(own[0]), float(own[-1]))
        return found
