"""Joint states of CSV files: one file, or several with the same times and other columns."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper
from itertools import islice, zip_longest
from pathlib import Path
from typing import TextIO

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .bounded_expansion import ExpandedFile
from .csv_columns import FIELDS, CsvColumns
from .csv_numbers import numbers_of
from .state_rows import StateBlock, StateRows, empty

TOPIC = '/joint_states'
# Rows of a block, and characters of a line.
ROWS, LONGEST_LINE = 4096, 1 << 20
# [s]: beyond it, nanoseconds do not fit into 64 bits.
LATEST = 9e9
EMPTY_CELL = re.compile(r'(?<=,)\s*(?=,|$)|^\s*(?=,)')


class CsvSource:
    """CSV files whose columns together are one recording; see `StateSource`."""

    def __init__(self, name: str, paths: Sequence[Path]) -> None:
        """Read the headers, and count the rows.

        Raises:
            RecordingError: a header cannot be used, there are no rows, or two files have the same
                column.
        """
        self.name = name
        self._paths = list(paths)
        self._columns = [_header(path) for path in paths]
        self._joints = self._joined_joints()
        rows = _count_rows(self._paths[0])
        if not rows:
            raise RecordingError(f'{self._paths[0]} has no rows: a row for each sample is needed')
        self.topics = {TOPIC: rows}
        self.other_topics: dict[str, str] = {}
        self.description = None

    def _joined_joints(self) -> tuple[str, ...]:
        for field in FIELDS:
            named = [joint for columns in self._columns for joint in columns.fields[field]]
            if len(set(named)) < len(named):
                raise RecordingError(f'{self.name}: two files have the {field} of the same joint')
            if field == 'position':
                joints = tuple(named)
        if not joints:
            raise RecordingError(f'{self.name}: no column JOINT_position in the header')
        return joints

    def blocks(self, topic: str, begin: int = 0, end: int | None = None) -> Iterator[StateBlock]:
        """See `StateSource`."""
        files = zip(self._paths, self._columns, strict=True)
        tables = [_tables(path, columns, begin, end) for path, columns in files]
        for parts in zip_longest(*tables):
            for part, path in zip(parts, self._paths, strict=True):
                if part is None:
                    raise RecordingError(f'{self.name}: {path.name} has fewer rows than others')
            times = [part[:, columns.time] for part, columns in self._with_columns(parts)]
            if any(not np.array_equal(other, times[0], equal_nan=True) for other in times[1:]):
                raise RecordingError(f'{self.name}: the files do not have the same times')
            yield self._block(times[0], parts)

    def _with_columns(self, parts: Sequence[Array]) -> Iterator[tuple[Array, CsvColumns]]:
        for part, columns, path in zip(parts, self._columns, self._paths, strict=True):
            last = max(
                columns.time, *(max(c.values(), default=0) for c in columns.fields.values())
            )
            if last >= part.shape[1]:
                raise RecordingError(f'{path}: rows have {part.shape[1]} cells, too few')
            yield part, columns

    def _block(self, times: Array, parts: Sequence[Array]) -> StateBlock:
        if not (np.abs(times) < LATEST).all():
            raise RecordingError(
                f'{self.name}: a time is not a number of seconds below {LATEST:g}'
            )
        values: dict[str, Array | None] = {}
        for field in FIELDS:
            values[field] = None
            for part, columns in zip(parts, self._columns, strict=True):
                for index, joint in enumerate(self._joints):
                    if joint not in columns.fields[field]:
                        continue
                    if values[field] is None:
                        values[field] = empty(len(times), len(self._joints))
                    values[field][:, index] = part[:, columns.fields[field][joint]]
        log_times = np.rint(times * 1e9).astype(np.int64)
        everything = slice(0, len(times))
        rows = StateRows(everything, self._joints, None, *(values[field] for field in FIELDS))
        return StateBlock(log_times, [rows])


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Make a RecordingError of what reading a damaged file raises."""
    try:
        yield
    except UnicodeDecodeError:
        raise RecordingError(f'{path} is not a text in UTF-8') from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RecordingError(f'{path} cannot be decompressed: {error}') from None


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    with errors_of(path):
        raw = ExpandedFile(path) if path.suffix == '.gz' else path.open('rb', buffering=0)
        with TextIOWrapper(BufferedReader(raw), encoding='utf-8-sig', newline='') as file:
            yield file


def _lines(file: TextIO, path: Path) -> Iterator[str]:
    """Lines that are not empty."""
    while line := file.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise RecordingError(f'{path} has a line of more than {LONGEST_LINE} characters')
        if line.strip():
            yield line.rstrip('\r\n')


def _header(path: Path) -> CsvColumns:
    with _opened(path) as file:
        return CsvColumns.of(next(_lines(file, path), ''), path)


def _count_rows(path: Path) -> int:
    with _opened(path) as file:
        return max(0, sum(1 for _ in _lines(file, path)) - 1)


def _tables(path: Path, columns: CsvColumns, begin: int, end: int | None) -> Iterator[Array]:
    """Rows of numbers from one row to another, block by block; empty cells are NaN."""
    with _opened(path) as file:
        lines = islice(_lines(file, path), 1 + begin, None if end is None else 1 + end)
        row = begin
        while block := list(islice(lines, ROWS)):
            filled = [EMPTY_CELL.sub('nan', line) if _has_empty(line) else line for line in block]
            yield _numbers(path, columns, filled, row)
            row += len(block)


def _numbers(path: Path, columns: CsvColumns, lines: Sequence[str], row: int) -> Array:
    """The cells of lines of which the first is that of a row, from 0 on."""
    try:
        return numbers_of(lines, columns, lambda index: _line_number(path, row + index))
    except RecordingError as error:
        raise RecordingError(f'{path}: {error}') from None


def _line_number(path: Path, row: int) -> int:
    """Number of the line of a row, from 0 on; empty lines are no rows."""
    with _opened(path) as file:
        filled = (number for number, line in enumerate(file, start=1) if line.strip())
        return next(islice(filled, 1 + row, None))


def _has_empty(line: str) -> bool:
    compact = line.replace(' ', '')
    return ',,' in compact or compact[:1] == ',' or compact[-1:] == ','
