"""The torques of a model along a recording, written as MCAP, CSV or Parquet.

MCAP is for ROS tools: the recorded states and the torques beside them, in the order of their
stamps. CSV and Parquet are tables with a row for each filtered sample.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from .joint_samples import JointSamples, stamps
from .motion import Motion

ENDINGS = ('.mcap', '.csv', '.csv.gz', '.parquet')
# A motion, and the parts of its torque (N, n) by name, such as `gravity` [N m, N].
Torques = tuple[Motion, Mapping[str, Array]]


def check_ending(path: Path) -> None:
    """Whether a file of torques may have this name.

    Raises:
        RecordingError: its ending is another.
    """
    if not path.name.endswith(ENDINGS):
        raise RecordingError(f'{path}: the ending must be one of {", ".join(ENDINGS)}')


def write_torque_file(
    path: Path,
    torques: Iterable[Torques],
    states: Iterable[JointSamples] = (),
    *,
    start: int,
    topic: str,
    urdf: str,
) -> None:
    """Write a file of torques, as they come.

    Args:
        path: to write; its ending decides what is written.
        torques: along the recording, in its order.
        states: as they were recorded; only MCAP files hold them.
        start: of the recording [ns].
        topic: of the recorded joint states.
        urdf: text of the model.

    Raises:
        RecordingError: the ending is unknown, or a library is not installed.
        OSError: the file cannot be written.
    """
    check_ending(path)
    if path.suffix == '.mcap':
        required('rosbags')
        from .torque_mcap import write_mcap  # needs rosbags

        write_mcap(path, torques, states, start=start, topic=topic, urdf=urdf)
    elif path.suffix == '.parquet':
        _write_parquet(path, torques, start, urdf)
    else:
        _write_csv(path, torques, start)


def _columns(motion: Motion, parts: Mapping[str, Array], start: int) -> dict[str, Any]:
    """Columns (N,) by name, in SI units.

    `time` is that since the start of the recording, `stamp_ns` the time of the clock [ns]. Then
    come, for each joint, `JOINT/position`, `JOINT/velocity`, `JOINT/acceleration`, all filtered,
    the measured `JOINT/effort`, filtered as they are and NaN where not measured, the torque of the
    model `JOINT/torque`, and its parts, such as `JOINT/gravity`.
    """
    tables = {
        'position': motion.positions,
        'velocity': motion.velocities,
        'acceleration': motion.accelerations,
        'effort': motion.efforts,
        'torque': sum(parts.values()),
        **parts,
    }
    return {
        'time': motion.times,
        'stamp_ns': stamps(start, motion.times),
        **{
            f'{joint}/{name}': values[:, index]
            for index, joint in enumerate(motion.joints)
            for name, values in tables.items()
        },
    }


def _write_csv(path: Path, torques: Iterable[Torques], start: int) -> None:
    """One header row; numbers have as many digits as they need to be read back to the bit."""
    opened = gzip.open if path.suffix == '.gz' else open
    with opened(path, 'wt', encoding='utf-8', newline='') as text:
        writer = csv.writer(text, lineterminator='\n')
        for number, (motion, parts) in enumerate(torques):
            columns = _columns(motion, parts, start)
            if number == 0:
                writer.writerow(columns)
            writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


def _write_parquet(path: Path, torques: Iterable[Torques], start: int, urdf: str) -> None:
    """Metadata hold the URDF (`urdf`) and the start (`start_ns`)."""
    pyarrow, parquet = required('pyarrow', 'parquet'), required('pyarrow.parquet', 'parquet')
    metadata = {'urdf': urdf, 'start_ns': str(start)}
    with ExitStack() as stack:
        writer = None
        for motion, parts in torques:
            table = pyarrow.table(_columns(motion, parts, start))
            table = table.replace_schema_metadata(metadata)
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(path, table.schema))
            writer.write_table(table)
