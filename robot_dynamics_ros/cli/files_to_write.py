"""The files that a subcommand writes, compared with each other and with those that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from robot_dynamics_ros.core.errors import ParameterError

# Endings of the files in the folder of a rosbag2 recording.
OF_A_BAG = ('.mcap', '.db3', '.zstd', '.yaml')
# Of a running subcommand: the files that it writes, by their option, and those that xacro read.
WRITTEN, INCLUDED = f'{__name__}.written', f'{__name__}.included'


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


def check_written(written: Mapping[str, Iterable[Path]], read: Iterable[Path]) -> None:
    """Check the same for the subcommand that runs, whose descriptions may include files.

    Raises:
        ParameterError: names the file and the option.
    """
    named = {option: list(files) for option, files in written.items()}
    context = click.get_current_context(silent=True)
    known = {} if context is None else context.meta
    check_files(named, [*read, *known.get(INCLUDED, [])])
    known[WRITTEN] = {**known.get(WRITTEN, {}), **named}


def check_included(files: Iterable[Path]) -> None:
    """Check that the subcommand that runs replaces no file which its description includes.

    Args:
        files: that xacro has read.

    Raises:
        ParameterError: names the file and the option.
    """
    context = click.get_current_context(silent=True)
    # Other processes compute tasks, and write no file that an option of `check_written` names.
    if context is not None:
        included = context.meta.setdefault(INCLUDED, [])
        included.extend(files)
        check_files(context.meta.get(WRITTEN, {}), included)


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
