"""Files that are written into a folder as a whole: all of them, or the folder is as before."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.written_file import check_place, error_names, staging_folder

# Lists what was written, with the SHA-256 of each file.
MANIFEST = '.robot_dynamics.json'


def write_folder(
    folder: Path | str, files: Mapping[str, str | bytes], *, force: bool = False
) -> None:
    """Write files into a folder: all of them, or after an error or Ctrl-C, none.

    What was written before is replaced, and what is no more written is removed. Files that are not
    from here, or that were changed since, are not touched: they stay where nothing of that name is
    written. A folder that exists stays the same folder, as a shell may stand in it.

    Args:
        folder: is made where there is none.
        files: content of each file by its path in the folder; text is written in UTF-8.
        force: whether files that are not from here, or that were changed, may be replaced.

    Raises:
        ParameterError: a folder is in the way of a file, or the other way round; a file, or a list
            of files that is not from here, is in the way, and `force` is not set; a symbolic link
            leads out of the folder; or the folder was made meanwhile.
        OSError: the folder cannot be written.
    """
    target = Path(folder).resolve()
    _existing_folder(Path(folder))
    written = _written_before(target, force)
    contents = {
        path: content.encode() if isinstance(content, str) else content
        for path, content in files.items()
    }
    _check_nothing_in_the_way(target, contents, written, force)
    exists = target.is_dir()
    with staging_folder(target if exists else target.parent, target.name, named=folder) as staging:
        new, old = Path(staging, 'new'), Path(staging, 'old')
        with error_names(Path(folder)):
            _write(new, contents)
        if exists:
            _exchange(
                new, target, old, [path for path in written if _is_ours(target, path, written)]
            )
        else:
            _rename_to_new(new, target, folder)


def check_folder(folder: Path) -> None:
    """Check where a folder is to be written, before the work that gives its files.

    Raises:
        ParameterError: a file is in the way, or nothing can be made there.
    """
    check_place(folder, _existing_folder(folder))


def _existing_folder(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists.

    Raises:
        ParameterError: it is a file.
    """
    place = folder.resolve()
    while not place.exists():
        place = place.parent
    if not place.is_dir():
        which = '' if place == folder.resolve() else f' cannot be made: {place}'
        raise ParameterError(f'{folder}{which} is a file: name a folder')
    return place


def _written_before(folder: Path, force: bool) -> dict[str, str]:
    """SHA-256 of what was written last time, by path; with `force`, empty if that is not known.

    Raises:
        ParameterError: the list of it cannot be from here, and `force` is not set.
    """
    manifest = folder / MANIFEST
    if not os.path.lexists(manifest):
        return {}
    if manifest.is_dir():
        raise ParameterError(f'{manifest} is a folder, a file is to be written there: remove it')
    try:
        listed = json.loads(manifest.read_text())
        why = _why_not_from_here(folder, listed)
    except (OSError, ValueError, RecursionError) as error:
        why = str(error)
    if not why:
        return dict(listed)
    if force:
        return {}
    raise ParameterError(
        f'{manifest} was not written here ({why}): name another folder, or replace it with '
        '--force (force=True)'
    )


def _why_not_from_here(folder: Path, listed: object) -> str:
    """What shows that a list of files is not from here; empty if nothing does."""
    if not isinstance(listed, dict) or not all(isinstance(x, str) for x in listed.values()):
        return 'it is not an object of strings'
    outside = next((path for path in listed if not _is_inside(folder, path)), None)
    return '' if outside is None else f'its file {outside!r} is not in the folder'


def _is_inside(folder: Path, path: str) -> bool:
    """Whether the entry of that name is in the folder, also where symbolic links lead."""
    parent = Path(os.path.realpath((folder / path).parent))
    return '..' not in Path(path).parts and parent.is_relative_to(folder)


def _is_ours(folder: Path, path: str, written: Mapping[str, str]) -> bool:
    """Whether a file is as it was written."""
    file = folder / path
    return path in written and file.is_file() and _digest(file.read_bytes()) == written[path]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _check_nothing_in_the_way(
    folder: Path, files: Iterable[str], written: Mapping[str, str], force: bool
) -> None:
    for path in files:
        file = folder / path
        if not _is_inside(folder, path):
            raise ParameterError(
                f'{file} is not in {folder}: a symbolic link leads to '
                f'{os.path.realpath(file.parent)}, remove it or name another folder'
            )
        if file.is_dir() and not file.is_symlink():
            raise ParameterError(f'{file} is a folder, a file is to be written there: remove it')
        if not force and os.path.lexists(file) and not _is_ours(folder, path, written):
            why = 'was changed since it was written' if path in written else 'was not written here'
            raise ParameterError(
                f'{file} {why}: name another folder, or replace it with --force (force=True)'
            )


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    manifest = {path: _digest(content) for path, content in sorted(files.items())}
    listed = (json.dumps(manifest, indent=1) + '\n').encode()
    for path, content in {**files, MANIFEST: listed}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _rename_to_new(new: Path, target: Path, named: Path | str) -> None:
    """Rename a folder to one that did not exist.

    Raises:
        ParameterError: it was made meanwhile.
        OSError: it cannot be made.
    """
    try:
        new.rename(target)
    except OSError:
        if not target.exists():
            raise
        raise ParameterError(
            f'{named} was made by another program meanwhile, and nothing was written: look at it, '
            'then run this again'
        ) from None


def _exchange(new: Path, target: Path, old: Path, ours: Iterable[str]) -> None:
    """Put our old files aside and the new ones in place; after an error, all is as it was.

    Args:
        new: folder of the new files.
        target: folder to write.
        old: folder that takes the old files.
        ours: paths of the files that were written last time.
    """
    added = [file.relative_to(new) for file in sorted(new.rglob('*')) if file.is_file()]
    removed = sorted({*added, *map(Path, ours)})
    with ExitStack() as undo:
        for path in removed:
            if os.path.lexists(target / path):
                _move(target / path, old / path, undo)
        for path in added:
            _move(new / path, target / path, undo)
        undo.pop_all()
    for folder in sorted({parent for path in removed for parent in path.parents}, reverse=True):
        if folder != Path():
            _remove_if_empty(target / folder)


def _move(source: Path, to: Path, undo: ExitStack) -> None:
    """Rename a file, and register how that is undone, also where it is interrupted."""
    for parent in reversed(to.parents):
        if not parent.exists():
            undo.callback(_remove_if_empty, parent)
            parent.mkdir()
    undo.callback(_move_back, to, source)
    source.rename(to)


def _move_back(to: Path, source: Path) -> None:
    if not os.path.lexists(source):
        to.rename(source)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
