"""A file, or a folder of files, that is written as a whole: complete, or as it was before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from robot_dynamics_ros.core.errors import ParameterError


def check_can_be_written(path: Path, *, folder: bool = False) -> None:
    """Check where a file or a folder is to be written, before the work that gives its content.

    Raises:
        ParameterError: a folder is in the way of a file, or a file in that of a folder; the folder
            of a file does not exist; or nothing can be made there.
    """
    place = path.parent
    if folder:
        place = next(each for each in (path, *path.resolve().parents) if each.exists())
    elif path.is_dir():
        raise ParameterError(f'{path} is a folder: name a file')
    if not place.is_dir():
        why = f'{place} is a file' if place.exists() else f'there is no folder {place}'
        raise ParameterError(f'{path} cannot be written: {why}')
    ordinary = folder or path.is_file() or not path.exists()
    if ordinary and not os.access(place, os.W_OK):
        raise ParameterError(f'{path} cannot be written: {place} is write-protected')


@contextmanager
def written_file(file: Path) -> Iterator[Path]:
    """Where to write a file: the result takes its name once the block has ended without an error.

    After an error, or Ctrl-C, the file is as before. Devices and pipes are written directly.

    Yields:
        A path with the same name in a temporary folder beside the file, or beside what it links.

    Raises:
        ParameterError: see `check_can_be_written`.
        OSError: the file cannot be written.
    """
    check_can_be_written(file)
    target = file.resolve()
    if target.exists() and not target.is_file():
        yield file
        return
    with _staging(target.parent, file) as staging:
        new = staging / target.name
        yield new
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)


def write_folder(folder: Path | str, files: Mapping[str, str | bytes]) -> None:
    """Write files into a folder; after an error or Ctrl-C, it is as before.

    They are written to a temporary folder, and then renamed: a new folder as a whole, into one
    that exists file by file. Other files in the folder stay. The content of each is by its path in
    the folder; text is written in UTF-8.

    Raises:
        ParameterError: see `check_can_be_written`.
        OSError: the folder cannot be written.
    """
    check_can_be_written(named := Path(folder), folder=True)
    target = named.resolve()
    place = target if target.is_dir() else target.parent
    with _staging(place, named) as staging:
        new = staging / 'new'
        for path, content in files.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_bytes(content.encode() if isinstance(content, str) else content)
        if place != target:
            new.rename(target)
            return
        for path in files:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).replace(target / path)


@contextmanager
def _staging(place: Path, named: Path) -> Iterator[Path]:
    """A temporary folder beside what a user has named, which stands in errors in its place."""
    prefix = f'.{named.resolve().name}.'
    try:
        place.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=prefix, dir=place) as folder:
            yield Path(folder)
    except OSError as error:
        if error.filename is None or prefix in str(error.filename):
            error.filename = str(named)
        raise
