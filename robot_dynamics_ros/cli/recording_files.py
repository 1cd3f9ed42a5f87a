"""The files of the recordings that a command line names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError

from .description_file import files_and_arguments

JOINED = '+'


def named_recordings(words: Sequence[str]) -> tuple[dict[str, tuple[Path, ...]], list[str]]:
    """The files of each recording by its name, and the arguments of xacro (`name:=value`).

    Args:
        words: of a command line.

    Raises:
        ParameterError: no recording is named, one is named twice, or a path is empty.
    """
    bags, arguments = files_and_arguments(words)
    if not bags:
        raise ParameterError('name at least one BAG')
    files: dict[str, tuple[Path, ...]] = {}
    for name in map(str, bags):
        if name in files:
            raise ParameterError(f'{name} is named twice: name each recording once')
        files[name] = recording_files(name)
    return files, arguments


def inputs(files: Mapping[str, tuple[Path, ...]], *others: Path | None) -> list[Path]:
    """Everything that is read: the files of the recordings, and others where they are given.

    Args:
        files: of each recording by its name.
        others: the description, and parameters of joints.
    """
    recorded = [path for paths in files.values() for path in paths]
    return [*recorded, *(path for path in others if path is not None)]


def recorded_bytes(files: Sequence[Path]) -> int:
    """Size of the files of a recording, or of all files of its folders; 0 of what is missing."""
    return sum(map(_size, files))


def _size(path: Path) -> int:
    try:
        if path.is_dir():
            return sum(_size(Path(entry)) for entry in os.scandir(path))
        return path.stat().st_size
    except OSError:
        return 0


def recording_files(word: str) -> tuple[Path, ...]:
    """The files that together are one recording: one path, or several joined by `+`.

    Args:
        word: such as `bag/`, or `positions.csv+efforts.csv`.

    Raises:
        ParameterError: a path is empty.
    """
    if JOINED not in word or Path(word).exists():
        return (Path(word),)
    parts = word.split(JOINED)
    if not all(parts):
        raise ParameterError(f'{word}: FILE+FILE is needed for files that are one recording')
    return tuple(Path(part) for part in parts)
