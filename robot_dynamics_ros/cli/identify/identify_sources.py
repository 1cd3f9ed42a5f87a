"""The recordings of an identification, read again and again: here, or by tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.identification import LocalEquations, RecordedEquations
from robot_dynamics_ros.identification.estimation import (
    Estimate,
    LaggedInfluence,
    Period,
    WindowSums,
)
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence
from robot_dynamics_ros.identification.regression import (
    EquationBlock,
    ReducedEquations,
    Weights,
    reduce,
)
from robot_dynamics_ros.identification.regression.recorded_equations import MOST_KEPT
from robot_dynamics_ros.scheduling import Task

from ..fleet_options import Fleet
from ..output import Output
from .identify_setup import Setup, Source
from .identify_tasks import (
    correlate_recording,
    disturbed_recording,
    fitted_equations,
    judge_recording,
    reduce_recording,
    sum_windows,
)
from .surveys import Files, Surveys

# [B] of a part: some ten seconds of work.
LARGEST_PART = 1 << 28


@dataclass
class Sources:
    """The recordings that an identification uses; their fitted parts are its `FittedEquations`.

    Attributes:
        setup: of the identification.
        sources: recordings, or their parts.
        fleet: where tasks are computed.
        output: shows how far they are.
        empty: names of recordings that are to be fitted and gave no equation.
        most_kept: bytes of the equations that this process may keep for another pass.
    """

    setup: Setup
    sources: Sequence[Source]
    fleet: Fleet
    output: Output
    empty: tuple[str, ...] = ()
    most_kept: int = MOST_KEPT

    def __post_init__(self) -> None:
        """Equations that this process keeps, where no other process computes."""
        self._local = LocalEquations(RecordedEquations(self._blocks, self.most_kept))

    @classmethod
    def of(
        cls, setup: Setup, surveys: Surveys, files: Files, fleet: Fleet, output: Output
    ) -> Sources:
        """The usable recordings, divided into parts where tasks compute them.

        Args:
            setup: of the identification.
            surveys: of all recordings.
            files: of each recording by its name.
            fleet: where tasks are computed.
            output: shows how far they are.
        """
        whole = [surveys.source(name, files[name]) for name in surveys.usable]
        return cls(setup, [part for one in whole for part in in_parts(one, fleet)], fleet, output)

    def shifted(self, delay: float) -> Sources:
        """The same recordings, with efforts that come `delay` later than the states [s]."""
        return replace(self, sources=[replace(one, delay=delay) for one in self.sources])

    def smoothed(self, smoothing: tuple[float, ...]) -> Sources:
        """The same recordings, with that smoothing of the friction of each joint (n,)."""
        equations = replace(self.setup.equations, smoothing=smoothing)
        return replace(self, setup=replace(self.setup, equations=equations))

    def without_motion_of(self, joints: tuple[str, ...]) -> Sources:
        """The same recordings, in which these joints count as still."""
        return replace(self, setup=replace(self.setup, still=joints))

    def tried(self, smoothing: float) -> Sources:
        """The same for one pass: that smoothing of all joints, slow samples count too.

        Args:
            smoothing: of the friction [rad/s or m/s].
        """
        smoothed = self.smoothed((smoothing,) * len(self.setup.joints))
        equations = replace(smoothed.setup.equations, band=0.0)
        return replace(smoothed, setup=replace(self.setup, equations=equations), most_kept=0)

    def alone(self, name: str) -> Sources:
        """One of the recordings."""
        return replace(self, sources=[one for one in self.sources if one.name == name])

    @property
    def fitted_names(self) -> list[str]:
        """Names of the recordings that are fitted, wholly or in part."""
        return list(dict.fromkeys(source.name for source in self._fitted))

    @property
    def is_here(self) -> bool:
        """Whether this process computes all: it keeps the equations in memory if they fit."""
        return self.fleet.is_here and self.fleet.jobs is None

    def reduced(self, weights: Weights | None = None) -> ReducedEquations:
        """The equations of all fitted parts.

        Args:
            weights: of the equations; None for equal ones.

        Raises:
            RecordingError: a recording cannot be used.
            ParameterError: no fitted part has an equation.
        """
        if self.is_here:
            return self._local.reduced(weights)
        parts = self._of_fitted('identify', reduce_recording, weights)
        fitted = [source.name for source in self._fitted]
        found = {name for name, part in zip(fitted, parts, strict=True) if part is not None}
        self.empty = tuple(name for name in dict.fromkeys(fitted) if name not in found)
        some = [part for part in parts if part is not None]
        return ReducedEquations.merged(some) if some else reduce(())

    def windows(self, columns: tuple[int, ...], scales: Array, size: int) -> WindowSums:
        """Sums of the equations of all fitted parts over windows of time.

        Args:
            columns: (c,) that are fitted.
            scales: (c,) plausible magnitudes of their parameters.
            size: equations of each joint in a window.

        Raises:
            RecordingError: a recording cannot be used.
        """
        if self.is_here:
            return self._local.windows(columns, scales, size)
        return WindowSums.merged(self._of_fitted('windows', sum_windows, columns, scales, size))

    def disturbed(self, robust: Estimate) -> tuple[Period, ...]:
        """When something touched the robot in the fitted parts.

        Args:
            robust: estimate of all of them.

        Raises:
            RecordingError: a recording cannot be used.
        """
        if self.is_here:
            return self._local.disturbed(robust)
        found = self._of_fitted('contacts', disturbed_recording, robust.parameters)
        return tuple(period for periods in found for period in periods)

    def influence(self, found: Estimate, weights: Weights) -> LaggedInfluence:
        """How residuals of all fitted parts are correlated.

        Args:
            found: weighted estimate of all of them.
            weights: of their equations.

        Raises:
            RecordingError: a recording cannot be used.
        """
        if self.is_here:
            return self._local.influence(found, weights)
        arguments = (
            found.parameters,
            found.base_columns,
            found.base_covariance,
            found.noise,
            weights,
        )
        return LaggedInfluence.merged(
            self._of_fitted('correlations', correlate_recording, *arguments)
        )

    def evidence(self, nominal: Array, identified: Array) -> list[Evidence]:
        """What is kept of each recording to judge a model, in their order.

        Args:
            nominal: parameters (p,) of the description.
            identified: parameters (p,) of the identified model.
        """
        if self.is_here:
            parts = [
                judge_recording(self.setup, one, nominal, identified, self.output.progress)
                for one in self.sources
            ]
        else:
            tasks = [
                self._task(one, judge_recording, (nominal, identified)) for one in self.sources
            ]
            parts = self._results('judge', tasks)
        names = dict.fromkeys(source.name for source in self.sources)
        return [Evidence.joined([one for one in parts if one.file == name]) for name in names]

    def _blocks(self) -> Iterator[EquationBlock]:
        found = set()
        with self.output.progress('equations', len(self._fitted), 'recordings') as advance:
            for source in self._fitted:
                for block in fitted_equations(self.setup, source):
                    found.add(source.name)
                    yield block
                advance(1)
        self.empty = tuple(one.name for one in self._fitted if one.name not in found)

    @property
    def _fitted(self) -> list[Source]:
        """Those that are fitted, wholly or in part."""
        return [source for source in self.sources if source.fitted.role != 'held out']

    def _of_fitted(self, what: str, function: object, *arguments: object) -> list[Any]:
        """What tasks give of each fitted part, in their order."""
        tasks = [self._task(source, function, arguments) for source in self._fitted]
        return self._results(what, tasks)

    def _task(self, source: Source, function: object, arguments: tuple[object, ...]) -> Task:
        number, count = source.part
        name = source.name if count == 1 else f'{source.name}, part {number + 1} of {count}'
        return Task(name, function, (source, *arguments), reads=source.files)

    def _results(self, what: str, tasks: Sequence[Task]) -> list[Any]:
        outcomes = self.fleet.run(what, tasks, self.setup, self.output, 'parts')
        for outcome in outcomes:
            if outcome.error:
                raise RecordingError(outcome.error)
        return [outcome.result for outcome in outcomes]


def in_parts(source: Source, fleet: Fleet) -> list[Source]:
    """The parts of a large recording, for the tasks of a fleet.

    Args:
        source: the whole recording.
        fleet: where tasks are computed.
    """
    if fleet.is_here and fleet.jobs is None:
        return [source]
    # Other processes may have other working folders.
    there = replace(source, files=tuple(path.resolve() for path in source.files))
    count = max(1, -(-sum(map(_size, there.files)) // LARGEST_PART))
    return [replace(there, part=(number, count)) for number in range(count)]


def _size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    if path.is_dir():
        return sum(_size(Path(entry)) for entry in os.scandir(path))
    return path.stat().st_size
