"""What the columns of a CSV file hold, from its header."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from robot_dynamics_ros.core.errors import RecordingError

TIMES = ('time', 't', '__time', 'timestamp')
FIELDS = ('position', 'velocity', 'effort')
# `elbow_position`, `elbow.position`, `/joint_states/elbow/position`, `- elbow_position`.
COLUMN = re.compile(rf'(?:-\s+)?(?:.*/)?(?P<joint>[^/]+?)[_./](?P<field>{"|".join(FIELDS)})')


@dataclass(frozen=True)
class CsvColumns:
    """Where times and values are among the columns of a file.

    Attributes:
        names: of all columns, as they are in the header.
        time: column of the times.
        fields: columns by field and joint.
    """

    names: tuple[str, ...]
    time: int
    fields: dict[str, dict[str, int]]

    @property
    def used(self) -> list[int]:
        """Indices of time and values; other columns may hold anything."""
        values = (index for columns in self.fields.values() for index in columns.values())
        return sorted({self.time, *values})

    @classmethod
    def of(cls, header: str, file: Path) -> CsvColumns:
        """Read a header line.

        Args:
            header: the first line of the file.
            file: for messages.

        Raises:
            RecordingError: it is empty, it names no time or no value, or a value twice.
        """
        if not header.strip():
            raise RecordingError(
                f'{file}: the file or its first line is empty: it must be a header, such as '
                'time,JOINT_position,JOINT_velocity,JOINT_effort'
            )
        try:
            names = [name.strip() for name in cells_of(header)]
        except RecordingError as error:
            raise RecordingError(f'{file}: the header {error}') from None
        times = [index for index, name in enumerate(names) if name.lower() in TIMES]
        if len(names) == 1 and (separator := _other_separator(header)):
            raise RecordingError(
                f'{file}: the cells are separated by {separator}: separate them by commas, with '
                'decimal points'
            )
        if names and all(map(_is_number, names)):
            raise RecordingError(
                f'{file}: the first line has numbers: it must be a header, such as '
                'time,JOINT_position,JOINT_velocity,JOINT_effort'
            )
        if len(times) != 1:
            raise RecordingError(
                f'{file}: {len(times)} columns of the header {_shown(names)} are named as times, '
                f'one must be: {", ".join(TIMES)} [s]'
            )
        fields: dict[str, dict[str, int]] = {field: {} for field in FIELDS}
        for index, name in enumerate(names):
            match = COLUMN.fullmatch(name)
            if match is None:
                continue
            columns = fields[match['field']]
            if match['joint'] in columns:
                raise RecordingError(f'{file}: the header has {name!r} twice')
            columns[match['joint']] = index
        if not any(fields.values()):
            raise RecordingError(
                f'{file}: no column of the header {_shown(names)} is named as a value: '
                f'JOINT_position [rad, m], JOINT_velocity [rad/s, m/s], JOINT_effort [N m, N]'
            )
        return cls(tuple(names), times[0], fields)


def cells_of(line: str) -> list[str]:
    """The cells of a line.

    Raises:
        RecordingError: they cannot be told apart, or one is too long.
    """
    try:
        return next(csv.reader([line]), [])
    except csv.Error as error:
        raise RecordingError(f'cannot be divided into cells: {error}') from None


def _other_separator(header: str) -> str:
    """What separates the cells of a line without commas; empty where nothing does."""
    separators = {';': 'semicolons', '\t': 'tabs'}
    return next((name for sign, name in separators.items() if sign in header), '')


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _shown(names: Sequence[str]) -> str:
    """The first names of a header, for messages."""
    text = ','.join(names)
    return repr(text if len(text) <= 60 else text[:57] + '...')
