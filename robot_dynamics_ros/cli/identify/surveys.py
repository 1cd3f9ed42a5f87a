"""The recordings of an identification: which can be used, and how each is divided."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.identification.judgement import JudgedRecording
from robot_dynamics_ros.identification.judgement.fitted_part import FittedPart
from robot_dynamics_ros.identification.judgement.repeated_motion import repeated_share
from robot_dynamics_ros.identification.judgement.survey import Survey, joined
from robot_dynamics_ros.identification.regression.cutoffs import WIDER
from robot_dynamics_ros.scheduling import Outcome, Task

from ..fleet_options import Fleet
from ..output import Output
from ..recording_options import RecordingOptions
from .identify_setup import Source, Surveyed
from .identify_tasks import survey_recording

Files = Mapping[str, tuple[Path, ...]]


@dataclass(frozen=True)
class Surveys:
    """What a first look at all recordings has shown.

    Attributes:
        usable: by the name of the recording.
        errors: why others cannot be used, by their names.
        held_out: names of those that are held out as a whole.
    """

    usable: Mapping[str, Surveyed]
    errors: Mapping[str, str]
    held_out: frozenset[str]

    @property
    def first(self) -> Surveyed:
        """That of the first usable recording: all have its joints."""
        return next(iter(self.usable.values()))

    @property
    def survey(self) -> Survey:
        """Of all samples of the recordings that are fitted."""
        fitted = [one for name, one in self.usable.items() if name not in self.held_out]
        return joined([one.survey for one in fitted])

    @property
    def interval(self) -> float:
        """Usual time between two samples, the shortest of all recordings [s]."""
        return min(one.interval for one in self.usable.values())

    @property
    def intervals(self) -> tuple[float, ...]:
        """Usual time between two samples of each recording [s]."""
        return tuple(one.interval for one in self.usable.values())

    @property
    def remarks(self) -> tuple[str, ...]:
        """On joints that the robot has not, each once."""
        return tuple(dict.fromkeys(one.remark for one in self.usable.values() if one.remark))

    @property
    def repeated(self) -> float:
        """The share of the held-out motion that repeats the fitted one; NaN if unknown."""
        fitted, held_out = [], []
        for name, one in self.usable.items():
            split = self._part(name).split
            fitted += one.trace.between(-math.inf, split)
            held_out += one.trace.between(split, math.inf)
        return repeated_share(fitted, held_out)

    def without(self, errors: Mapping[str, str]) -> Surveys:
        """Without recordings of which the comparison has found that they cannot be used.

        Args:
            errors: why, by their names.

        Raises:
            RecordingError: no recording that is to be fitted, or none to be held out, is left.
        """
        usable = {name: one for name, one in self.usable.items() if name not in errors}
        _check_left(usable, {**self.errors, **errors}, self.held_out)
        return Surveys(usable, {**self.errors, **errors}, self.held_out)

    def source(self, name: str, files: tuple[Path, ...]) -> Source:
        """A usable recording and its division."""
        one = self.usable[name]
        cutoffs = min(one.cutoffs[0], WIDER * self.cutoff), self.cutoff
        return Source(
            name, files, self._part(name), cutoffs, interval=one.interval, starts=one.starts
        )

    @property
    def cutoff(self) -> float:
        """Of the equations of all recordings: the lowest of all [Hz].

        Equations of a joint that have passed the same low pass have the same noise.
        """
        return min(one.cutoffs[1] for one in self.usable.values())

    def _part(self, name: str) -> FittedPart:
        if name in self.held_out:
            return FittedPart('held out', -math.inf)
        if self.held_out:
            return FittedPart('fitted', math.inf)
        return FittedPart('split', self.usable[name].survey.split)

    def recordings(self) -> list[JudgedRecording]:
        """Those that could be used, then the others."""
        used = [
            JudgedRecording(
                name,
                one.topic,
                one.survey.samples,
                self._part(name).split,
                rate=1.0 / one.interval,
                cutoff=self.cutoff,
            )
            for name, one in self.usable.items()
        ]
        return used + [JudgedRecording(name, error=text) for name, text in self.errors.items()]


def surveyed(
    options: RecordingOptions, files: Files, held_out: Sequence[str], fleet: Fleet, output: Output
) -> Surveys:
    """Look at all recordings once.

    Args:
        options: of the recordings.
        files: of each recording by its name, with those that are held out.
        held_out: names of these.
        fleet: where tasks are computed.
        output: shows how far they are.

    Raises:
        RecordingError: no recording that is to be fitted, or none to be held out, is usable.
    """
    outcomes = _outcomes(options, files, fleet, output)
    usable: dict[str, Surveyed] = {}
    errors: dict[str, str] = {}
    first = next((one.result for one in outcomes if not one.error), None)
    for outcome in outcomes:
        if outcome.error:
            errors[outcome.name] = outcome.error
        elif outcome.result.joints != first.joints:
            errors[outcome.name] = (
                f'{outcome.name} has the joints {", ".join(outcome.result.joints)}, others have '
                f'{", ".join(first.joints)}: identify them apart'
            )
        else:
            usable[outcome.name] = outcome.result
    _check_left(usable, errors, held_out)
    return Surveys(usable, errors, frozenset(held_out))


def _check_left(
    usable: Mapping[str, Surveyed], errors: Mapping[str, str], held_out: Collection[str]
) -> None:
    """Check that there is a recording to fit, and one to hold out where some are named."""
    if not usable.keys() - set(held_out):
        raise RecordingError(next(text for name, text in errors.items() if name not in held_out))
    if held_out and not usable.keys() & set(held_out):
        raise RecordingError(next(text for name, text in errors.items() if name in held_out))


def _outcomes(
    options: RecordingOptions, files: Files, fleet: Fleet, output: Output
) -> list[Outcome]:
    if len(files) == 1 and fleet.is_here:
        ((name, paths),) = files.items()
        return [Outcome(name, survey_recording(options, name, paths, output.progress))]
    tasks = []
    for name, paths in files.items():
        # Other processes may have other working folders.
        there = tuple(path.resolve() for path in paths)
        tasks.append(Task(name, survey_recording, (name, there), reads=there))
    return fleet.run('recordings', tasks, options, output, 'recordings')


def check_held_out(fitted: Files, held_out: Files) -> None:
    """Check that no recording is fitted and held out.

    Raises:
        ParameterError: one is both.
    """
    resolved = {path.resolve() for paths in fitted.values() for path in paths}
    for name, paths in held_out.items():
        if resolved.intersection(path.resolve() for path in paths):
            raise ParameterError(
                f'--held-out {name} is fitted too: name another recording, or leave the option '
                'out, and the last third of each recording is held out'
            )
