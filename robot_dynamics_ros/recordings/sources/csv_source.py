"""Joint states of CSV files: one file, or several with the same times and other columns."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from .source import DEFAULT_TOPIC, States

TIMES = ('time', 't', '__time', 'timestamp')
FIELDS = ('position', 'velocity', 'effort')
# `elbow_position`, `elbow.position`, `/joint_states/elbow/position`, `- elbow_position`.
COLUMN = re.compile(rf'(?:-\s+)?(?:.*/)?(?P<joint>[^/]+?)[_./](?P<field>{"|".join(FIELDS)})')
NEEDED = (
    f'one of {", ".join(TIMES)} [s], and JOINT_position [rad, m], JOINT_velocity [rad/s, m/s], '
    'JOINT_effort [N m, N], separated by commas'
)
# [s]: beyond it, nanoseconds do not fit into 64 bits.
LATEST = 9e9
# Bytes that are read together, and characters of a message of pyarrow, which shows whole cells.
BLOCK, SHOWN = 1 << 20, 200


class CsvSource:
    """CSV files whose columns together are one recording; see `StateSource`."""

    clock = 'file'

    def __init__(self, name: str, paths: Sequence[Path]) -> None:
        """Read the headers, and count the lines.

        Raises:
            RecordingError: a header cannot be used, there are no rows, or two files have the same
                column.
        """
        self.name = name
        self._tables = [CsvTable(path) for path in paths]
        self._named = [key for table in self._tables for key in [*table.columns.values()][1:]]
        if twice := [key for key in self._named if self._named.count(key) > 1]:
            raise RecordingError(
                f'{name}: two files have {"_".join(twice[0])}: name recordings of their own '
                f'one by one: {" ".join(map(str, paths))}'
            )
        self._joints = tuple(joint for joint, field in self._named if field == 'position')
        if not self._joints:
            raise RecordingError(f'{name}: no column JOINT_position in the header')
        if next(self._tables[0].rows(), None) is None:
            raise RecordingError(f'{paths[0]} has no rows: a row for each sample is needed')
        self.topics = {DEFAULT_TOPIC: self._tables[0].lines - 1}
        self.other_topics: dict[str, str] = {}
        self.descriptions = ()

    def states(self, topic: str) -> Generator[Sequence[States], None, None]:
        """See `StateSource`."""
        blocks = ([rows] for rows in self._tables[0].rows())
        if len(self._tables) > 1:
            whole = [np.concatenate([*table.rows()]) for table in self._tables]
            blocks = (each for each in [whole])
        first = 0
        for parts in blocks:
            times = parts[0][:, 0]
            if not all(np.array_equal(part[:, 0], times, equal_nan=True) for part in parts):
                raise RecordingError(
                    f'{self.name}: the rows of the files do not have the same times: name '
                    'recordings of their own one by one'
                )
            if not (np.abs(times) < LATEST).all():
                raise RecordingError(
                    f'{self.name}: a time is not a number of seconds below {LATEST:g}'
                )
            columns = [column for part in parts for column in part.T[1:]]
            values = dict(zip(self._named, columns, strict=True))
            missing = np.full(len(times), np.nan)
            fields = (
                np.column_stack([values.get((joint, field), missing) for joint in self._joints])
                for field in FIELDS
            )
            numbers, stamps = first + np.arange(len(times)), np.rint(times * 1e9).astype(np.int64)
            yield [States(self._joints, numbers, stamps, None, *fields)]
            first += len(times)


class CsvTable:
    """One file.

    Attributes:
        columns: joint and field of those that are used, by their names; the time is the first.
    """

    def __init__(self, path: Path) -> None:
        """Read the header.

        Raises:
            RecordingError: it names no time or no value, or one of them twice.
        """
        self._path, self._names = path, []
        with self._opened() as reader:
            self._names = reader.schema.names
        found: dict[tuple[str, str], list[str]] = {('', 'time'): []}
        for name in self._names:
            if name.strip().lower() in TIMES:
                found['', 'time'].append(name)
            elif match := COLUMN.fullmatch(name.strip()):
                found.setdefault((match['joint'], match['field']), []).append(name)
        wrong = [key for key, places in found.items() if len(places) != 1]
        if wrong or len(found) == 1:
            joint, field = wrong[0] if wrong else ('', 'value')
            count, header = len(found.get((joint, field), ())), ','.join(self._names)
            raise RecordingError(
                f'{path}: the header {header[:SHOWN]!r} has {count} columns for '
                f'{f"{joint} {field}".strip()}, and needs {NEEDED}'
            )
        self.columns = {column: key for key, (column,) in found.items()}

    @property
    def lines(self) -> int:
        """How many the file has."""
        with required('pyarrow').input_stream(str(self._path)) as stream:
            return sum(part.count(b'\n') for part in iter(lambda: stream.read(BLOCK), b''))

    def rows(self) -> Iterator[Array]:
        """Times and values (N, 1 + m), some at a time; NaN in empty cells.

        Raises:
            RecordingError: a cell of a used column is not a number, or a row has another length.
        """
        types = dict.fromkeys(self.columns, required('pyarrow').float64())
        with self._opened(include_columns=[*self.columns], column_types=types) as reader:
            for batch in reader:
                if len(batch):
                    yield np.column_stack([each.to_numpy(zero_copy_only=False) for each in batch])

    @contextmanager
    def _opened(self, **options: Any) -> Iterator[Any]:
        """The file, read with options of conversion; what is wrong with it names it."""
        csv, arrow = required('pyarrow.csv'), required('pyarrow')
        # With one thread, what is wrong is said with its row.
        reading = csv.ReadOptions(use_threads=False, block_size=BLOCK)
        try:
            with csv.open_csv(
                self._path, reading, convert_options=csv.ConvertOptions(**options)
            ) as reader:
                yield reader
        except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            text = re.sub(r'CSV column #(\d+)', self._named, ' '.join(str(error).split()))
            raise RecordingError(
                f'{self._path}: {text[:SHOWN]}{"..." * (len(text) > SHOWN)}'
            ) from None

    def _named(self, column: re.Match[str]) -> str:
        number = int(column[1])
        return f'column {self._names[number] if number < len(self._names) else number!r}'
