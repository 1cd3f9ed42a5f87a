"""Samples of joints: states with any names in any order, as arrays with a column for each joint.

Drivers of an arm and a gripper, or of two halves of an arm, may publish on one topic. So a sample
is made at each message of the joint that comes most rarely, with the latest values of the others,
as dynamics_node uses them. Where each message has all joints, these are its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

Numbers = npt.NDArray[np.int64]
# Fields of sensor_msgs/JointState, and of columns of a table.
VALUES = ('position', 'velocity', 'effort')
# Joints with less of the longest interval come more often: jitter changes a median less.
MORE_OFTEN = 0.99


@dataclass(frozen=True)
class JointSamples:
    """Samples in the order of the recording; the arrays are not to be written to."""

    joints: tuple[str, ...]  #: names, in the order of the columns
    times: Array  #: (N,) since the start of the recording [s]
    positions: Array  #: (N, n) [rad, m], NaN where a message has none that is finite
    velocities: Array  #: (N, n) [rad/s, m/s], NaN where not measured
    efforts: Array  #: (N, n) [N m, N], NaN where not measured

    def __len__(self) -> int:
        return len(self.times)

    def part(self, which: slice | np.ndarray) -> JointSamples:
        """Some of the samples: a slice, or an array of indices or of booleans."""
        arrays = (self.times, self.positions, self.velocities, self.efforts)
        return JointSamples(self.joints, *(each[which] for each in arrays))


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

    @classmethod
    def joined(cls, parts: Sequence[States], joints: Sequence[str]) -> States:
        """Joints of all parts, each of which has them; others are left out."""
        numbers, times = (np.concatenate([one[field] for one in parts]) for field in (1, 2))
        # Columns are contiguous: what reads recordings goes joint by joint.
        values = np.concatenate([one.of(joints).swapaxes(1, 2) for one in parts], axis=2)
        if (np.diff(numbers) < 0).any():
            order = np.argsort(numbers)
            numbers, times, values = numbers[order], times[order], values[..., order]
        return cls(tuple(joints), numbers, times, values.swapaxes(1, 2))


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
    every = [
        States.joined([kind for kind in usable if joint in kind.names], [joint])
        for joint in joints
    ]
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


def gap_limit(interval: float) -> float:
    """The longest time between two samples that follow each other, by the usual one [s].

    One lost sample, with jitter, is no gap; nor are 20 ms, in which an arm changes little. NaN
    where the usual one is unknown.
    """
    # In this order: NaN is not greater.
    return max(0.02, 2.5 * interval)
