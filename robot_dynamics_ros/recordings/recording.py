"""A recording of joint states, from files of any kind."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import RecordingError

from .joint_columns import FirstStates, JointColumns, median_interval
from .joint_names import recorded_names, renamed
from .joint_samples import JointSamples
from .motion import Motion, filtered, usual_cutoff
from .quality import IMPLAUSIBLE, ImplausibleEfforts, Quality, effort_bounds
from .segments import cut
from .sources import chosen_topic, open_source
from .sources.source import StateSource

# Samples in a chunk.
CHUNK = 65536
# Samples that are filtered together: they fit into the cache of a processor.
PART = 1 << 14
Read = TypeVar('Read')


class Recording:
    """Joint states of one recording: as they were recorded, cut into segments, or filtered.

    Each method reads the files anew, in parts that fit into memory. They are closed with the
    block of `with`, or when nothing refers to the recording any more.

    >>> recording = Recording.read('bag/', model)
    >>> for motion in recording.motions():
    ...     tau = dynamics.inverse_dynamics(
    ...         motion.positions, motion.velocities, motion.accelerations
    ...     )

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
        descriptions: different URDF texts that were recorded on /robot_description, the newest
            one last.
        size: number of messages, for progress.
        cutoff: of the low pass that was asked for [Hz]; None: from the spectrum.
        quality: counts of the latest reading, while it goes on and afterwards.
    """

    def __init__(
        self,
        source: StateSource,
        topic: str,
        renaming: Mapping[str, str],
        joints: Sequence[str] | None,
        model: RobotModel | None = None,
        cutoff: float | None = None,
    ) -> None:
        """Look at the first states of a topic; see `read`.

        Args:
            source: of the states.
            topic: that has messages.
            renaming: see `joint_names.renamed`.
            joints: wanted ones, by their new names; None: those of the first states.
            model: of the robot.
            cutoff: of the low pass [Hz]; None: from the spectrum.

        Raises:
            RecordingError: a joint is missing, or no message can be used.
        """
        self._source = source
        self.name, self.topic, self.topics = source.name, topic, dict(source.topics)
        self.descriptions, self.size = tuple(source.descriptions), source.topics[topic]
        first = FirstStates.read(source, topic)
        recorded = first.names
        try:
            new = dict(zip(recorded, renamed(recorded, renaming), strict=True))
        except RecordingError as error:
            raise RecordingError(f'{self.name}: {error}') from None
        self.names: Mapping[str, str] = new
        most = max(first.kinds, key=len)
        if model is not None and joints is None:
            there = {new[name] for name in most}
            joints = [name for name in model.joint_names if name in there] or model.joint_names
        self._recorded = most if joints is None else recorded_names(self.name, new, joints)
        self.joints = tuple(new[name] for name in self._recorded)
        self.kinds: Mapping[tuple[str, ...], float] = {
            tuple(new[name] for name in kind): median_interval(times)
            for kind, (_, times) in first.kinds.items()
        }
        # The joint whose messages make samples.
        self._reference = first.rarest(self._recorded)
        _, times = first.of(self._reference)
        self.clock, self.start, self.interval = first.clock, int(times[0]), median_interval(times)
        self.quality, self.cutoff = Quality(self.clock), cutoff
        self._effort_bounds: list[ImplausibleEfforts] = []
        self._close: Callable[[], object] = lambda: None
        if model is not None:
            self.judge_efforts(model)

    @classmethod
    def read(
        cls,
        files: str | Path | Sequence[str | Path],
        model: RobotModel | None = None,
        *,
        joints: Sequence[str] | None = None,
        topic: str | None = None,
        rename: Mapping[str, str] | None = None,
        cutoff: float | None = None,
    ) -> Recording:
        """Open files that together are one recording.

        Args:
            files: bag folders, storage files, ROS 1 bags; or CSV files, or a folder of them
                (docs/recordings.md).
            model: of the robot. Efforts that none of its drives has are not measured.
            joints: that are wanted, by their new names; None: those of the model that the
                messages with most joints have, without a model all of these. Where wanted joints
                come in several messages, these are merged.
            topic: of the joint states; None: /joint_states.
            rename: names that joints get instead of those recorded, or prefixes of names.
            cutoff: of the low pass [Hz]; None: from the spectrum of the velocities.

        Raises:
            RecordingError: the recording cannot be read, or does not hold what is asked for.
            OSError: a file cannot be opened.
        """
        named = [files] if isinstance(files, str | Path) else files
        with ExitStack() as stack, _one_line_errors():
            source = stack.enter_context(open_source([Path(file) for file in named]))
            chosen = chosen_topic(source, topic)
            found = cls(source, chosen, rename or {}, joints, model, cutoff)
            found._close = weakref.finalize(found, stack.pop_all().close)
        return found

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def judge_efforts(self, model: RobotModel, largest: float = IMPLAUSIBLE) -> None:
        """From now on, take efforts that no drive of a robot has as not measured.

        Args:
            model: of the robot; `quality` names these efforts.
            largest: times the effort limit of a joint, see `quality.effort_bounds`.
        """
        self._effort_bounds = effort_bounds(model, self.joints, largest)

    def chunks(self, size: int = CHUNK) -> Iterator[JointSamples]:
        """All samples as they were recorded; only one chunk of them is in memory.

        Args:
            size: samples in a chunk, at most.

        Raises:
            RecordingError: the files are damaged.
        """
        quality = self.quality = Quality(self.clock, interval=self.interval)
        return _in_one_line(self._samples(quality, size))

    def states(self) -> JointSamples:
        """All samples as they were recorded, where they fit into memory.

        Raises:
            RecordingError: the files are damaged, or no sample has all joints.
        """
        parts = list(self.chunks())
        if not parts:
            raise RecordingError(f'{self.name}: no sample has all of {", ".join(self.joints)}')
        return JointSamples.joined(parts)

    def segments(self, size: int = CHUNK) -> Iterator[JointSamples]:
        """Samples that follow each other, with strictly increasing times; none is interpolated.

        Cut are gaps, jumps of the clock, positions that are not finite or jump by more than half
        a turn, as those of continuous joints may, and where a velocity or an effort begins or
        ends to be measured. Samples with a repeated stamp are left out, and late ones that are
        earlier by less than a gap. A segment longer than a chunk comes in parts: `begins` says
        which begin one.

        Args:
            size: samples of a part, at most.

        Raises:
            RecordingError: the files are damaged.
        """
        quality = self.quality = Quality(self.clock, interval=self.interval)
        return _in_one_line(cut(self._samples(quality, size), quality))

    def motions(self, *, cutoff: float | None = None, efforts: bool = True) -> Iterator[Motion]:
        """The segments, filtered, with accelerations; in parts that fit into memory.

        Half the length of the filter, 1.8 / cutoff seconds, is lost at both ends of a segment;
        shorter segments are counted in `quality.unused`, edges of cuts in `quality.edges`.

        Args:
            cutoff: of the low pass [Hz]; None: that of the recording.
            efforts: whether they are wanted; without them it is a third faster.

        Raises:
            RecordingError: the files are damaged, samples come too slowly, no segment is long
                enough, or the cutoff is not possible.
        """
        quality = self.quality = Quality(self.clock, interval=self.interval)
        found = filtered(
            cut(self._samples(quality, PART), quality),
            quality,
            self.name,
            cutoff=self.cutoff if cutoff is None else cutoff,
            efforts=efforts,
        )
        return _in_one_line(found)

    def usual_cutoff(self) -> float:
        """The cutoff that `motions` chooses where none is asked for [Hz].

        Raises:
            RecordingError: the files are damaged, or samples come too slowly.
        """
        quality = Quality(self.clock, interval=self.interval)
        with _one_line_errors():
            parts = cut(self._samples(quality, PART), quality)
            return usual_cutoff(parts, self.interval, self.name)[0]

    def _samples(self, quality: Quality, size: int) -> Iterator[JointSamples]:
        """All samples, at most `size` at a time, which are counted."""
        columns = JointColumns(
            self._recorded, self._reference, self.interval, quality,
            stamped=self.clock == 'header', start=self.start,
        )  # fmt: skip
        for arrays in columns.chunks(self._source.blocks(self.topic), size):
            samples = JointSamples(self.joints, *arrays)
            if self._effort_bounds:
                samples = quality.without_implausible(samples, self._effort_bounds)
            quality.count(samples)
            yield samples


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Keep messages in one line: names of topics and joints in a file may hold anything."""
    try:
        yield
    except RecordingError as error:
        text = str(error)
        if text.isprintable():
            raise
        line = ''.join(each if each.isprintable() else repr(each).strip("'") for each in text)
        raise RecordingError(line) from error


def _in_one_line(parts: Iterator[Read]) -> Iterator[Read]:
    with _one_line_errors():
        yield from parts
