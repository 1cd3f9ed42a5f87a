"""A recording of joint states, from files of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import RecordingError

from .joint_columns import Messages, median_interval
from .joint_names import recorded_names, renamed
from .joint_samples import JointSamples, gap_limit
from .motion import Motion, filtered, usual_cutoff
from .quality import IMPLAUSIBLE, Quality, effort_bounds
from .segments import Segments, cut, reach_of
from .sources import chosen_topic, open_source
from .sources.source import States, StateSource

# Samples in a chunk.
CHUNK = 65536
# So many states are looked at first: they say names, clock and interval.
STATES = 1000


class Recording:
    """Joint states of one recording: as they were recorded, cut into segments, or filtered.

    The files are read once, when samples are first asked for, into arrays of double: a million
    states of seven joints are 176 MB. No file stays open.

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
        """Look at the first states of a topic of a source; the others as those of `read`.

        Raises:
            RecordingError: a joint is missing, or no message can be used.
        """
        self._source = source
        self.name, self.topic, self.topics = source.name, topic, dict(source.topics)
        self.descriptions, self.size = tuple(source.descriptions), source.topics[topic]
        first = self._first_messages()
        recorded = tuple(dict.fromkeys(name for kind in first.kinds for name in kind.names))
        try:
            new = dict(zip(recorded, renamed(recorded, renaming), strict=True))
        except RecordingError as error:
            raise RecordingError(f'{self.name}: {error}') from None
        self.names: Mapping[str, str] = new
        most = max((kind.names for kind in first.kinds), key=len)
        if model is not None and joints is None:
            there = {new[name] for name in most}
            joints = [name for name in model.joint_names if name in there] or model.joint_names
        self._recorded = most if joints is None else recorded_names(self.name, new, joints)
        self.joints = tuple(new[name] for name in self._recorded)
        self.kinds: Mapping[tuple[str, ...], float] = {
            tuple(new[name] for name in kind.names): median_interval(first.times(kind))
            for kind in first.kinds
        }
        # The joint whose messages make samples.
        self._reference = first.rarest(self._recorded)
        _, times, _ = first.of(self._reference)
        self.clock, self.start, self.interval = first.clock, int(times[0]), median_interval(times)
        self.cutoff, self._model, self._largest = cutoff, model, IMPLAUSIBLE

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
        """The recording that files together are.

        Args:
            files: bag folders, storage files, ROS 1 bags; or CSV files, or a folder of them
                (docs/recordings.md).
            model: of the robot, see `judge_efforts`.
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
        with _one_line_errors():
            source = open_source([Path(file) for file in named])
            return cls(source, chosen_topic(source, topic), rename or {}, joints, model, cutoff)

    def judge_efforts(self, model: RobotModel, largest: float = IMPLAUSIBLE) -> None:
        """From now on, what no drive and no joint of a robot can do counts as not measured.

        These are efforts far beyond the limits, and states that no joint reaches.

        Args:
            model: of the robot; `quality` counts both.
            largest: times the effort limit of a joint, see `quality.effort_bounds`.
        """
        self._model, self._largest = model, largest
        for name in ('_judged', '_segments'):
            vars(self).pop(name, None)

    @property
    def quality(self) -> Quality:
        """What is wrong with the recording; losses of the filter are those of `motions`.

        Raises:
            RecordingError: the files are damaged.
        """
        return self._segments[1]

    def states(self) -> JointSamples:
        """All samples as they were recorded.

        Raises:
            RecordingError: the files are damaged, or no sample has all joints.
        """
        samples, _ = self._judged
        if not len(samples):
            raise RecordingError(f'{self.name}: no sample has all of {", ".join(self.joints)}')
        return samples

    def chunks(self, size: int = CHUNK) -> Iterator[JointSamples]:
        """The same in parts of at most so many samples; none where no sample has all joints.

        Raises:
            RecordingError: the files are damaged.
        """
        samples, _ = self._judged
        for first in range(0, len(samples), size):
            yield samples.part(slice(first, first + size))

    def segments(self, size: int = CHUNK) -> Iterator[JointSamples]:
        """Samples that follow each other, with strictly increasing times; none is interpolated.

        Left out are samples with a repeated stamp, late ones that are earlier by less than a gap,
        positions that are not finite, states that no joint reaches, and those without a velocity
        or an effort that is measured shortly before and after. Cut are gaps, jumps of the clock
        and of positions, and where a velocity or an effort begins or ends to be measured.

        Args:
            size: samples of a part, at most; `begins` says which parts begin a segment.

        Raises:
            RecordingError: the files are damaged.
        """
        segments, _ = self._segments
        for first, last in segments.bounds:
            for begin in range(first, last, size):
                yield segments.part(begin, min(begin + size, last), begins=begin == first)

    def motions(self, *, cutoff: float | None = None, efforts: bool = True) -> Iterator[Motion]:
        """The segments, filtered, with accelerations; long ones in parts.

        Half the length of the filter, 1.8 / cutoff seconds, is lost at both ends of a segment;
        shorter segments are counted in `quality.unused`, edges of cuts in `quality.edges`.

        Args:
            cutoff: of the low pass [Hz]; None: that of the recording.
            efforts: whether they are wanted; without them it is a third faster.

        Raises:
            RecordingError: the files are damaged, samples come too slowly, no segment is long
                enough, or the cutoff is not possible.
        """
        wanted = self.cutoff if cutoff is None else cutoff
        with _one_line_errors():
            yield from filtered(*self._segments, self.name, cutoff=wanted, efforts=efforts)

    def usual_cutoff(self) -> float:
        """The cutoff that `motions` chooses where none is asked for [Hz].

        Raises:
            RecordingError: the files are damaged, or samples come too slowly.
        """
        return usual_cutoff(self._segments[0], self.interval, self.name)

    def _first_messages(self) -> Messages:
        def few(blocks: Iterator[Sequence[States]]) -> Iterator[Sequence[States]]:
            count = 0
            while count < STATES and (block := next(blocks, None)) is not None:
                count += sum(len(part.numbers) for part in block if part.names)
                yield block

        with closing(self._source.states(self.topic)) as blocks:
            first = Messages(few(blocks), self._source.clock)
        if not first.kinds:
            raise RecordingError(
                f'{self.name}: no message on {self.topic} has names and as many positions'
            )
        return first

    @cached_property
    def _read(self) -> tuple[JointSamples, Quality]:
        """All samples as they were recorded, and what is known of the messages."""
        with _one_line_errors():
            messages = Messages(self._source.states(self.topic), self.clock)
        others = [
            each for each in messages.kinds if not {*self._recorded}.intersection(each.names)
        ]
        age = round(1e9 * gap_limit(self.interval))
        stamps, values, merged, skew = messages.samples(self._recorded, self._reference, age)
        times = (stamps - self.start) * 1e-9
        quality = Quality(
            self.clock,
            interval=self.interval,
            malformed=messages.malformed,
            of_other_joints=sum(len(kind.numbers) for kind in others),
            merged=merged,
            skew=1e-9 * skew,
        )
        return JointSamples(self.joints, times, *values), quality

    @cached_property
    def _judged(self) -> tuple[JointSamples, Quality]:
        """The same with NaN for efforts that no drive has."""
        samples, messages = self._read
        quality = replace(messages, missing_efforts={}, largest={}, implausible={})
        if self._model is not None:
            bounds = effort_bounds(self._model, self.joints, self._largest)
            samples = quality.without_implausible(samples, bounds)
        quality.count(samples)
        return samples, quality

    @cached_property
    def _segments(self) -> tuple[Segments, Quality]:
        samples, quality = self._judged
        return cut(samples, reach_of(self._model, self.joints), quality), quality


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
