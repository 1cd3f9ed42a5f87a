"""The file of torques of a path, by its ending."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from robot_dynamics_ros.core.errors import RecordingError

from ..extra import required
from ..joint_samples import JointSamples
from ..motion import Motion
from .torque_samples import TorqueOrigin, TorqueSamples

ENDINGS = ('.mcap', '.csv', '.csv.gz', '.parquet')


class TorqueFile(Protocol):
    """A file that torques are written to, as they come."""

    def write(self, samples: TorqueSamples) -> None:
        """Append samples.

        Raises:
            OSError: the file cannot be written.
        """

    def skip(self, motion: Motion) -> None:
        """Pass over a motion that the file of an earlier part has."""


def check_ending(path: Path) -> None:
    """Whether a file of torques may have this name.

    Raises:
        RecordingError: its ending is another.
    """
    if not path.name.endswith(ENDINGS):
        raise RecordingError(f'{path}: the ending must be one of {", ".join(ENDINGS)}')


def open_torque_file(
    path: Path, origin: TorqueOrigin, states: Callable[[], Iterable[JointSamples]]
) -> AbstractContextManager[TorqueFile]:
    """A file of torques; it is complete once the block has ended without an error.

    Args:
        path: to write; its ending decides what is written.
        origin: of the torques.
        states: the recorded states, unfiltered; only MCAP files hold them.

    Raises:
        RecordingError: the ending is unknown, or a library is not installed.
        OSError: the file cannot be written.
    """
    check_ending(path)
    if path.suffix == '.mcap':
        required('rosbags')
        from .mcap_file import mcap_file  # needs rosbags

        return mcap_file(path, origin, states())
    if path.suffix == '.parquet':
        required('pyarrow', 'parquet')
        from .parquet_file import parquet_file  # needs pyarrow

        return parquet_file(path, origin)
    from .csv_file import csv_file

    return csv_file(path, origin)
