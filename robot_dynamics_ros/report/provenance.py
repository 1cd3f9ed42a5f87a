"""How a report was made: files with their hashes, versions, and the command."""

from __future__ import annotations

import hashlib
import platform
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .report import Cell, Section

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

    def sections(self) -> list[Section]:
        """What a page shows of it."""
        files = [
            (Cell(file.path), Cell(f'{file.size:,}', 'number'), Cell(file.sha256, 'code'))
            for file in self.files
        ]
        versions = ', '.join(f'{package} {number}' for package, number in self.versions.items())
        made = {'command': self.command, 'versions': versions, 'made': f'{self.created:%F %T %Z}'}
        rows = [
            (Cell(name), Cell(text, 'code' if name == 'command' else 'text'))
            for name, text in made.items()
            if text
        ]
        return [
            Section('files', '', header=('file', 'bytes', 'SHA-256'), rows=files),
            Section('versions', '', rows=rows),
        ]


def provenance(
    paths: Iterable[Path],
    command: Sequence[str] = (),
    progress: Callable[[str, int, str], AbstractContextManager[Callable[[int], object]]] = (
        lambda what, total, unit: nullcontext(lambda done: None)
    ),
) -> Provenance:
    """Read the files that a result comes from, and note the versions of the packages.

    Args:
        paths: files, or folders whose files are listed; what does not exist is left out.
        command: arguments of the process.
        progress: gives what takes the number of bytes after each piece that was read.

    Raises:
        OSError: a file cannot be read.
    """
    files: list[Path] = []
    for path in paths:
        listed = sorted(path.rglob('*')) if path.is_dir() else [path]
        files += [file for file in listed if file.is_file()]
    with progress('hashes', sum(file.stat().st_size for file in files), 'bytes') as advance:
        hashed = tuple(_source_file(file, advance) for file in files)
    versions = {'Python': platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return Provenance(hashed, versions, shlex.join(command), datetime.now(timezone.utc))


def _source_file(file: Path, advance: Callable[[int], object]) -> SourceFile:
    digest, size = hashlib.sha256(), 0
    with file.open('rb') as stream:
        while piece := stream.read(CHUNK):
            digest.update(piece)
            size += len(piece)
            advance(len(piece))
    return SourceFile(str(file), size, digest.hexdigest())
