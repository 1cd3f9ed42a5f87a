"""The files that torques of recordings are written to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.recordings.writers import check_ending
from robot_dynamics_ros.written_file import check_can_be_written

# Of recordings; a file may have two of them.
ENDINGS = ('.zstd', '.gz', '.mcap', '.db3', '.bag', '.csv')


def torque_targets(files: Mapping[str, tuple[Path, ...]], target: Path, kind: str) -> list[Path]:
    """The file of each recording.

    Args:
        files: of each recording by its name.
        target: a file for one recording; else a folder, which is made.
        kind: ending of files in a folder, without its dot.

    Raises:
        ParameterError: two recordings would get the same file, or a file would be in the folder of
            a bag, or cannot be written.
        RecordingError: the ending of a file is unknown.
        OSError: the folder cannot be made.
    """
    if target.suffix and not target.is_dir():
        check_ending(target)
        if len(files) > 1:
            raise ParameterError(f'{target} is a file for one recording: name a folder')
        targets = [target]
    else:
        names = _names([paths[0] for paths in files.values()])
        target.mkdir(parents=True, exist_ok=True)
        targets = [target / f'{name}_torques.{kind}' for name in names]
    read = {path.resolve() for paths in files.values() for path in paths}
    for file in targets:
        if read.intersection(file.resolve().parents):
            raise ParameterError(f'{file} is in the folder of the recording: name another folder')
        check_can_be_written(file)
    return targets


def _names(files: Sequence[Path]) -> list[str]:
    """A name for each file or folder, with the folders around it where that is needed."""
    paths = [_without_ending(file.resolve()) for file in files]
    names = [path.name for path in paths]
    if max(Counter(names).values()) > 1:
        common = Path(os.path.commonpath([path.parent for path in paths]))
        names = ['_'.join(path.relative_to(common).parts) for path in paths]
    for name, count in Counter(names).items():
        if count > 1:
            raise ParameterError(
                f'{count} recordings would be written to {name}_torques: rename them'
            )
    return names


def _without_ending(path: Path) -> Path:
    while path.suffix in ENDINGS:
        path = path.with_suffix('')
    return path
