"""A file that is written as a whole: complete, or as it was before."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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
    protected = file if file.exists() and not os.access(file, os.W_OK) else file.parent
    if not os.access(protected, os.W_OK):
        raise ParameterError(f'{file} cannot be written: {protected} is write-protected')
    if file.is_file() or not file.exists():
        check_place(file, file.parent)


def check_place(named: Path, place: Path) -> None:
    """Check that a folder takes what is to be written: permissions do not tell for all of them.

    Args:
        named: what the user has named.
        place: folder that exists.

    Raises:
        ParameterError: nothing can be made there.
    """
    try:
        with staging_folder(place, named.name, named=named):
            pass
    except OSError as error:
        raise ParameterError(
            f'{named} cannot be written: nothing can be made in {place} ({error.strerror}): name '
            'another folder'
        ) from None


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
        with error_names(file):
            yield file
        return
    with staging_folder(target.parent, target.name, named=file) as staging:
        new = Path(staging, target.name)
        with error_names(file):
            yield new
        if target.exists():
            shutil.copymode(target, new)
        new.replace(target)


@contextmanager
def error_names(file: Path) -> Iterator[None]:
    """Name a file or folder in errors that name none, as that of a full device."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(file)
        raise


@contextmanager
def staging_folder(place: Path, name: str, *, named: Path | str) -> Iterator[Path]:
    """A temporary folder for what is to be renamed, on the file system of the result.

    Args:
        place: where the folder is; is made where there is none.
        name: of the result, for those who see the folder.
        named: what the user has named.

    Raises:
        OSError: the folder cannot be made; its file name is `named`.
    """
    with ExitStack() as stack:
        try:
            place.mkdir(parents=True, exist_ok=True)
            staging = tempfile.TemporaryDirectory(prefix=f'.{name}.', dir=place)
            folder = stack.enter_context(staging)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(named)) from None
        yield Path(folder)
