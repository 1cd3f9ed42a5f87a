"""Results in a folder, so that another run computes only what is missing.

A file belongs to one function, its arguments, the source of this package, and files of the same
size and time of change.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.written_file import written_file

LONGEST_NAME = 80  # of the part of a file name that is there for people
PACKAGE = __name__.partition('.')[0]
# What else results are made of.
OTHERS = {
    *(('numpy', name) for name in ('ndarray', 'dtype', 'scalar', '_reconstruct', '_frombuffer')),
    ('pathlib', 'PosixPath'),
}


def checked_folder(folder: Path) -> Path:
    """A folder for results; it is made where there is none.

    Raises:
        ParameterError: it is a file.
        OSError: it cannot be made, or not written.
    """
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f'{folder} is a file: name a folder for the results to resume')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # One that cannot be written is refused before the work.
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(folder)) from None
    return folder


def result_file(folder: Path, name: str, decides: tuple[Any, ...], reads: Sequence[Path]) -> Path:
    """The file of one result.

    Args:
        folder: of the results.
        name: for people who list the folder.
        decides: what the result follows from; `repr` gives it in full.
        reads: files or folders that it follows from.
    """
    key = repr((_source(), decides, [_states(path) for path in reads]))
    digest = hashlib.sha256(key.encode(errors='surrogatepass')).hexdigest()[:32]
    shown = re.sub(r'[^A-Za-z0-9.-]+', '_', Path(name).name)[:LONGEST_NAME]
    return folder / f'{shown}.{digest}.result'


@cache
def _source() -> str:
    """SHA-256 of this package's modules."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob('*.py')):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _states(path: Path) -> list[tuple[str, int, int]]:
    """Path, size [B] and time of change [ns] of a file, or of each file of a folder."""
    states = []
    for file in sorted(path.rglob('*')) if path.is_dir() else [path]:
        with suppress(OSError):
            status = file.stat()
            states.append((str(file), status.st_size, status.st_mtime_ns))
    return states


def read_result(file: Path) -> Any:
    """The result that a file holds.

    Raises:
        Exception: there is none, or the file is damaged, which may raise anything.
    """
    with file.open('rb') as opened:
        return _Reader(opened).load()


def write_result(file: Path, result: Any) -> None:
    """Write a result as a whole.

    Raises:
        OSError: it cannot be written.
    """
    with written_file(file) as new:
        new.write_bytes(pickle.dumps(result))


class _Reader(pickle.Unpickler):
    """Reads numbers, texts, arrays, and dataclasses of this package; nothing else is called."""

    def find_class(self, module: str, name: str) -> Any:
        package = module.partition('.')[0]
        if package == PACKAGE or (package, name) in OTHERS:
            found = super().find_class(module, name)
            if package != PACKAGE or (isinstance(found, type) and is_dataclass(found)):
                return found
        raise pickle.UnpicklingError(f'{module}.{name} is no part of a result')
