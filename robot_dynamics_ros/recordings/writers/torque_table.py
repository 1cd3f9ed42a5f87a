"""The columns of a table of torques."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from .torque_samples import TorqueOrigin, TorqueSamples


def columns_of(origin: TorqueOrigin, samples: TorqueSamples) -> Mapping[str, npt.NDArray[Any]]:
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
    columns: dict[str, npt.NDArray[Any]] = {
        'time': motion.times,
        'stamp_ns': origin.stamps(motion.times),
    }
    for index, joint in enumerate(origin.joints):
        for name, values in tables.items():
            columns[f'{joint}/{name}'] = values[:, index]
    return columns
