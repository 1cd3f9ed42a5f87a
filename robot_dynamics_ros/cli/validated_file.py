"""The files of `robot_dynamics validate`, examined by processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from robot_dynamics_ros.inspection import Validation, validate_robot
from robot_dynamics_ros.inspection.finding_json import findings_as_json
from robot_dynamics_ros.scheduling import Outcome, Task, run

from .description_file import read_robot


@dataclass(frozen=True)
class ValidatedFile:
    """What was found about a file.

    Attributes:
        file: its name, or the topic of the description.
        validation: of its robot; None if the file cannot be used.
        error: why it cannot be used, in one line; empty if it can.
        strict: whether warnings count.
    """

    file: str
    validation: Validation | None
    error: str
    strict: bool

    @property
    def status(self) -> Literal['good', 'findings', 'unusable']:
        """Good: it has no findings that count."""
        if self.validation is None:
            return 'unusable'
        return 'findings' if self.validation.failures(strict=self.strict) else 'good'

    @classmethod
    def of_outcome(cls, file: Path, outcome: Outcome, strict: bool) -> ValidatedFile:
        """What a task has found about a file, or why it has found nothing.

        Args:
            file: that was examined.
            outcome: with a Validation.
            strict: whether warnings count.
        """
        reason = outcome.error
        if outcome.traceback:
            reason = f'error of the program itself ({reason})'
        if reason and str(file) not in reason:
            reason = f'{file}: {reason}'
        return cls(str(file), outcome.result, reason, strict)

    def __str__(self) -> str:
        """One line for a terminal."""
        if self.validation is None:
            return f'{self.status:8} {self.error}'
        found = [self.file]
        found[0] += f': {self.validation.joints} joints, {self._agreement()}'
        for severity in ('error', 'warning', 'info'):
            codes = Counter(f.code for f in self.validation.findings if f.severity == severity)
            if codes:
                counted = (f'{code} {n}' if n > 1 else code for code, n in codes.items())
                found.append(f'{severity}: {", ".join(counted)}')
        return f'{self.status:8} {"; ".join(found)}'

    def as_json(self) -> dict[str, Any]:
        """The object of this file in --json."""
        head = {'file': self.file, 'status': self.status, 'error': self.error or None}
        if self.validation is None:
            return head
        report = self.validation.agreement.report
        agreement = report and {
            'agrees': report.agrees,
            'states': report.samples,
            'tolerance': report.tolerance,
            'worst_relative': report.worst.worst_relative,
            'worst_quantity': report.worst.quantity,
        }
        return head | {
            'robot': self.validation.robot,
            'joints': self.validation.joints,
            'mass': self.validation.mass,
            'agreement': agreement,
            'findings': findings_as_json(self.validation.findings),
        }

    def _agreement(self) -> str:
        assert self.validation is not None
        report = self.validation.agreement.report
        if report is None:
            return 'not compared with Pinocchio'
        verb = 'agrees' if report.agrees else 'disagrees'
        return f'Pinocchio {verb} ({report.worst.worst_relative:.0e})'


def validate_files(
    files: Sequence[Path],
    arguments: Sequence[str],
    ignored: frozenset[str],
    *,
    strict: bool,
    jobs: int | None,
    advance: Callable[[int], object],
) -> list[ValidatedFile]:
    """Examine many files in processes; the results are in the order of the files.

    Args:
        files: URDF or xacro.
        arguments: of xacro.
        ignored: codes of findings to leave out.
        strict: whether warnings count.
        jobs: processes at a time; None: one for each core.
        advance: is called with 1 after each file.
    """
    options = (tuple(arguments), tuple(sorted(ignored)))
    tasks = [
        # A file may be named twice.
        Task(f'{number}: {file}', validate_file, (file,))
        for number, file in enumerate(files)
    ]
    outcomes = run(tasks, common=options, processes=jobs, report=lambda outcome: advance(1))
    return [
        ValidatedFile.of_outcome(file, outcome, strict)
        for file, outcome in zip(files, outcomes, strict=True)
    ]


def validate_file(options: tuple[Sequence[str], Sequence[str]], file: Path) -> Validation:
    """Examine one file; a task that any process may execute.

    Args:
        options: arguments of xacro, and codes of findings to leave out.
        file: URDF or xacro.

    Raises:
        OSError: it cannot be read.
        ModelError: the description cannot be used.
    """
    arguments, ignored = options
    model, urdf = read_robot(file, arguments, arguments_of_others=True)
    return validate_robot(model, urdf, frozenset(ignored))
