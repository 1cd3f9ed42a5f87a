"""A recording of joint states, from files of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .joint_names import recorded_names, renamed
from .joint_samples import JointSamples, columns_of, median_interval
from .motion import Motion, filtered, usual_cutoff
from .quality import IMPLAUSIBLE, Quality
from .segments import cut
from .sources import chosen_topic, open_source


class Recording:
    """Joint states of one recording: as they were recorded, cut into segments, or filtered.

    The files are read once, into arrays of double: a million states of seven joints are 176 MB.
    """

    name: str  #: of the files, for messages
    topic: str  #: that is read
    topics: dict[str, int]  #: those of joint states, and how many messages each has
    joints: tuple[str, ...]  #: names after renaming, in the order of the columns
    names: dict[str, str]  #: of all recorded joints, after renaming, by the recorded name
    kinds: dict[tuple[str, ...], float]  #: usual interval [s] of messages, by their joints
    start: int  #: time of the first sample [ns]
    interval: float  #: usual time between two samples [s]; NaN with one sample
    descriptions: tuple[str, ...]  #: URDF texts on /robot_description, the newest one last
    size: int  #: number of messages
    cutoff: float | None  #: of the low pass that was asked for [Hz]; None: from the spectrum

    def __init__(
        self,
        source: Any,
        topic: str,
        renaming: Mapping[str, str],
        joints: Sequence[str] | None,
        model: RobotModel | None = None,
        cutoff: float | None = None,
    ) -> None:
        """Read a topic of a source, see `sources.open_source`; the others as those of `read`."""
        self.name, self.topic, self.topics = source.name, topic, dict(source.topics)
        self.descriptions, self.size = tuple(source.descriptions), source.topics[topic]
        self.cutoff, self._model, self._largest = cutoff, model, IMPLAUSIBLE
        kinds, clock = source.states(topic)
        if not kinds:
            raise RecordingError(
                f'{self.name}: no message on {topic} has names and as many positions'
            )
        recorded = tuple(dict.fromkeys(name for kind in kinds for name in kind.names))
        try:
            self.names = dict(zip(recorded, renamed(recorded, renaming), strict=True))
            if joints is None:
                most = [self.names[name] for name in max((one.names for one in kinds), key=len)]
                own = model.joint_names if model else most
                joints = [name for name in own if name in most] or own
            chosen = recorded_names(self.names, joints)
        except RecordingError as error:
            raise RecordingError(f'{self.name}: {error}') from None
        self.joints = tuple(joints)
        self.kinds = {
            tuple(self.names[name] for name in kind.names): median_interval(kind.times)
            for kind in kinds
        }
        columns = columns_of(kinds, chosen)
        self.start, self.interval = columns.start, columns.interval
        times: Array = np.multiply(columns.times - self.start, 1e-9)
        self._recorded = JointSamples(self.joints, times, *columns.values)
        others = (one for one in kinds if set(chosen).isdisjoint(one.names))
        self._messages = Quality(
            clock,
            interval=self.interval,
            malformed=self.size - sum(len(one.numbers) for one in kinds),
            of_other_joints=sum(len(one.numbers) for one in others),
            merged=columns.merged,
            skew=1e-9 * columns.skew,
        )

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
        """From now on, efforts and states that the robot cannot have count as not measured.

        Args:
            model: of the robot.
            largest: times the effort limit of a joint: an effort beyond is none.
        """
        self._model, self._largest = model, largest
        for name in ('_judged', '_segments'):
            vars(self).pop(name, None)

    @property
    def quality(self) -> Quality:
        """What is wrong with the recording; losses of the filter are those of `motions`."""
        return self._segments[1]

    def states(self) -> JointSamples:
        """All samples as they were recorded.

        Raises:
            RecordingError: no sample has all joints.
        """
        samples, _ = self._judged
        if not len(samples):
            raise RecordingError(f'{self.name}: no sample has all of {", ".join(self.joints)}')
        return samples

    def segments(self) -> list[JointSamples]:
        """Samples that follow each other, with strictly increasing times; none is interpolated.

        Left out are samples with a repeated stamp, late ones that are earlier by less than a gap,
        positions that are not finite, states that no joint reaches, and those without a velocity
        or an effort that is measured shortly before and after. Cut are gaps, jumps of the clock
        and of positions, and where a velocity or an effort begins or ends to be measured.
        """
        return self._segments[0]

    def motions(self, *, cutoff: float | None = None, efforts: bool = True) -> Iterator[Motion]:
        """The segments, filtered, with accelerations.

        Half the length of the filter, 1.8 / cutoff seconds, is lost at both ends of a segment;
        shorter segments are counted in `quality.unused`.

        Args:
            cutoff: of the low pass [Hz]; None: that of the recording.
            efforts: whether they are wanted; without them it is a third faster.

        Raises:
            RecordingError: samples come too slowly, no segment is long enough, or the cutoff is
                not possible.
        """
        with _one_line_errors():
            used = self.usual_cutoff(cutoff)
            yield from filtered(*self._segments, self.name, cutoff=used, efforts=efforts)

    def usual_cutoff(self, asked: float | None = None) -> float:
        """The cutoff of `motions` [Hz].

        Raises:
            RecordingError: samples come too slowly, or it is not possible.
        """
        wanted = self.cutoff if asked is None else asked
        return usual_cutoff(self.segments(), self.interval, self.name, wanted)

    @cached_property
    def _judged(self) -> tuple[JointSamples, Quality]:
        """The samples with NaN for efforts that no drive has, counted."""
        samples = self._recorded
        quality = replace(self._messages, missing_efforts={}, largest={}, implausible={})
        if self._model is not None:
            samples = quality.plausible(samples, self._model, self._largest)
        quality.count(samples)
        return samples, quality

    @cached_property
    def _segments(self) -> tuple[list[JointSamples], Quality]:
        samples, quality = self._judged
        return cut(samples, self._model, quality), quality


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Keep messages in one line: names of topics and joints in a file may hold anything."""
    try:
        yield
    except RecordingError as error:
        line = ''.join(one if one.isprintable() else repr(one)[1:-1] for one in str(error))
        raise RecordingError(line) from error
