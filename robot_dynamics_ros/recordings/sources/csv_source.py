"""Joint states of CSV files: one file, or several with the same times and other columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from ..joint_columns import VALUES, States

DEFAULT_TOPIC = '/joint_states'
TIMES = ('time', 't', '__time', 'timestamp')
# `elbow_position`, `elbow.position`, `/joint_states/elbow/position`, `- elbow_position`.
COLUMN = re.compile(rf'(?:-\s+)?(?:.*/)?(?P<joint>[^/]+?)[_./](?P<field>{"|".join(VALUES)})')
NEEDED = (
    f'one of {", ".join(TIMES)} [s], and JOINT_position [rad, m], JOINT_velocity [rad/s, m/s], '
    'JOINT_effort [N m, N], separated by commas'
)
# [s]: beyond it, nanoseconds do not fit into 64 bits.
LATEST = 9e9
# Characters of a message of pyarrow, which shows whole cells.
SHOWN = 200
# In the place of a joint and a field.
TIME = ('', 'time')


class CsvSource:
    """CSV files whose columns together are one recording; attributes as those of `BagSource`."""

    descriptions = ()
    other_topics: Mapping[str, str] = {}

    def __init__(self, name: str, paths: Sequence[Path]) -> None:
        """Read all columns.

        Raises:
            RecordingError: a header or a cell cannot be used, there are no rows, or two files have
                the same column or other times.
        """
        self.name = name
        tables = [read_table(path) for path in paths]
        self._times = tables[0][TIME]
        named = [key for table in tables for key in table if key != TIME]
        problem = ''
        if twice := [key for key in named if named.count(key) > 1]:
            problem = f'two files have {"_".join(twice[0])}'
        elif not all(np.array_equal(one[TIME], self._times, equal_nan=True) for one in tables):
            problem = 'the rows of the files do not have the same times'
        if problem:
            raise RecordingError(f'{name}: {problem}: name recordings of their own one by one')
        if not (np.abs(self._times) < LATEST).all():
            raise RecordingError(f'{name}: a time is not a number of seconds below {LATEST:g}')
        self._columns = {key: column for table in tables for key, column in table.items()}
        self._joints = tuple(joint for joint, field in named if field == 'position')
        if not self._joints:
            raise RecordingError(f'{name}: no column JOINT_position in the header')
        self.topics = {DEFAULT_TOPIC: len(self._times)}

    def states(self, topic: str) -> tuple[list[States], str]:
        """All rows, and what their times are from."""
        times = np.rint(self._times * 1e9).astype(np.int64)
        missing = np.full(len(times), np.nan)
        values = [
            [self._columns.get((joint, field), missing) for joint in self._joints]
            for field in VALUES
        ]
        numbers = np.arange(len(times))
        return [States(self._joints, numbers, times, np.moveaxis(np.array(values), 1, 2))], 'file'


def read_table(path: Path) -> dict[tuple[str, str], Array]:
    """Columns (N,) of a file by joint and field, `TIME` before the others; NaN in empty cells.

    Raises:
        RecordingError: the header names no time or no value, or one of them twice; there are no
            rows; a cell of a used column is not a number, or a row has another length.
    """
    csv, arrow = required('pyarrow.csv'), required('pyarrow')
    # With one thread, what is wrong is said with its row.
    reading = csv.ReadOptions(use_threads=False)
    with _errors_of(path, []), csv.open_csv(path, reading) as reader:
        names: list[str] = reader.schema.names
    columns = _columns(path, names)
    converting = csv.ConvertOptions(
        include_columns=[*columns], column_types=dict.fromkeys(columns, arrow.float64())
    )
    with _errors_of(path, names):
        table = csv.read_csv(path, reading, convert_options=converting)
    if not table.num_rows:
        raise RecordingError(f'{path} has no rows: a row for each sample is needed')
    return {key: table[name].to_numpy() for name, key in columns.items()}


def _columns(path: Path, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Joint and field of the columns that are used, by their names; the time is the first."""
    found: dict[tuple[str, str], list[str]] = {TIME: []}
    for name in names:
        if name.strip().lower() in TIMES:
            found[TIME].append(name)
        elif match := COLUMN.fullmatch(name.strip()):
            found.setdefault((match['joint'], match['field']), []).append(name)
    wrong = [key for key, places in found.items() if len(places) != 1]
    if wrong or len(found) == 1:
        key = wrong[0] if wrong else ('', 'value')
        count, header = len(found.get(key, ())), ','.join(names)
        raise RecordingError(
            f'{path}: the header {header[:SHOWN]!r} has {count} columns for '
            f'{" ".join(key).strip()}, and needs {NEEDED}'
        )
    return {column: key for key, (column,) in found.items()}


@contextmanager
def _errors_of(path: Path, names: Sequence[str]) -> Iterator[None]:
    """What pyarrow says of a file in one line, with the file and the name of the column."""
    numbered = {str(number): name for number, name in enumerate(names)}
    try:
        yield
    except (required('pyarrow').ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        text = re.sub(
            r'CSV column #(\d+)',
            lambda column: f'column {numbered.get(column[1], column[1])!r}',
            ' '.join(str(error).split()),
        )
        more = '...' * (len(text) > SHOWN)
        raise RecordingError(f'{path}: {text[:SHOWN]}{more}') from None
