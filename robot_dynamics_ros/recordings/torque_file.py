"""The torques of a model along a recording, written as MCAP, CSV or Parquet.

MCAP is for ROS tools: the recorded states and the torques beside them, in the order of their
stamps. CSV and Parquet are tables with a row for each filtered sample.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from .joint_samples import JointSamples
from .torque_samples import ROWS, TorqueOrigin, TorqueSamples

ENDINGS = ('.mcap', '.csv', '.csv.gz', '.parquet')
# Rows of a group of Parquet, at least.
PARQUET_ROWS = 65536


def check_ending(path: Path) -> None:
    """Whether a file of torques may have this name.

    Raises:
        RecordingError: its ending is another.
    """
    if not path.name.endswith(ENDINGS):
        raise RecordingError(f'{path}: the ending must be one of {", ".join(ENDINGS)}')


def write_torque_file(
    path: Path,
    origin: TorqueOrigin,
    samples: Iterable[TorqueSamples],
    states: Iterable[JointSamples] = (),
) -> None:
    """Write a file of torques, as they come.

    Args:
        path: to write; its ending decides what is written.
        origin: of the torques.
        samples: along the recording, in its order.
        states: as they were recorded; only MCAP files hold them.

    Raises:
        RecordingError: the ending is unknown, or a library is not installed.
        OSError: the file cannot be written.
    """
    check_ending(path)
    if path.suffix == '.mcap':
        required('rosbags')
        from .torque_mcap import write_mcap  # needs rosbags

        write_mcap(path, origin, samples, states)
    elif path.suffix == '.parquet':
        _write_parquet(path, origin, samples)
    else:
        _write_csv(path, origin, samples)


def _columns(origin: TorqueOrigin, samples: TorqueSamples) -> dict[str, npt.NDArray[np.generic]]:
    """Columns (N,) by name, in SI units.

    `time` is that since the start of the recording, `stamp_ns` the time of the clock [ns]. Then
    come, for each joint, `JOINT/position`, `JOINT/velocity`, `JOINT/acceleration`, all filtered,
    the measured `JOINT/effort`, filtered as they are and NaN where not measured, the torque of the
    model `JOINT/torque`, and its parts, such as `JOINT/gravity`.
    """
    motion = samples.motion
    tables = {
        'position': motion.positions,
        'velocity': motion.velocities,
        'acceleration': motion.accelerations,
        'effort': motion.efforts,
        'torque': samples.torques,
        **samples.parts,
    }
    return {
        'time': motion.times,
        'stamp_ns': origin.stamps(motion.times),
        **{
            f'{joint}/{name}': values[:, index]
            for index, joint in enumerate(origin.joints)
            for name, values in tables.items()
        },
    }


def _write_csv(path: Path, origin: TorqueOrigin, samples: Iterable[TorqueSamples]) -> None:
    """One header row; numbers have as many digits as they need to be read back to the bit."""
    opened = gzip.open if path.suffix == '.gz' else open
    header = False
    with opened(path, 'wt', encoding='utf-8', newline='') as text:
        writer = csv.writer(text, lineterminator='\n')
        for piece in (piece for each in samples for piece in each.pieces(ROWS)):
            columns = _columns(origin, piece)
            if not header:
                writer.writerow(columns)
                header = True
            lists = (values.tolist() for values in columns.values())
            writer.writerows(zip(*lists, strict=True))


def _write_parquet(path: Path, origin: TorqueOrigin, samples: Iterable[TorqueSamples]) -> None:
    """Metadata hold the URDF (`urdf`) and the start (`start_ns`); short segments are joined."""
    pyarrow, parquet = required('pyarrow', 'parquet'), required('pyarrow.parquet', 'parquet')
    metadata = {'urdf': origin.urdf, 'start_ns': str(origin.start)}
    tables = (
        pyarrow.table(_columns(origin, piece)).replace_schema_metadata(metadata)
        for each in samples
        for piece in each.pieces(PARQUET_ROWS)
    )
    first = next(tables)
    with parquet.ParquetWriter(path, first.schema) as writer:
        pending = [first]
        for table in tables:
            if sum(each.num_rows for each in pending) >= PARQUET_ROWS:
                writer.write_table(pyarrow.concat_tables(pending))
                pending.clear()
            pending.append(table)
        writer.write_table(pyarrow.concat_tables(pending))
