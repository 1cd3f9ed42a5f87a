"""How a report was made: files with their hashes, versions, and the command."""

from __future__ import annotations

import hashlib
import platform
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ('robot_dynamics_ros', 'numpy', 'scipy', 'rosbags', 'llvmlite', 'plotly', 'matplotlib')
CHUNK = 1 << 20


@dataclass(frozen=True)
class SourceFile:
    """A file that was read.

    Attributes:
        path: as it was given, and the path in it for a file of a folder.
        size: [bytes].
        sha256: of its content.
    """

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """How a report was made.

    Attributes:
        files: that were read.
        versions: of packages, by name.
        command: as a shell takes it; empty if there was none.
        created: time with its zone.
    """

    files: tuple[SourceFile, ...]
    versions: dict[str, str]
    command: str
    created: datetime


def provenance(
    paths: Iterable[Path],
    command: Sequence[str] = (),
    advance: Callable[[int], object] = lambda size: None,
) -> Provenance:
    """Read the files that a result comes from, and note the versions of the packages.

    Args:
        paths: files, or folders whose files are listed.
        command: arguments of the process.
        advance: is called with the number of bytes after each piece that was read.

    Raises:
        OSError: a file cannot be read.
    """
    files = [file for path in paths for file in _files_of(path)]
    return Provenance(
        tuple(_source_file(file, advance) for file in files),
        _versions(),
        shlex.join(command),
        datetime.now(timezone.utc),
    )


def size_of(paths: Iterable[Path]) -> int:
    """The number of bytes that `provenance` reads."""
    return sum(file.stat().st_size for path in paths for file in _files_of(path))


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob('*') if file.is_file())


def _source_file(file: Path, advance: Callable[[int], object]) -> SourceFile:
    digest, size = hashlib.sha256(), 0
    with file.open('rb') as stream:
        while piece := stream.read(CHUNK):
            digest.update(piece)
            size += len(piece)
            advance(len(piece))
    return SourceFile(str(file), size, digest.hexdigest())


def _versions() -> dict[str, str]:
    installed = {package: _version(package) for package in PACKAGES}
    return {'Python': platform.python_version()} | {
        package: number for package, number in installed.items() if number
    }


def _version(package: str) -> str:
    """Empty for a package that is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ''
