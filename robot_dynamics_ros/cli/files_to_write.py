"""The files that a subcommand writes, compared with each other and with those that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError

# Endings of the files in the folder of a rosbag2 recording.
OF_A_BAG = ('.mcap', '.db3', '.zstd', '.yaml')


def check_files(written: Mapping[str, Iterable[Path]], read: Iterable[Path]) -> None:
    """Check that no file would be written twice, and that none would replace an input.

    Args:
        written: files by the option that names them.
        read: files, and folders of bags.

    Raises:
        ParameterError: names the file and the option.
    """
    options: dict[Path, str] = {}
    named = [(option, file) for option, files in written.items() for file in files]
    inputs = {file.resolve() for entry in read for file in _files_of(entry)}
    for option, file in named:
        path = file.resolve()
        if path in inputs:
            raise ParameterError(
                f'{file} is read, and {option} would replace it: name another file with {option}'
            )
        if options.setdefault(path, option) != option:
            raise ParameterError(f'{file} would be written twice: name another file with {option}')


def _files_of(entry: Path) -> Sequence[Path]:
    """A file, or those of a bag; none of a device, which nothing replaces, or of what is missing.

    A folder that cannot be listed is refused when it is read.
    """
    try:
        if entry.is_dir():
            return [file for file in entry.iterdir() if file.suffix in OF_A_BAG]
        return [entry] if entry.is_file() else []
    except OSError:
        return []
