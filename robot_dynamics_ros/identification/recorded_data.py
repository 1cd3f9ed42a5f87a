"""The recordings of an identification: their equations, and the torques of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from typing import TypeVar

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import JointSamples, Motion, Recording
from robot_dynamics_ros.recordings.low_pass import checked_cutoff

from .equations import Equations
from .held_out import Torques, split_motions
from .judgement import JudgedRecording
from .motion_equations import SMOOTHINGS, EquationOptions, MotionEquations, motions_cutoff
from .moving_samples import dead_bands
from .parameters import USUAL, JointTerm, Load, ParameterLayout
from .survey import Survey

Part = TypeVar('Part', JointSamples, Motion)
# What is done, how many states there are, and their unit; gives what takes the number of those
# that were done since its last call.
Progress = Callable[[str, int | None, str], AbstractContextManager[Callable[[int], object]]]


def no_progress(
    what: str, total: int | None, unit: str
) -> AbstractContextManager[Callable[[int], object]]:
    """Progress that nobody sees."""
    return nullcontext(lambda done: None)


@dataclass(frozen=True)
class Source:
    """One recording.

    Attributes:
        name: of the recording.
        recording: of the joints of the model, or of more.
        cutoff: of its equations [Hz].
        survey: of its samples.
        split: time at which its held-out part begins [s]; infinite where all of it is fitted, and
            minus infinity where all of it is held out.
    """

    name: str
    recording: Recording
    cutoff: float
    survey: Survey
    split: float

    @classmethod
    def surveyed(
        cls,
        name: str,
        recording: Recording,
        model: RobotModel,
        progress: Progress,
    ) -> Source:
        """Look at all samples of a recording once; its last third is held out.

        Args:
            name: of the recording.
            recording: of the joints of the model.
            model: of these joints.
            progress: shows how far it is.

        Raises:
            RecordingError: the files are damaged, or the cutoff is not possible.
        """
        wanted, rate = recording.cutoff, 1.0 / recording.interval
        cutoff = recording.usual_cutoff() if wanted is None else checked_cutoff(wanted, rate)
        chunks = _counted(recording.chunks(), name, recording, progress)
        survey = Survey.of(chunks, dead_bands(model), recording.interval)
        return cls(name, recording, cutoff, survey, survey.split)


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
        smoothing: of the friction by joint, see `ParameterLayout`; empty: the usual one.
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
    smoothing: tuple[float, ...] = ()
    delay: float = 0.0
    parts: Mapping[str, Sequence[tuple[bool, Equations]]] = field(default_factory=dict)

    @cached_property
    def layout(self) -> ParameterLayout:
        """Of what is estimated."""
        return ParameterLayout(
            self.model, self.terms, self.loads, dict(self.known), self.smoothing
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

    def read(self) -> RecordedData:
        """The same with the equations of all recordings, in one pass over each.

        Raises:
            RecordingError: a recording cannot be used.
        """
        options = EquationOptions(
            cutoff=self.cutoff,
            effort_levels=self.survey.levels(self.model),
            unmeasured=self.unmeasured,
            # Friction that is given is not looked for.
            smoothings=() if self.smoothing else SMOOTHINGS,
        )
        maker = MotionEquations(self.layout, options, self.dynamics)
        return replace(self, parts={one.name: self._parts(one, maker) for one in self.sources})

    def alone(self, name: str) -> RecordedData:
        """One of the recordings."""
        return replace(self, sources=[one for one in self.sources if one.name == name])

    def all_fitted(self) -> RecordedData:
        """The same recordings with nothing held out."""
        return replace(self, sources=[replace(one, split=np.inf) for one in self.sources])

    @cached_property
    def equations(self) -> Equations:
        """Of all that is fitted.

        Raises:
            ParameterError: nothing that is fitted has an equation.
        """
        fitted = [
            part
            for one in self.fitted_sources
            for held_out, part in self.parts[one.name]
            if not held_out or one.split == np.inf
        ]
        return self._settled(Equations.joined(fitted))

    def empty_names(self) -> list[str]:
        """Names of recordings that are to be fitted and give no equation."""
        return [
            one.name
            for one in self.fitted_sources
            if not any(not held_out for held_out, _ in self.parts[one.name])
        ]

    def torques(self, nominal: Array, identified: Array) -> list[Torques]:
        """The torques of each recording.

        Args:
            nominal: parameters (p,) of the URDF.
            identified: parameters (p,) of the identified model.
        """
        found = []
        for source in self.sources:
            # Slow joints are judged too.
            parts = [
                (held_out, replace(self._settled(part), slow_count=True))
                for held_out, part in self.parts[source.name]
            ]
            found.append(Torques.of_equations(source.name, parts, self.model, nominal, identified))
        return found

    def judged_recordings(self, torques: Sequence[Torques]) -> list[JudgedRecording]:
        """What is said of each recording.

        Args:
            torques: of each.
        """
        found = []
        for source, one in zip(self.sources, torques, strict=True):
            held_out = int(one.held_out.sum())
            found.append(
                JudgedRecording(
                    source.name,
                    source.recording.topic,
                    source.survey.samples,
                    held_out * one.interval if held_out > 1 else 0.0,
                    1.0 / source.recording.interval,
                    self.cutoff,
                    split=source.split,
                    held_out=held_out,
                )
            )
        return found

    def _settled(self, equations: Equations) -> Equations:
        """Equations with the delay, the smoothing and what is known and still."""
        smoothing = self.layout.smoothings.tolist()
        return replace(
            equations.shifted(self.delay).smoothed(smoothing).with_known(dict(self.known)),
            still=self.still,
        )

    def _parts(self, source: Source, maker: MotionEquations) -> list[tuple[bool, Equations]]:
        """The equations of a recording in the order of time, each with whether it is held out."""
        cutoff = motions_cutoff(self.cutoff, 1.0 / source.recording.interval)
        found: list[tuple[bool, Equations]] = []
        motions = source.recording.motions(cutoff=cutoff)
        counted = _counted(motions, source.name, source.recording, self.progress)
        parts = split_motions(counted, source.split)
        for held_out, group in groupby(parts, key=itemgetter(0)):
            made = maker.of_motions((motion for _, motion in group), source.name)
            first = next(made, None)
            if first is not None:
                found.append((held_out, Equations.joined(chain([first], made))))
        return found


def _counted(
    parts: Iterable[Part], name: str, recording: Recording, progress: Progress
) -> Iterator[Part]:
    """The parts of a recording, whose progress is shown."""
    with progress(name, recording.size, 'states') as advance:
        for part in parts:
            yield part
            advance(len(part))
