"""A recording of joint states, from files of any kind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import RecordingError

from .first_states import FirstStates
from .implausible_efforts import IMPLAUSIBLE, NO_DRIVE, EffortBounds
from .joint_names import offered_renaming, rename_options, renamed
from .joint_samples import JointSamples
from .merged_messages import MergedMessages
from .quality import Quality
from .sources.open_source import open_source
from .sources.state_rows import StateBlock, StateSource
from .state_columns import StateColumns
from .topic_choice import chosen_topic

# Samples in a chunk.
CHUNK = 65536
# States before a part that are read for its halo, at first.
BEFORE = 4096
# A part of a recording: which one, and how many there are.
Part = tuple[int, int]
WHOLE = (0, 1)


class Recording:
    """Joint states in the order in which they were recorded.

    Attributes:
        name: of the files, for messages.
        topic: that is read.
        topics: those of joint states, and how many messages each has.
        joints: names after renaming, in the order of the columns.
        names: of all joints in the first messages, after renaming, by the recorded name.
        kinds: usual interval [s] of each kind of message, by names of its joints after renaming.
        start: time of the first sample [ns].
        clock: what the times are from: `header`, `log` or `file`; see `Quality`.
        interval: usual time between two samples [s], from the first ones; NaN with one sample.
        description: URDF text that was recorded on /robot_description; None without one.
        size: number of messages, for progress.
        quality: counts of the last reading of `chunks`.
    """

    def __init__(
        self,
        source: StateSource,
        topic: str,
        renaming: Mapping[str, str],
        joints: Sequence[str] | None,
        part: Part = WHOLE,
        halo: float = 0.0,
    ) -> None:
        """Look at the first states of a topic.

        Args:
            source: of the states.
            topic: that has messages.
            renaming: see `joint_names.renamed`.
            joints: wanted ones, by their new names; None: those of the first states.
            part: that `chunks` gives, of how many.
            halo: time before and after the part that `chunks` gives too, at least [s].

        Raises:
            RecordingError: a joint is missing, or no message can be used.
        """
        self._source, self._part, self._halo = source, part, halo
        self.name, self.topic, self.topics = source.name, topic, dict(source.topics)
        self.description, self.size = source.description, source.topics[topic]
        first = FirstStates.read(source, topic)
        recorded = first.names
        try:
            new = dict(zip(recorded, renamed(recorded, renaming), strict=True))
        except RecordingError as error:
            raise RecordingError(f'{self.name}: {error}') from None
        self.names: Mapping[str, str] = new
        if joints is None:
            chosen = first.most_complete()
        else:
            chosen = _recorded_names(self.name, new, joints)
        self._recorded = chosen
        self.joints = tuple(new[name] for name in chosen)
        self.kinds: Mapping[tuple[str, ...], float] = {
            tuple(new[name] for name in kind): interval for kind, interval in first.kinds.items()
        }
        # Where joints come in several messages: that whose messages make samples.
        self._reference = None if first.has_all(chosen) else first.rarest(chosen)
        timed = chosen if self._reference is None else [self._reference]
        self.clock, self.start, self.interval = first.clock, *first.times_of(timed)
        self.quality = Quality(self.clock)
        self._effort_bounds: EffortBounds | None = None

    def judge_efforts(
        self, model: RobotModel, largest: float = IMPLAUSIBLE, why: str = NO_DRIVE
    ) -> None:
        """From now on, take efforts that no drive of a robot has as not measured.

        Args:
            model: of the robot; `quality` names these efforts, see `implausible_efforts`.
            largest: times the effort limit of a joint, see `EffortBounds`.
            why: why efforts beyond that are implausible, as a clause.
        """
        self._effort_bounds = EffortBounds(model, self.joints, largest, why)

    @property
    def is_whole(self) -> bool:
        """Whether `chunks` gives all states, and not a part of them."""
        return self._part == WHOLE

    def chunks(self, size: int = CHUNK) -> Iterator[JointSamples]:
        """All samples of the part, from the first one on; only one chunk is in memory.

        Args:
            size: samples in a chunk, at most.

        Raises:
            RecordingError: the files are damaged.
        """
        quality = self.quality = Quality(self.clock, self.interval)
        stamped = self.clock == 'header'
        blocks = self._blocks()
        if self._reference is not None:
            merged = MergedMessages(
                self._recorded, self._reference, self.interval, quality, stamped=stamped
            )
            blocks = merged.blocks(blocks)
        columns = StateColumns(self._recorded, stamped, self.start, quality)
        for arrays in columns.chunks(blocks, size):
            samples = JointSamples(self.joints, *arrays)
            if self._effort_bounds is not None:
                samples, implausible = self._effort_bounds.applied(samples)
                quality.count_implausible(implausible)
            quality.count(samples)
            yield samples

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Times of the first states of the part and of the next part [s].

        They are infinite where the recording begins and ends: the bounds of all parts share all
        times among them.
        """
        (number, parts), (begin, end) = self._part, self._range
        first = -math.inf if number == 0 else self._time_at(begin)
        return first, math.inf if number == parts - 1 else self._time_at(end)

    @property
    def _range(self) -> tuple[int, int]:
        """Numbers of the first state of the part and of the next one."""
        number, parts = self._part
        return number * self.size // parts, (number + 1) * self.size // parts

    def _blocks(self) -> Iterator[StateBlock]:
        """Those of the part, and of its halo."""
        (number, parts), (begin, end) = self._part, self._range
        last = None if number == parts - 1 else end
        if number and self._halo:
            yield from self._source.blocks(self.topic, self._before(begin), begin)
        yield from self._source.blocks(self.topic, begin, last)
        if last is None or not self._halo:
            return
        stop = self.bounds[1] + self._halo
        for block in self._source.blocks(self.topic, last):
            yield block
            if self._time_of(block) > stop:
                return

    def _before(self, begin: int) -> int:
        """The number of the first state of the halo before a part."""
        wanted, count = self.bounds[0] - self._halo, BEFORE
        while count < begin and self._time_at(begin - count, begin) > wanted:
            count *= 2
        return max(0, begin - count)

    def _time_at(self, begin: int, end: int | None = None) -> float:
        """Time of the first state from a number on [s]; infinite without one."""
        blocks = self._source.blocks(self.topic, begin, end)
        times = (self._time_of(block) for block in blocks)
        return next((time for time in times if time > -math.inf), math.inf)

    def _time_of(self, block: StateBlock) -> float:
        """Time of the first state of a block [s]; minus infinity where all are malformed."""
        for rows in block.rows:
            log = block.log_times[rows.places]
            times = rows.stamps if self.clock == 'header' and rows.stamps is not None else log
            if len(times):
                return float((times[0] - self.start) * 1e-9)
        return -math.inf


@contextmanager
def open_recording(
    paths: Sequence[Path],
    *,
    topic: str | None = None,
    rename: Mapping[str, str] | None = None,
    joints: Sequence[str] | None = None,
    part: Part = WHOLE,
    halo: float = 0.0,
) -> Iterator[Recording]:
    """Open files that together are one recording.

    Args:
        paths: bag folders, storage files, ROS 1 bags; or CSV files (docs/recordings.md).
        topic: of the joint states; None: /joint_states.
        rename: names that joints get instead of those recorded, or prefixes of names.
        joints: that are wanted, by their new names; None: those of the first messages. Where they
            come in several messages, these are merged.
        part: (k, n): only part k = 0, ..., n - 1 of n, with about equal numbers of states. What
            all parts give is the recording; times are since its start in each.
        halo: time before and after the part that is read too, as filters need it [s]; see
            `Recording.bounds`.

    Raises:
        RecordingError: the recording cannot be read, or does not hold what is asked for.
        OSError: a file cannot be opened.
    """
    with (
        _one_line_errors(),
        open_source([Path(path) for path in paths]) as source,
    ):
        chosen = chosen_topic(source, topic)
        yield Recording(source, chosen, rename or {}, joints, part, halo)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Keep messages in one line: names of topics and joints in a file may hold anything."""
    try:
        yield
    except RecordingError as error:
        text = str(error)
        if text.isprintable():
            raise
        line = ''.join(each if each.isprintable() else repr(each)[1:-1] for each in text)
        raise RecordingError(line) from error


def _recorded_names(name: str, new: Mapping[str, str], wanted: Sequence[str]) -> tuple[str, ...]:
    """Recorded names of wanted joints."""
    recorded = {new_name: old for old, new_name in new.items()}
    missing = [joint for joint in wanted if joint not in recorded]
    if not missing:
        return tuple(recorded[joint] for joint in wanted)
    offer = rename_options(_offer(recorded, wanted))
    has = (
        'has'
        if all(new_name == old for new_name, old in recorded.items())
        else 'after renaming has'
    )
    raise RecordingError(
        f'{name}: joint {missing[0]!r} is not in the recording, which {has} '
        f'{", ".join(sorted(recorded))}' + (f': perhaps {offer}' if offer else '')
    )


def _offer(recorded: Mapping[str, str], wanted: Sequence[str]) -> Mapping[str, str]:
    """A renaming of the names that the recording has, instead of the renaming that was given.

    Args:
        recorded: recorded names by the names that they were given.
        wanted: names of joints.
    """
    old = tuple(recorded.values())
    offer = offered_renaming(old, wanted)
    if not offer:
        # What was given is right for some joints.
        added = offered_renaming(tuple(recorded), wanted)
        offer = {recorded.get(key, key): name for key, name in added.items()}
    return offer if all(any(name.startswith(key) for name in old) for key in offer) else {}
