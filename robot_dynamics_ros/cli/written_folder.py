"""A folder of files that is written as a whole: complete, or as it was before."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.written_file import check_place, error_names, staging_folder

# Lists what was written, with the SHA-256 of each file.
MANIFEST = '.robot_dynamics.json'


def write_folder(folder: Path | str, files: Mapping[str, str | bytes]) -> None:
    """Write files into a folder: all of them, or after an error or Ctrl-C, none.

    They are written beside the folder, which is then renamed: never are files of two runs mixed.
    What was written before is replaced or removed; files of others in the same folder stay.

    Args:
        folder: is made where there is none.
        files: content of each file by its path in the folder; text is written in UTF-8.

    Raises:
        ParameterError: see `check_folder`.
        OSError: the folder cannot be written, or a file of others has the name of a new one.
    """
    named = Path(folder)
    target = named.resolve()
    contents = {
        path: content.encode() if isinstance(content, str) else content
        for path, content in files.items()
    }
    listed = {path: _digest(content) for path, content in sorted(contents.items())}
    contents[MANIFEST] = (json.dumps(listed, indent=1) + '\n').encode()
    _files_of_others(named)
    with staging_folder(target.parent, target.name, named=folder) as staging:
        new, old = staging / 'new', staging / 'old'
        with error_names(named):
            for path, content in contents.items():
                (new / path).parent.mkdir(parents=True, exist_ok=True)
                (new / path).write_bytes(content)
        for path in _files_of_others(named):
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            os.link(target / path, new / path, follow_symlinks=False)
        try:
            if target.exists():
                target.rename(old)
            new.rename(target)
        except BaseException:
            if old.exists() and not target.exists():
                old.rename(target)
            raise


def check_folder(folder: Path) -> None:
    """Check where a folder is to be written, before the work that gives its files.

    Raises:
        ParameterError: a file is in the way; the folder holds files and was not written here, or
            one that was written here was changed since; it cannot be renamed, as the working
            directory or a mount point; or nothing can be made beside it.
    """
    _files_of_others(folder)
    place = folder.resolve().parent
    while not place.exists():
        place = place.parent
    check_place(folder, place)


def _files_of_others(folder: Path) -> list[str]:
    """Paths in the folder of the files that were not written here.

    Raises:
        ParameterError: the folder cannot be replaced, see `check_folder`.
    """
    target = folder.resolve()
    place = next(place for place in (target, *target.parents) if place.exists())
    if not place.is_dir():
        which = '' if place == target else f' cannot be made: {place}'
        raise ParameterError(f'{folder}{which} is a file: name a folder')
    if place != target:
        return []
    if target == Path.cwd() or target.is_mount():
        raise ParameterError(
            f'{folder} is the working directory or a mount point, and cannot be replaced as a '
            'whole: name a folder in it'
        )
    written = _written_before(target)
    others = []
    for file in target.rglob('*'):
        path = file.relative_to(target).as_posix()
        if path == MANIFEST or (file.is_dir() and not file.is_symlink()):
            continue
        ours = path in written
        if ours and file.is_file() and _digest(file.read_bytes()) == written[path]:
            continue
        if ours or not written:
            why = 'was changed since it was written' if ours else 'was not written here'
            raise ParameterError(
                f'{folder / path} {why}: name another folder, or move that file away'
            )
        others.append(path)
    return others


def _written_before(folder: Path) -> dict[str, object]:
    """SHA-256 of what was written last time, by path; empty if nothing was."""
    try:
        listed = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    return listed if isinstance(listed, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
