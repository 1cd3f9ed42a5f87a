"""Rows of a CSV file as numbers, and where a row is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .csv_columns import CsvColumns, cells_of

# Characters of a cell that a message shows.
SHOWN = 40


def numbers_of(lines: Sequence[str], columns: CsvColumns, line_of: Callable[[int], int]) -> Array:
    """The cells (N, k) of some lines; NaN in columns that are not used and hold text.

    Args:
        lines: whose cells are separated by commas; one at least.
        columns: of the file.
        line_of: number of the line in the file, of the index of one of these.

    Raises:
        RecordingError: a cell of a used column is not a number, or a row has another length.
    """
    try:
        return _table(lines)
    except ValueError:
        rows: list[list[str]] = []
    try:
        for line in lines:
            row = cells_of(line)
            _check(row, rows[-1] if rows else row, columns)
            rows.append(row)
    except RecordingError as error:
        raise RecordingError(f'line {line_of(len(rows))} {error}') from None
    used = [index for index in columns.used if index < len(rows[0])]
    cells = [','.join(row[index].strip() or 'nan' for index in used) for row in rows]
    numbers = np.full((len(rows), len(rows[0])), np.nan)
    numbers[:, used] = _table(cells)
    return numbers


def _table(lines: Sequence[str]) -> Array:
    return np.loadtxt(lines, delimiter=',', comments=None, quotechar='"', ndmin=2)


def _check(row: Sequence[str], before: Sequence[str], columns: CsvColumns) -> None:
    """Check that a row has the length of the one before, and numbers where they are used."""
    if len(row) != len(before):
        raise RecordingError(
            f'has {len(row)} cells, the row before {len(before)}: all rows must have the same '
            'number of cells, separated by commas'
        )
    for index in columns.used:
        if index < len(row) and row[index].strip() and not _is_number(row[index]):
            cell = row[index] if len(row[index]) <= SHOWN else f'{row[index][:SHOWN]}...'
            raise RecordingError(
                f'has {cell!r} in column {columns.names[index]!r}: each cell of this column must '
                'be a number or empty'
            )


def _is_number(cell: str) -> bool:
    """As NumPy judges it: Python takes 1_000 for a number too."""
    try:
        return _table([cell]).shape == (1, 1)
    except ValueError:
        return False
