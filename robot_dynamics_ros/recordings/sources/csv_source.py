"""Joint states of CSV files: one file, or several with the same times and other columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from ..joint_samples import VALUES, States
from .file_errors import SHOWN, errors_of
from .joint_state_decoder import SECOND

DEFAULT_TOPIC = '/joint_states'
TIMES = ('time', 't', '__time', 'timestamp')
# `elbow_position`, `elbow.position`, `/joint_states/elbow/position`, `- elbow_position`.
COLUMN = re.compile(rf'(?:-\s+)?(?:.*/)?(?P<joint>[^/]+?)[_./](?P<field>{"|".join(VALUES)})')
NEEDED = (
    f'one of {", ".join(TIMES)} [s], and JOINT_position [rad, m], JOINT_velocity [rad/s, m/s], '
    'JOINT_effort [N m, N], separated by commas'
)
# [s]: beyond it, nanoseconds do not fit into 64 bits.
LATEST = np.iinfo(np.int64).max / SECOND
# In the place of a joint and a field.
TIME = ('', 'time')


class CsvSource:
    """CSV files whose columns together are one recording; attributes as those of `BagSource`."""

    descriptions = ()

    def __init__(self, name: str, paths: Sequence[Path]) -> None:
        """Read all columns.

        Raises:
            RecordingError: a header or a cell cannot be used, there are no rows, or two files have
                the same column or other times.
        """
        self.name = name
        tables = [read_table(path) for path in paths]
        times = tables[0][TIME]
        named = [key for table in tables for key in table if key != TIME]
        problem = ''
        if twice := [key for key in named if named.count(key) > 1]:
            problem = f'two files have {"_".join(twice[0])}'
        elif not all(np.array_equal(one[TIME], times, equal_nan=True) for one in tables):
            problem = 'the rows of the files do not have the same times'
        if problem:
            raise RecordingError(f'{name}: {problem}: name recordings of their own one by one')
        joints = tuple(joint for joint, field in named if field == VALUES[0])
        if not (joints and len(times) and (np.abs(times) < LATEST).all()):
            raise RecordingError(
                f'{name}: a row for each sample is needed, with a time below {LATEST:g} s, and a '
                'column JOINT_position'
            )
        self.topics, missing = {DEFAULT_TOPIC: len(times)}, np.full(len(times), np.nan)
        columns = {key: column for table in tables for key, column in table.items()}
        keys = ((joint, field) for field, joint in product(VALUES, joints))
        values = np.reshape(
            [columns.get(key, missing) for key in keys], (len(VALUES), len(joints), len(times))
        )
        stamps = np.rint(times * SECOND).astype(np.int64)
        self._states = States(joints, np.arange(len(times)), stamps, values.swapaxes(1, 2))

    def states(self, topic: str) -> tuple[list[States], str]:
        """All rows, and what their times are from."""
        return [self._states], 'file'


def read_table(path: Path) -> dict[tuple[str, str], Array]:
    """Columns (N,) of a file by joint and field, `TIME` before the others; NaN in empty cells."""
    csv, arrow = required('pyarrow.csv'), required('pyarrow')
    # With one thread, what is wrong is said with its row.
    reading = csv.ReadOptions(use_threads=False)
    with errors_of(path), csv.open_csv(path, reading) as reader:
        names: list[str] = reader.schema.names
    with errors_of(path, names):
        keys = _keys(names)
        converting = csv.ConvertOptions(
            include_columns=[*keys], column_types=dict.fromkeys(keys, arrow.float64())
        )
        table = csv.read_csv(path, reading, convert_options=converting)
        return {key: table[name].to_numpy() for name, key in keys.items()}


def _keys(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Joint and field of the columns that are used, by their names; the time is the first."""
    times = [name for name in names if name.strip().lower() in TIMES]
    found = {name: match for name in names if (match := COLUMN.fullmatch(name.strip()))}
    keys = dict.fromkeys(times, TIME)
    keys |= {name: (match['joint'], match['field']) for name, match in found.items()}
    every = [keys[name] for name in names if name in keys]
    wrong = [key for key in (TIME, *every) if every.count(key) != 1]
    if wrong or not found:
        key = wrong[0] if wrong else ('JOINT', VALUES[0])
        raise RecordingError(
            f'{every.count(key)} columns for {" ".join(key).strip()} in the header '
            f'{",".join(names)[:SHOWN]!r}, which needs {NEEDED}'
        )
    return keys
