"""Joint states of CSV files: one file, or several with the same times and other columns."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import TextIO

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .source import DEFAULT_TOPIC, StateBlock, StateRows

TIMES = ('time', 't', '__time', 'timestamp')
FIELDS = ('position', 'velocity', 'effort')
# `elbow_position`, `elbow.position`, `/joint_states/elbow/position`, `- elbow_position`.
COLUMN = re.compile(rf'(?:-\s+)?(?:.*/)?(?P<joint>[^/]+?)[_./](?P<field>{"|".join(FIELDS)})')
NEEDED = (
    f'one of {", ".join(TIMES)} [s], and JOINT_position [rad, m], JOINT_velocity [rad/s, m/s], '
    'JOINT_effort [N m, N], separated by commas'
)
# Rows of a block, characters of a line, and those of a cell or header that a message shows.
ROWS, LONGEST_LINE, SHOWN = 4096, 1 << 20, 80
# [s]: beyond it, nanoseconds do not fit into 64 bits.
LATEST = 9e9
# Cells that are empty: twice, as one comma ends a cell and begins the next one.
EMPTY = ((',,', ',nan,'), (',,', ',nan,'), (',\n', ',nan\n'), ('\n,', '\nnan,'))


class CsvSource:
    """CSV files whose columns together are one recording; see `StateSource`."""

    def __init__(self, name: str, paths: Sequence[Path]) -> None:
        """Read the headers, and count the rows.

        Raises:
            RecordingError: a header cannot be used, there are no rows, or two files have the same
                column.
        """
        self.name = name
        self._tables = [CsvTable.of(path) for path in paths]
        self._named = [column for table in self._tables for column in table.columns]
        if twice := [column for column in self._named if self._named.count(column) > 1]:
            raise RecordingError(
                f'{name}: two files have {"_".join(twice[0])}: name recordings of their own '
                f'one by one: {" ".join(map(str, paths))}'
            )
        self._joints = tuple(joint for joint, field in self._named if field == 'position')
        if not self._joints:
            raise RecordingError(f'{name}: no column JOINT_position in the header')
        rows = self._tables[0].count_rows()
        if not rows:
            raise RecordingError(f'{paths[0]} has no rows: a row for each sample is needed')
        self.topics = {DEFAULT_TOPIC: rows}
        self.other_topics: dict[str, str] = {}
        self.descriptions = ()

    def blocks(self, topic: str) -> Iterator[StateBlock]:
        """See `StateSource`."""
        none = np.empty((0, 1))
        for parts in zip_longest(*(table.blocks() for table in self._tables), fillvalue=none):
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
            values = np.hstack([part[:, 1:] for part in parts])
            columns = dict(zip(self._named, values.T, strict=True))
            missing = np.full(len(times), np.nan)
            fields = (
                np.column_stack([columns.get((joint, field), missing) for joint in self._joints])
                for field in FIELDS
            )
            rows = StateRows(np.arange(len(times)), self._joints, None, *fields)
            yield StateBlock(np.rint(times * 1e9).astype(np.int64), [rows])


@dataclass(frozen=True)
class CsvTable:
    """A file, and where times and values are among its columns.

    Attributes:
        path: of the file.
        names: of all columns, as they are in the header.
        line: number of the header.
        used: places of the time, then of the values, among all columns.
        columns: joint and field of each value.
    """

    path: Path
    names: tuple[str, ...]
    line: int
    used: tuple[int, ...]
    columns: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, path: Path) -> CsvTable:
        """Read the header.

        Raises:
            RecordingError: it names no time or no value, or one of them twice.
        """
        with _lines(path) as lines:
            line, header = next((each for each in enumerate(lines, 1) if each[1].strip()), (0, ''))
        names = tuple(name.strip() for name in _cells(path, line, header))
        found: dict[tuple[str, str], list[int]] = {('', 'time'): []}
        for index, name in enumerate(names):
            if name.lower() in TIMES:
                found['', 'time'].append(index)
            elif match := COLUMN.fullmatch(name):
                found.setdefault((match['joint'], match['field']), []).append(index)
        wrong = [key for key, places in found.items() if len(places) != 1]
        if wrong or len(found) == 1:
            joint, field = wrong[0] if wrong else ('', 'value')
            count = len(found.get((joint, field), ()))
            raise RecordingError(
                f'{path}: line {line}: the header {_shown(header)} has {count} columns for '
                f'{f"{joint} {field}".strip()}, and needs {NEEDED}'
            )
        return cls(path, names, line, tuple(place for (place,) in found.values()), (*found,)[1:])

    def count_rows(self) -> int:
        """Rows behind the header."""
        with _lines(self.path) as lines:
            return max(0, sum(1 for _ in filter(str.strip, lines)) - 1)

    def blocks(self) -> Iterator[Array]:
        """Times and values (N, 1 + m), some thousand rows at a time; NaN in empty cells.

        Raises:
            RecordingError: a cell of a used column is not a number, or a row has another length.
        """
        with _lines(self.path) as lines:
            numbered = islice(enumerate(lines, 1), self.line, None)
            filled = ((line, text) for line, text in numbered if text.strip())
            while block := list(islice(filled, ROWS)):
                yield self._numbers(block)

    def _numbers(self, block: list[tuple[int, str]]) -> Array:
        """Rows of numbers of some lines, each with its number."""
        if all(len(text.split(',')) == len(self.names) for _, text in block):
            text = '\n'.join(['', *(text for _, text in block), ''])
            for empty, number in EMPTY:
                text = text.replace(empty, number)
            # NumPy does not look at columns that are not used.
            with suppress(ValueError):
                return np.loadtxt(
                    text[1:-1].split('\n'), delimiter=',', comments=None, quotechar='"',
                    usecols=self.used, ndmin=2,
                )  # fmt: skip
        return np.array([self._row(*each) for each in block])

    def _row(self, line: int, text: str) -> list[float]:
        row = _cells(self.path, line, text)
        if len(row) != len(self.names):
            raise RecordingError(
                f'{self.path}: line {line} has {len(row)} cells, the header {len(self.names)}'
            )
        numbers = [_number(row[index]) for index in self.used]
        if None in numbers:
            index = self.used[numbers.index(None)]
            raise RecordingError(
                f'{self.path}: line {line} has {_shown(row[index])} in column '
                f'{self.names[index]!r}: each cell of this column must be a number or empty'
            )
        return numbers


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a file.

    Raises:
        RecordingError: the file is damaged or no text, or a line is too long.
    """

    def bounded(file: TextIO) -> Iterator[str]:
        while line := file.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE:
                raise RecordingError(f'{path} has a line of more than {LONGEST_LINE} characters')
            yield line.rstrip('\r\n')

    opened = gzip.open if path.suffix == '.gz' else open
    try:
        with opened(path, 'rt', encoding='utf-8-sig', newline='') as file:
            yield bounded(file)
    except UnicodeDecodeError:
        raise RecordingError(f'{path} is not a text in UTF-8') from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordingError(f'{path} cannot be decompressed: {error}') from None


def _cells(path: Path, line: int, text: str) -> list[str]:
    try:
        return next(csv.reader([text]), [])
    except csv.Error as error:
        raise RecordingError(f'{path}: line {line} has no cells: {error}') from None


def _number(cell: str) -> float | None:
    """NaN where a cell is empty, None where it is no number; 1_000 is one for Python alone."""
    try:
        return None if '_' in cell else float(cell.strip() or 'nan')
    except ValueError:
        return None


def _shown(text: str) -> str:
    return repr(text[:SHOWN] + '...' * (len(text) > SHOWN))
