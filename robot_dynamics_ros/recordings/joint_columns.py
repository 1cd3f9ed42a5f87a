"""States with any names in any order to arrays with one column for each wanted joint.

Drivers of an arm and a gripper, or of two halves of an arm, may publish on one topic. So a sample
is made at each message of the joint that comes most rarely, with the latest values of the others,
as dynamics_node uses them. Where each message has all joints, these are its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .joint_samples import gap_limit

Numbers = npt.NDArray[np.int64]
# Fields of sensor_msgs/JointState, and of columns of a table.
VALUES = ('position', 'velocity', 'effort')
# Joints with less of the longest interval come more often: jitter changes a median less.
MORE_OFTEN = 0.99


class States(NamedTuple):
    """Messages with the same joints, in the order of their numbers."""

    names: tuple[str, ...]  #: of the joints, as recorded
    numbers: Numbers  #: (N,) among the messages of the topic, in the order of the log
    times: Numbers  #: (N,) [ns]
    values: Array  #: (3, N, n) positions [rad, m], velocities, efforts; NaN where not measured

    def of(self, joints: Sequence[str]) -> Array:
        """Values (3, N, k) of some of the joints, in this order."""
        columns = [self.names.index(name) for name in joints]
        return self.values if tuple(joints) == self.names else self.values[..., columns]


class Columns(NamedTuple):
    """Samples of some joints."""

    times: Numbers  #: (N,) [ns]
    values: Array  #: (3, N, n) as those of `States`
    start: int  #: first time of the joint that comes most rarely [ns]
    interval: float  #: median one of its messages [s]
    merged: int = 0  #: samples of several messages
    skew: int = 0  #: the longest time between these [ns]


def columns_of(kinds: Sequence[States], joints: Sequence[str]) -> Columns:
    """Samples of joints at the messages of the one that comes most rarely.

    Of joints that come equally rarely, it is the one that comes the soonest after the others. A
    value is fresh up to the limit of a gap, and none counts twice.
    """
    usable = [kind for kind in kinds if not set(joints).isdisjoint(kind.names)]
    if len(usable) == 1 and set(joints) <= set(usable[0].names):
        times = usable[0].times
        return Columns(times, usable[0].of(joints), int(times[0]), median_interval(times))
    every = [_series(usable, joint) for joint in joints]
    intervals = np.array([median_interval(one.times) for one in every])
    # No comparison with NaN holds: a joint that came once is rare.
    rare = np.flatnonzero(~(intervals < MORE_OFTEN * np.nanmax([*intervals, 0.0])))
    pairs = [(_latest(every, every[place]), place) for place in rare]
    (ages, rows), place = min(pairs, key=lambda pair: np.median(pair[0][0].max(axis=0)))
    reference, interval = every[place], float(intervals[place])
    newest = np.stack([one.numbers[row] for one, row in zip(every, rows, strict=True)])
    before = np.concatenate([[-1], reference.numbers[:-1]])
    fresh = (rows >= 0) & (newest > before) & (ages <= 1e9 * gap_limit(interval))
    used = fresh.all(axis=0)
    values = [one.values[..., row[used], 0] for one, row in zip(every, rows, strict=True)]
    return Columns(
        reference.times[used],
        np.stack(values, axis=2),
        int(reference.times[0]),
        interval,
        int(np.count_nonzero((newest != reference.numbers).any(axis=0) & used)),
        int(ages[:, used].max(initial=0)),
    )


def _series(kinds: Sequence[States], joint: str) -> States:
    """All messages with a joint, without the others."""
    found = [kind for kind in kinds if joint in kind.names]
    numbers = np.concatenate([kind.numbers for kind in found])
    times = np.concatenate([kind.times for kind in found])
    values = np.concatenate([kind.of([joint]) for kind in found], axis=1)
    order = np.argsort(numbers)
    return States((joint,), numbers[order], times[order], values[:, order])


def _latest(every: Sequence[States], at: States) -> tuple[Numbers, Numbers]:
    """Ages (n, N) of the latest values of joints at N messages [ns], and their rows.

    The row is -1, and the age 0, where there is none yet.
    """
    rows = np.stack([np.searchsorted(one.numbers, at.numbers, side='right') - 1 for one in every])
    times = np.stack([one.times[row] for one, row in zip(every, rows, strict=True)])
    return np.where(rows < 0, 0, np.abs(at.times - times)), rows


def median_interval(times: Numbers) -> float:
    """Median time between two of some times [ns], in [s]; NaN with less than two."""
    intervals = np.diff(np.sort(times))
    intervals = intervals[intervals > 0]
    return float(np.median(intervals)) * 1e-9 if intervals.size else float('nan')
