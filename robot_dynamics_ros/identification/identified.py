"""An identified robot: its parameters with intervals, how well they predict, and its files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.core.errors import RobotDynamicsError
from robot_dynamics_ros.inspection import validate_robot
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.report import Provenance, provenance, report_content
from robot_dynamics_ros.written_file import write_folder

from .findings import FEWEST, of_recordings
from .friction import FrictionGains
from .identification_report import identification_report
from .identified_model import IdentifiedModel
from .identify import IdentifiedParameters
from .judgement import Judgement, judge
from .parameter_rows import ParameterRow, base_rows, body_rows, joint_rows, without_scale
from .recorded_data import RecordedData, Source, still_open
from .result_files import URDF, result_files, written_urdf

REPORTS = ('report.html', 'report.png')
# Files of a folder of results that another identification may read.
READ_AGAIN = (URDF, *REPORTS)


@dataclass(frozen=True, eq=False)
class Identified:
    """An identified robot: what judges other recordings, and writes files.

    The judgement is of a model that was fitted without the held-out part; parameters and intervals
    are of the same estimate from everything that was recorded.

    Attributes:
        judgement: on data that were not fitted.
        found: the parameters, fitted to everything.
        data: the recordings, with all choices.
        urdf: text of the given URDF; empty without one.
        comparison: with the URDF.
        judged_equations: to which the judged model was fitted.
        failure: why no physically consistent estimate was found; empty where one was.
        remarks: on the recordings, which do not weaken the result.
        friction_gains: of each joint, the terms of friction that were chosen with what each leaves
            of the residual on other motion, and its 95 % interval [-].
    """

    judgement: Judgement
    found: IdentifiedParameters = field(repr=False)
    data: RecordedData = field(repr=False)
    urdf: str = field(repr=False)
    comparison: Comparison = field(repr=False)
    judged_equations: int
    failure: str = ''
    remarks: tuple[str, ...] = ()
    friction_gains: FrictionGains = field(default_factory=dict)

    @cached_property
    def model(self) -> IdentifiedModel:
        """The robot of the joints that were recorded, with these parameters."""
        gravity = tuple(self.data.dynamics.gravity.tolist())
        return replace(self.found.model, gravity=gravity)

    @cached_property
    def joint_rows(self) -> tuple[ParameterRow, ...]:
        """Friction, rotor and offset of the joints."""
        found = self.found
        return without_scale(joint_rows(found.base, found.final), found.unknown_gains)

    @cached_property
    def body_rows(self) -> tuple[ParameterRow, ...]:
        """Inertial parameters of the bodies."""
        return body_rows(self.found.base, self.found.final)

    @cached_property
    def base_rows(self) -> tuple[ParameterRow, ...]:
        """Base parameters."""
        found = self.found
        return without_scale(base_rows(found.base, found.final), found.unknown_gains)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Sentences about bodies that stay as the URDF says, and why."""
        return tuple(self.found.base.undetermined.values())

    @property
    def unknown_joints(self) -> tuple[str, ...]:
        """Joints without a fitted equation: no value of their friction is a result."""
        return tuple(name for name, numbers in self.found.numbers.items() if not numbers['used'])

    @property
    def summary(self) -> str:
        """What the data determine, and by which estimate."""
        base, final = self.found.base, self.found.final
        prior = final.prior_weight
        worth = f', the prior of each parameter worth {prior:g} equations' if prior != 1.0 else ''
        return (
            f'{base.rank} of {base.structure.rank} base parameters, condition '
            f'{base.condition:.3g}, estimate: {final.method}{worth}; fitted to all '
            f'{self.found.used} equations, judged with {self.judged_equations}'
        )

    def as_json(self) -> dict[str, Any]:
        """The contract of `robot_dynamics identify --json`, see docs/identification.md.

        SI units; null where a number is not known.
        """
        base, final = self.found.base, self.found.final
        return {
            'robot': self.judgement.robot,
            **self.judgement.as_json(),
            'method': final.method,
            'rank': base.rank,
            'structural_rank': base.structure.rank,
            'condition': base.condition,
            'prior_weight': final.prior_weight,
            'effort_delay': self.data.delay,
            'judged_equations': self.judged_equations,
            'written_equations': self.found.used,
            'equations': {name: dict(numbers) for name, numbers in self.found.numbers.items()},
            'joint_parameters': [vars(row) for row in self.joint_rows],
            'body_parameters': [vars(row) for row in self.body_rows],
            'base_parameters': [vars(row) for row in self.base_rows],
            'friction_terms': {
                joint: {term: list(gain) for term, gain in gains.items()}
                for joint, gains in self.friction_gains.items()
            },
            'undetermined': list(self.undetermined),
            'objections': list(self.objections),
            'remarks': list(self.remarks),
        }

    @cached_property
    def objections(self) -> tuple[str, ...]:
        """Why the model is not to be loaded, one line each; empty for one that can be.

        It is worse than the URDF on the held-out part, findings make it doubtful, or the audit or
        the comparison with Pinocchio find an error in the file that would be written.
        """
        judgement = self.judgement
        reasons = []
        if judgement.worse:
            reasons.append(
                'the identified model is worse than the URDF on the held-out part at '
                f'{", ".join(judgement.worse)}'
            )
        if self.failure and not judgement.fatal:
            reasons.append(self.failure)
        if judgement.unjudged:
            reasons.append(
                f'not judged at {", ".join(judgement.unjudged)}: at least {FEWEST} samples of the '
                'held-out part must have motion and a measured effort there: record more, or hold '
                'out a recording that has them'
            )
        if judgement.fatal:
            # What else is wrong with the file follows from that.
            return (*reasons, judgement.fatal)
        if not self.urdf:
            return tuple(reasons)
        try:
            urdf = written_urdf(self.urdf, self.data.model, self.model)
        except RobotDynamicsError as error:
            return (*reasons, str(error))
        before = _errors(self.urdf)
        return (*reasons, *(f'audit: {text}' for text in _errors(urdf) if text not in before))

    def judge(self, recordings: Sequence[Recording]) -> Judgement:
        """How well this model predicts other recordings, of which nothing was fitted.

        Raises:
            RecordingError: a recording cannot be used.
        """
        data = self.data
        surveyed = (
            Source.surveyed(one.name, still_open(one), one, data.model, data.progress)
            for one in recordings
        )
        sources = [replace(one, split=-math.inf) for one in surveyed]
        # No other friction is looked for.
        other = replace(data, sources=sources, tried=False)
        models = data.layout.nominal(), self.found.final.parameters
        torques = other.read(models).torques(*models)
        return judge(
            other,
            torques,
            compared=of_recordings(
                {
                    one.name: compared
                    for one, compared in zip(
                        recordings, self.comparison.fit(recordings), strict=True
                    )
                }
            ),
        )

    def save(
        self,
        folder: Path | str,
        *,
        doubtful: bool = False,
        origin: Provenance | None = None,
    ) -> list[Path]:
        """Write URDF, friction.yaml, dynamics_node.yaml, identification.json and both reports.

        All files, or none; see docs/identified_files.md.

        Args:
            folder: is made where there is none.
            doubtful: whether a model is written that is not to be loaded; its files say so.
            origin: how it was made, for the report; None: of the versions alone.

        Returns:
            The files.

        Raises:
            ParameterError: something speaks against the model, no text of a URDF was given, a URDF
                cannot hold the model, or a file is in the way.
            OSError: the folder cannot be written.
        """
        if self.objections and not doubtful:
            raise ParameterError(f'{folder} is not written: {"; ".join(self.objections)}')
        if not self.urdf:
            raise ParameterError(
                'the robot was given as a model: give the text of its URDF to the Identifier'
            )
        files: dict[str, str | bytes] = dict(
            result_files(
                self.urdf, self.data.model, self.model, self.as_json(), rows=self.joint_rows,
                speeds=self.found.speeds, objections=self.objections, unknown=self.unknown_joints,
            )
        )  # fmt: skip
        made = origin or provenance(())
        page = identification_report(
            self.judgement, (self.joint_rows, self.body_rows, self.base_rows),
            summary=self.summary, equations=self.found.numbers, undetermined=self.undetermined,
            objections=self.objections,
        )  # fmt: skip
        for name in REPORTS:
            files[name] = report_content(page, made, Path(folder) / name)
        write_folder(folder, files)
        return [Path(folder) / name for name in sorted(files)]


def _errors(urdf: str) -> list[str]:
    """Errors that audit and cross-check find in a URDF, in a line each."""
    validation = validate_robot(parse_urdf(urdf), urdf)
    return [
        f'{finding.link}: {finding.problem} ({finding.value})'
        for finding in validation.failures(strict=False)
    ]
