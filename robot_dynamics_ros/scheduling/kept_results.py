"""The results of an earlier run in a folder, so that another run computes only what is missing."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.written_file import written_file

from .plain_data import decoded, encoded, fingerprint
from .task import Outcome, Task

ENDING = '.result.npz'
# Of the part of a file name that is there for people.
LONGEST_NAME = 80


class KeptResults:
    """A folder with one file for each result.

    A result is that of the same function, arguments, common data and source of this package, and
    of files of the same size and time of change. Errors are not kept: they are tried again.
    """

    def __init__(self, folder: Path, common: Any) -> None:
        """Make the folder where there is none.

        Args:
            folder: of the results.
            common: of the run.

        Raises:
            ParameterError: it is a file, or the common data are not plain data.
            OSError: the folder cannot be made, or not written.
        """
        if folder.exists() and not folder.is_dir():
            raise ParameterError(f'{folder} is a file: name a folder for the results to resume')
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # One that cannot be written is refused before the work.
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(folder)) from None
        self._folder = folder
        self._common = fingerprint([_source(), common])

    def found(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """The kept outcomes of those tasks that have one, and whose files exist."""
        for task in tasks:
            if all(path.exists() for path in task.writes):
                with suppress(OSError, ValueError):
                    result = decoded(self._file(task).read_bytes())
                    yield Outcome(task.name, result, kept=True)

    def keeping(self, tasks: Iterable[Task], outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Outcomes of tasks, each of them after its result has been written as a whole.

        Raises:
            ParameterError: a result is not plain data.
            OSError: it cannot be written.
        """
        files = {task.name: self._file(task) for task in tasks}
        for outcome in outcomes:
            if not outcome.error:
                with written_file(files[outcome.name]) as new:
                    new.write_bytes(encoded(outcome.result))
            yield outcome

    def _file(self, task: Task) -> Path:
        function = f'{task.function.__module__}.{task.function.__qualname__}'
        states = [_states(path) for path in task.reads]
        key = fingerprint([self._common, function, task.arguments, states])
        name = re.sub(r'[^A-Za-z0-9.-]+', '_', Path(task.name).name)[:LONGEST_NAME]
        return self._folder / f'{name}.{key[:32]}{ENDING}'


@cache
def _source() -> str:
    """SHA-256 of this package's modules."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob('*.py')):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _states(path: Path) -> list[tuple[str, int, int]]:
    """Path, size [B] and time of change [ns] of a file, or of each file of a folder."""
    files = sorted(path.rglob('*')) if path.is_dir() else [path]
    states = []
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        states.append((str(file), status.st_size, status.st_mtime_ns))
    return states
