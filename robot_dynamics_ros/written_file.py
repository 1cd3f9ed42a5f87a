"""A file, or a folder of files, that is written as a whole: complete, or as it was before."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError

# Of a folder: lists what was written, with the SHA-256 of each file.
MANIFEST = '.robot_dynamics.json'


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
    that exists file by file. What was written before is replaced or removed; nothing else in the
    folder is touched, and nothing is written or removed through symbolic links in it.

    Args:
        folder: is made where there is none.
        files: content of each file by its path in the folder; text is written in UTF-8.

    Raises:
        ParameterError: see `check_folder`; a file of others has the name of a new one; or the
            path of a new one leads out of the folder, or through a symbolic link in it.
        OSError: the folder cannot be written.
    """
    named = Path(folder)
    target = named.resolve()
    contents = {
        path: content.encode() if isinstance(content, str) else content
        for path, content in files.items()
    }
    listed = {path: _digest(content) for path, content in sorted(contents.items())}
    contents[MANIFEST] = (json.dumps(listed, indent=1) + '\n').encode()
    before = _written_before(named)
    for path in contents:
        if not _inside(target, path):
            raise _refused(named / path, 'leads out of the folder, or through a symbolic link')
        if path not in before and os.path.lexists(target / path):
            raise _refused(named / path, 'was not written here')
    place = target if target.is_dir() else target.parent
    with _staging(place, named) as staging, _error_names(named):
        new = staging / 'new'
        for path, content in contents.items():
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (new / path).write_bytes(content)
        if place != target:
            new.rename(target)
            return
        for path in contents:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
        with _uninterrupted():
            for path in contents:
                (new / path).replace(target / path)
            for path in before - contents.keys():
                (target / path).unlink(missing_ok=True)
                # Folders that are empty now.
                with suppress(OSError):
                    (target / path).parent.rmdir()


def check_folder(folder: Path) -> None:
    """Check where a folder is to be written, before the work that gives its files.

    Raises:
        ParameterError: a file is in the way; the folder holds files and was not written here, or
            one that was written here was changed since; or nothing can be made there.
    """
    _written_before(folder)
    _check_place(folder, _lowest_existing(folder.resolve()))


def _written_before(folder: Path) -> set[str]:
    """Paths of what was written last time and is there, with the list of it; empty if nothing is.

    Raises:
        ParameterError: the folder cannot be written, see `check_folder`.
    """
    target = folder.resolve()
    place = _lowest_existing(target)
    if not place.is_dir():
        which = '' if place == target else f' cannot be made: {place}'
        raise ParameterError(f'{folder}{which} is a file: name a folder')
    if place != target:
        return set()
    try:
        listed = json.loads((target / MANIFEST).read_text())
        ours = isinstance(listed, dict) and all(_inside(target, path) for path in listed)
    # A path may have characters that no file name has.
    except (OSError, ValueError, RecursionError):
        ours = False
    if not ours:
        for file in target.iterdir():
            raise _refused(folder / file.name, 'was not written here')
        return set()
    there = {path for path in listed if os.path.lexists(target / path)}
    for path in there:
        file = target / path
        if file.is_symlink() or not file.is_file() or _digest(file.read_bytes()) != listed[path]:
            raise _refused(folder / path, 'was changed since it was written')
    return {*there, MANIFEST}


def _lowest_existing(place: Path) -> Path:
    return next(each for each in (place, *place.parents) if each.exists())


def _inside(target: Path, path: str) -> bool:
    """Whether a path leads to a place in a resolved folder, through no symbolic link.

    Raises:
        ValueError: no file can have this path.
    """
    parent = (target / path).parent
    return parent.is_relative_to(target) and os.path.realpath(parent) == str(parent)


def _refused(file: Path, why: str) -> ParameterError:
    return ParameterError(f'{file} {why}: name another folder, or move that file away')


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


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


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
