"""One file of `robot_dynamics validate`, examined in a process of its own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from signal import SIG_DFL, SIGINT, signal
from typing import Any, Literal

from robot_dynamics_ros.core.errors import RobotDynamicsError
from robot_dynamics_ros.inspection import Validation, validate_robot
from robot_dynamics_ros.inspection.finding_json import findings_as_json

from .description_file import read_robot

THREADS = 'OPENBLAS_NUM_THREADS'
ENDED = 'the process that examined it has ended without an answer: is there too little memory?'


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


def validate_file(
    file: Path, arguments: Sequence[str], ignored: frozenset[str], strict: bool
) -> ValidatedFile:
    """Examine one file; whatever is wrong with it is part of the result.

    Args:
        file: URDF or xacro.
        arguments: of xacro.
        ignored: codes of findings to leave out.
        strict: whether warnings count.
    """
    try:
        model, urdf = read_robot(file, arguments, arguments_of_others=True)
        return ValidatedFile(str(file), validate_robot(model, urdf, ignored), '', strict)
    except OSError as error:
        reason = f'{file}: {error.strerror or error}'
    except RobotDynamicsError as error:
        reason = str(error)
    # What no check has foreseen in one file must not end the others.
    except Exception as error:
        reason = f'{file}: error of the program itself ({type(error).__name__}: {error})'
    return ValidatedFile(str(file), None, ' '.join(reason.split()), strict)


def validate_files(
    files: Sequence[Path], jobs: int, examine: Callable[[Path], ValidatedFile], strict: bool
) -> Iterator[ValidatedFile]:
    """Examine many files in processes; the results come in the order of the files.

    A process that ends, such as by too large a file, gives its file a result too.

    Args:
        files: to examine.
        jobs: processes at a time; 1: this one.
        examine: `validate_file` with all but the file.
        strict: whether warnings count.
    """
    if jobs == 1 or len(files) <= 1:
        yield from map(examine, files)
        return
    with _pool(min(jobs, len(files))) as pool:
        with _one_thread_each():
            results = [pool.submit(examine, file) for file in files]
        try:
            for file, result in zip(files, results, strict=True):
                yield _result(file, result, examine, strict)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _result(
    file: Path,
    result: Future[ValidatedFile],
    examine: Callable[[Path], ValidatedFile],
    strict: bool,
) -> ValidatedFile:
    try:
        return result.result()
    except BrokenProcessPool:
        # One process has ended, and all of them with it: this file may not be the cause.
        try:
            with _pool(1) as alone:
                return alone.submit(examine, file).result()
        except BrokenProcessPool:
            return ValidatedFile(str(file), None, f'{file}: {ENDED}', strict)


def _pool(processes: int) -> ProcessPoolExecutor:
    # Ctrl-C ends the processes at once, and without a traceback.
    return ProcessPoolExecutor(processes, get_context('spawn'), signal, (SIGINT, SIG_DFL))


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes that are started meanwhile compute in one thread: all cores have one already."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = '1'
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = before
