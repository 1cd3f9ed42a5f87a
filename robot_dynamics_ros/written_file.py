"""A file, or a folder of files, that is written as a whole: complete, or as it was before."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError


def check_can_be_written(file: Path) -> None:
    """Check where a file is to be written, before the work that gives its content.

    Raises:
        ParameterError: the file is a folder, its folder does not exist, or takes no file.
    """
    if file.is_dir():
        raise ParameterError(f'{file} is a folder: name a file')
    if not file.parent.is_dir():
        raise ParameterError(f'{file} cannot be written: there is no folder {file.parent}')
    if file.exists() and not os.access(file, os.W_OK):
        raise ParameterError(f'{file} cannot be written: it is write-protected')
    if file.is_file() or not file.exists():
        _check_place(file, file.parent)


@contextmanager
def written_file(file: Path) -> Iterator[Path]:
    """Where to write a file: the result takes its name once the block has ended without an error.

    After an error, or Ctrl-C, the file is as before. Devices and pipes are written directly.

    Args:
        file: to write; a symbolic link is followed.

    Yields:
        A path with the same name in a temporary folder beside the file.

    Raises:
        ParameterError: see `check_can_be_written`.
        OSError: the file cannot be written.
    """
    check_can_be_written(file)
    target = file.resolve()
    if target.exists() and not target.is_file():
        with _error_names(file):
            yield file
        return
    with _staging(target.parent, file) as staging:
        new = staging / target.name
        with _error_names(file):
            yield new
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)


def write_folder(folder: Path | str, files: Mapping[str, str | bytes]) -> None:
    """Write files into a folder: all of them, or after an error or Ctrl-C, none.

    They are written to a temporary folder, and then renamed: a new folder as a whole, into one
    that exists file by file. Other files in the folder stay.

    Args:
        folder: is made where there is none.
        files: content of each file by its path in the folder; text is written in UTF-8.

    Raises:
        ParameterError: see `check_folder`; or the path of a file leads out of the folder.
        OSError: the folder cannot be written.
    """
    named = Path(folder)
    check_folder(named)
    target = named.resolve()
    for path in files:
        if not (target / path).resolve().is_relative_to(target):
            raise ParameterError(f'{named / path} leads out of the folder: name another folder')
    place = target if target.is_dir() else target.parent
    with _staging(place, named) as staging, _error_names(named):
        new = staging / 'new'
        for path, content in files.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_bytes(content.encode() if isinstance(content, str) else content)
        if place != target:
            new.rename(target)
            return
        for path in files:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
        with _uninterrupted():
            for path in files:
                (new / path).replace(target / path)


def check_folder(folder: Path) -> None:
    """Check where a folder is to be written, before the work that gives its files.

    Raises:
        ParameterError: a file is in the way, or nothing can be made there.
    """
    target = folder.resolve()
    place = next(each for each in (target, *target.parents) if each.exists())
    if not place.is_dir():
        which = '' if place == target else f' cannot be made: {place}'
        raise ParameterError(f'{folder}{which} is a file: name a folder')
    _check_place(folder, place)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """For some microseconds, Ctrl-C does nothing; only the main thread would be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


def _check_place(named: Path, place: Path) -> None:
    """Check that a folder takes what is named: permissions do not tell for all of them.

    Raises:
        ParameterError: nothing can be made there.
    """
    try:
        with _staging(place, named):
            pass
    except OSError as error:
        raise ParameterError(
            f'{named} cannot be written: nothing can be made in {place} ({error.strerror}): name '
            'another folder'
        ) from None


@contextmanager
def _staging(place: Path, named: Path) -> Iterator[Path]:
    """A temporary folder for what is to be renamed, on the file system of the result.

    Args:
        place: where the folder is; is made where there is none.
        named: what the user has named.

    Raises:
        OSError: the folder cannot be made; its file name is `named`.
    """
    try:
        place.mkdir(parents=True, exist_ok=True)
        staging = tempfile.TemporaryDirectory(prefix=f'.{named.resolve().name}.', dir=place)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(named)) from None
    with staging as folder:
        yield Path(folder)


@contextmanager
def _error_names(file: Path) -> Iterator[None]:
    """Name a file or folder in errors that name none, as that of a full device."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(file)
        raise
