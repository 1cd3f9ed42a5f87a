"""An identified robot: its parameters with intervals, how well they predict, and its files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.comparison import Compared, Finding
from robot_dynamics_ros.comparison.findings import advised
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RobotDynamicsError
from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.inspection import validate_robot
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.report import report_page
from robot_dynamics_ros.written_file import write_folder

from .identification_report import identification_report
from .parameters import IdentifiedModel, Parameters
from .recorded_rows import MIN_ROWS, FittedRobot, RecordedRobot, RecordedRows, Source, opener
from .result_files import URDF, result_files, written_urdf
from .validation import JointValidation, validated

REPORT = 'report.html'
# Of each recording, in JSON.
OF_RECORDINGS = 'file', 'topic', 'samples', 'duration', 'rate', 'cutoff', 'error'
# Files of a folder of results that another identification may read.
READ_AGAIN = (URDF, REPORT)


@dataclass(frozen=True, eq=False)
class Identified:
    """An identified robot: what validates it on other recordings, and writes files.

    What is written is fitted to everything that was recorded; each part of it was predicted by a
    model that had not seen it.
    """

    recorded: RecordedRows = field(repr=False)  #: of all recordings, and the robot that makes them
    found: FittedRobot = field(repr=False)  #: the fit
    parameters: Parameters = field(repr=False)  #: with intervals
    validation: dict[str, JointValidation]  #: by joint, on motion that was not fitted
    predicted: Array = field(repr=False)  #: (N, n) torques of these rows; NaN where there are none
    findings: Sequence[Finding]  #: about data and parameters, the most important one first
    errors: dict[str, str]  #: why other recordings cannot be used, by name
    urdf: str = field(repr=False)  #: text of the given URDF; empty without one
    locked: tuple[str, ...] = ()  #: joints that were not recorded
    remarks: tuple[str, ...] = ()  #: on the recordings, which do not weaken the result

    @property
    def robot(self) -> RecordedRobot:
        """The robot of the URDF, whose joints that were not recorded are locked."""
        return self.recorded.robot

    @property
    def model(self) -> IdentifiedModel:
        """The robot of the joints that were recorded, with these parameters."""
        return self.parameters.model

    @property
    def name(self) -> str:
        """Of the robot."""
        return self.robot.model.name

    @property
    def summary(self) -> str:
        """What the data determine, and how well it predicts."""
        gains = [one.gain for one in self.validation.values() if one.moves and one.gain > 0.0]
        mean = np.exp(np.mean(np.log(gains))) if gains else math.nan
        found, ratio = self.parameters, f'{100.0 * mean:.3g} % of that of the URDF'
        return (
            f'{found.determined} of {len(found.sums)} base parameters, condition '
            f'{found.condition:.3g}; residual of motion that was not fitted: '
            f'{ratio if gains else "unknown"}'
        )

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Why the model is not to be loaded, one line each; empty for one that can be.

        It is worse than the URDF on motion that was not fitted, nothing was predicted, findings
        are errors, or the audit or Pinocchio find an error in the file that would be written.
        """
        joints = self.validation.items()
        unknown = [name for name, one in joints if one.moves and math.isnan(one.gain)]
        codes = list(dict.fromkeys(one.code for one in self.findings if one.is_error))
        reasons = {
            'certainly worse than the URDF': [name for name, one in joints if one.is_worse],
            f'not validated, fewer than {MIN_ROWS} rows with motion and an effort': unknown,
            'no parameter can be trusted': codes,
        }
        found = [f'{text}: {listed(names)}' for text, names in reasons.items() if names]
        # What else is wrong with the file follows from errors of the data.
        if self.urdf and not codes:
            try:
                urdf = written_urdf(self.urdf, self.robot.model, self.model)
                before = _errors(self.urdf)
                found += [f'audit: {text}' for text in _errors(urdf) if text not in before]
            except RobotDynamicsError as error:
                found.append(str(error))
        return tuple(found)

    def validate(self, recordings: Sequence[Recording]) -> dict[str, JointValidation]:
        """How well this model predicts other recordings, of which nothing was fitted.

        Raises:
            ParameterError: one was fitted.
            RecordingError: one cannot be used.
        """
        cutoff, sources = self.recorded.cutoff, []
        for one in recordings:
            if one.name in {each.files for each in self.recorded.sources}:
                raise ParameterError(f'{one.name} was fitted: it cannot validate')
            compared = Compared(self.name, one.name, cutoff=cutoff)
            sources.append(Source(one.name, opener(one), one.name, compared, True))
        rows = self.robot.rows(sources).whole
        return validated(self.robot.model, rows, self.found.fitted.predicted(rows))

    def as_json(self) -> dict[str, Any]:
        """The contract of `robot_dynamics identify --json`, see docs/identification.md.

        SI units; null where a number is not known.
        """
        found, counts = self.parameters, self.recorded.whole.used.sum(axis=0)
        joints = {
            name: vars(one) | {'standing': one.standing} for name, one in self.validation.items()
        }
        return {
            'robot': self.name,
            'summary': self.summary,
            'recordings': [
                {name: getattr(one, name) for name in OF_RECORDINGS}
                | {'held_out': one.file in self.held_out}
                for one in self.recordings
            ],
            'validation': joints,
            'findings': [one.as_json() for one in advised(self.findings)],
            'doubts': list(self.doubts),
            'remarks': list(self.remarks),
            'locked': list(self.locked),
            'rank': found.determined,
            'structural_rank': len(found.sums),
            'condition': found.condition,
            'effort_delay': self.robot.delay,
            'rows': dict(zip(self.validation, counts.tolist(), strict=True)),
            'joint_parameters': [vars(row) for row in found.joints],
            'body_parameters': [vars(row) for row in found.bodies],
            'base_parameters': [vars(row) for row in found.sums],
            'friction_curves': {name: vars(one) for name, one in found.curves.items()},
        }

    @property
    def recordings(self) -> tuple[Compared, ...]:
        """All of them, beside the URDF; those that cannot be used have an error."""
        cutoff = self.recorded.cutoff
        used = (replace(one.compared, cutoff=cutoff) for one in self.recorded.sources)
        failed = (Compared(self.name, name, error=text) for name, text in self.errors.items())
        return (*used, *failed)

    @property
    def held_out(self) -> tuple[str, ...]:
        """Names of recordings that were predicted, and not fitted at first."""
        return tuple(one.name for one in self.recorded.sources if one.held_out)

    def save(
        self, folder: Path | str, *, doubtful: bool = False, command: Sequence[str] = ()
    ) -> list[Path]:
        """Write the files of docs/identified_files.md: all of them, or none.

        Args:
            folder: is made where there is none.
            doubtful: whether a model is written that is not to be loaded; its files say so.
            command: words of the command that gave the result, for the report; none without one.

        Raises:
            ParameterError: something speaks against the model, no text of a URDF was given, a URDF
                cannot hold the model, or a file is in the way.
            OSError: the folder cannot be written.
        """
        if self.doubts and not doubtful:
            raise ParameterError(f'{folder} is not written: {"; ".join(self.doubts)}')
        if not self.urdf:
            raise ParameterError('the robot has no text: give that of its URDF to the Identifier')
        rows, report = self.parameters.joints, report_page(identification_report(self), command)
        files = result_files(
            self.urdf, self.robot.model, self.model, self.as_json(), rows=rows, doubts=self.doubts
        )
        files = {**files, REPORT: report}
        write_folder(folder, files)
        return [Path(folder) / name for name in sorted(files)]


def _errors(urdf: str) -> list[str]:
    """Errors that audit and cross-check find in a URDF, in a line each."""
    found = validate_robot(parse_urdf(urdf), urdf).failures(strict=False)
    return [f'{one.link}: {one.problem} ({one.value})' for one in found]
