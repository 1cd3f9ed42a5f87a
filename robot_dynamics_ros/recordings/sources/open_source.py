"""The source of some files, by what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from robot_dynamics_ros.core.errors import RecordingError

from ..extra import required
from .csv_source import CsvSource
from .state_rows import StateSource

BAGS = ('.mcap', '.db3', '.mcap.zstd', '.db3.zstd', '.bag')
TABLES = ('.csv', '.csv.gz')


@contextmanager
def open_source(paths: Sequence[Path]) -> Iterator[StateSource]:
    """Open files that together are one recording.

    Args:
        paths: bag folders, storage files, ROS 1 bags; or CSV files.

    Raises:
        RecordingError: they are of no such kind, of several, or damaged.
        OSError: a file cannot be opened.
    """
    if not paths:
        raise RecordingError('no recording: name a bag folder, or a file')
    kinds = {_is_table(path) for path in paths}
    name = str(paths[0]) if len(paths) == 1 else f'{paths[0]} and {len(paths) - 1} more'
    if len(kinds) > 1:
        raise RecordingError(f'{name}: bags and CSV files cannot be one recording')
    if kinds == {True}:
        yield CsvSource(name, paths)
        return
    required('rosbags')
    from .bag_source import open_bags  # needs rosbags

    with open_bags(paths, name) as source:
        yield source


def _is_table(path: Path) -> bool:
    """Whether a path is a CSV file; else it is a bag."""
    if not path.exists():
        raise RecordingError(f'{path} does not exist')
    if path.is_dir() or path.name.endswith(BAGS):
        return False
    if path.name.endswith(TABLES):
        return True
    allowed = 'a bag folder, ' + ', '.join(BAGS + TABLES)
    raise RecordingError(f'{path} is not a recording by its name: allowed are {allowed}')
