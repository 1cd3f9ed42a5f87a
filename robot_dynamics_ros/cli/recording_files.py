"""The files of the recordings that a command line names."""

from __future__ import annotations

from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError

JOINED = '+'


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
