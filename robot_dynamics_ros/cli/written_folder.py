"""A folder that is written as a whole: complete, or as it was before."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError

# Lists what was written, with the SHA-256 of each file.
MANIFEST = '.robot_dynamics.json'


def write_folder(folder: Path | str, files: Mapping[str, str], *, force: bool = False) -> None:
    """Write files into a folder, in one step.

    What was written before is replaced, and what is no more written is removed. Files that are not
    from here, or that were changed since, are not touched: they stay where nothing of that name is
    written.

    Args:
        folder: is made where there is none.
        files: text of each file by its path in the folder.
        force: whether files that are not from here, or that were changed, may be replaced.

    Raises:
        ParameterError: a file is in the way, and `force` is not set.
        OSError: the folder cannot be written.
    """
    target = Path(folder).resolve()
    if target.exists() and not target.is_dir():
        raise ParameterError(f'{folder} is a file: name a folder')
    written = _written_before(target)
    if not force:
        _check_nothing_in_the_way(target, files, written)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f'.{target.name}.', dir=target.parent) as staging:
        new, old = Path(staging, 'new'), Path(staging, 'old')
        if target.is_dir():
            shutil.copytree(target, new, symlinks=True)
        _remove_what_is_ours(new, written)
        _write(new, files)
        _put_in_place(new, target, old)


def _written_before(folder: Path) -> dict[str, str]:
    """SHA-256 of what was written last time, by path."""
    try:
        listed = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError):
        return {}
    return {str(path): str(digest) for path, digest in listed.items()}


def _is_ours(file: Path, digest: str | None) -> bool:
    """Whether a file is as it was written."""
    return digest is not None and file.is_file() and _digest(file.read_bytes()) == digest


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _check_nothing_in_the_way(
    folder: Path, files: Mapping[str, str], written: Mapping[str, str]
) -> None:
    for path in files:
        file = folder / path
        if os.path.lexists(file) and not _is_ours(file, written.get(path)):
            why = 'was changed since it was written' if path in written else 'was not written here'
            raise ParameterError(
                f'{file} {why}: name another folder, or replace it with --force (force=True)'
            )


def _remove_what_is_ours(folder: Path, written: Mapping[str, str]) -> None:
    """Removes files of the last time that nobody has changed, and folders that are empty."""
    for path, digest in written.items():
        file = folder / path
        if _is_ours(file, digest):
            file.unlink()
            for parent in file.relative_to(folder).parents:
                if parent != Path() and not any((folder / parent).iterdir()):
                    (folder / parent).rmdir()


def _write(folder: Path, files: Mapping[str, str]) -> None:
    manifest = {path: _digest(text.encode()) for path, text in sorted(files.items())}
    for path, text in {**files, MANIFEST: json.dumps(manifest, indent=1) + '\n'}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # Not through a symbolic link, which may lead elsewhere.
        file.unlink(missing_ok=True)
        file.write_bytes(text.encode())


def _put_in_place(new: Path, target: Path, old: Path) -> None:
    """One rename, or two; what was there comes back if the second one fails."""
    if not target.is_dir():
        new.rename(target)
        return
    shutil.copymode(target, new)
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
