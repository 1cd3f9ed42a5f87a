"""States with any names in any order to arrays with one column for each wanted joint.

Drivers of an arm and a gripper, or of two halves of an arm, may publish on one topic. So a sample
is made at each message of the joint that comes most rarely, with the latest values of the others,
as dynamics_node uses them. Where each message has all joints, these are its values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .joint_samples import gap_limit

Times = npt.NDArray[np.int64]
# Of the longest interval: joints that come in about this one come equally rarely.
ABOUT_EQUAL = 0.99
# Of `States`, what messages have whatever their joints.
FIELDS = ('numbers', 'log_times', 'stamps')


@dataclass(frozen=True, eq=False)
class States:
    """States of the same joints.

    Attributes:
        names: of the joints, as recorded.
        numbers: (N,) of the messages of the topic.
        log_times: (N,) when they were recorded [ns].
        stamps: (N,) of the headers [ns]; 0 where there is none.
        values: (3, N, n) positions [rad, m], velocities [rad/s, m/s] and efforts [N m, N]; NaN
            where not measured.
    """

    names: tuple[str, ...]
    numbers: npt.NDArray[np.intp]
    log_times: Times
    stamps: Times
    values: Array

    def of(self, joints: Sequence[str]) -> Array:
        """Values (3, N, k) of some of the joints, in this order."""
        columns = [self.names.index(name) for name in joints]
        return self.values if tuple(joints) == self.names else self.values[..., columns]

    def times(self, stamped: bool) -> Times:
        """Those of the messages [ns]: of their stamps, or of the log."""
        return self.stamps if stamped else self.log_times


class Columns(NamedTuple):
    """Samples of some joints: times (N,) [ns], and values (3, N, n) as those of `States`.

    With the first time of the joint that comes most rarely [ns], the median interval of its
    messages [s], how many samples are of several ones, and the longest time between these [ns].
    """

    times: Times
    values: Array
    start: int
    interval: float
    merged: int = 0
    skew: int = 0


def by_joints(parts: Sequence[States]) -> list[States]:
    """The states of each set of joints, numbered by their log times; of equal ones, as stored."""
    stored, times = (
        np.concatenate([getattr(part, field) for part in parts]) for field in FIELDS[:2]
    )
    ranks = np.empty(stored.max() + 1, np.intp)
    ranks[stored[np.lexsort((stored, times))]] = np.arange(len(stored))
    groups = defaultdict(list)
    for part in parts:
        groups[frozenset(part.names)].append(replace(part, numbers=ranks[part.numbers]))
    return [_joined(group) for group in groups.values()]


def _joined(parts: Sequence[States]) -> States:
    """States of the same joints as one, in the order of their numbers and of the first names."""
    names = parts[0].names
    values = np.concatenate([part.of(names) for part in parts], axis=1)
    fields = [np.concatenate([getattr(part, field) for part in parts]) for field in FIELDS]
    if (np.diff(fields[0]) < 0).any():
        order = np.argsort(fields[0])
        fields, values = [field[order] for field in fields], values[:, order]
    return States(names, fields[0], fields[1], fields[2], values)


def columns_of(kinds: Sequence[States], joints: Sequence[str], *, stamped: bool) -> Columns:
    """Samples of joints at the messages of the one that comes most rarely.

    Of joints that come equally rarely, it is the one that comes the soonest after the others. A
    value is fresh up to the limit of a gap, and none counts twice.

    Args:
        kinds: states of each set of joints.
        joints: wanted ones.
        stamped: whether times are those of the stamps.
    """
    usable = [kind for kind in kinds if not set(joints).isdisjoint(kind.names)]
    if len(usable) == 1 and set(joints) <= set(usable[0].names):
        times = usable[0].times(stamped)
        return Columns(times, usable[0].of(joints), int(times[0]), median_interval(times))
    every = [_Series.of(usable, name, stamped) for name in joints]
    longest = np.nanmax([*(one.interval for one in every), 0.0])
    rare = [one for one in every if not one.interval < ABOUT_EQUAL * longest]
    reference = min(rare, key=lambda one: np.median(one.ages(every)[0].max(axis=0)))
    ages, latest = reference.ages(every)
    pairs = [*zip(every, latest, strict=True)]
    newest = np.stack([one.numbers[rows] for one, rows in pairs])
    before = np.concatenate([[-1], reference.numbers[:-1]])
    limit = 1e9 * gap_limit(reference.interval)
    fresh = ((latest >= 0) & (newest > before) & (ages <= limit)).all(axis=0)
    return Columns(
        reference.times[fresh],
        np.stack([one.values[:, rows[fresh]] for one, rows in pairs], axis=2),
        int(reference.times[0]),
        reference.interval,
        int(np.count_nonzero((newest != reference.numbers).any(axis=0) & fresh)),
        int(ages[:, fresh].max(initial=0)),
    )


class _Series(NamedTuple):
    """The messages with a joint: numbers (N,), times (N,) [ns], values (3, N), interval [s]."""

    numbers: npt.NDArray[np.intp]
    times: Times
    values: Array
    interval: float

    @classmethod
    def of(cls, kinds: Sequence[States], joint: str, stamped: bool) -> _Series:
        found = [kind for kind in kinds if joint in kind.names]
        numbers = np.concatenate([kind.numbers for kind in found])
        times = np.concatenate([kind.times(stamped) for kind in found])
        values = np.concatenate([kind.of([joint])[..., 0] for kind in found], axis=1)
        order = np.argsort(numbers)
        return cls(numbers[order], times[order], values[:, order], median_interval(times))

    def ages(self, every: Sequence[_Series]) -> tuple[Times, npt.NDArray[np.intp]]:
        """Ages (n, N) of the latest values of joints at its messages [ns]; which they are.

        These have number -1, and age 0, where there is none yet.
        """
        latest = np.stack(
            [np.searchsorted(one.numbers, self.numbers, side='right') - 1 for one in every]
        )
        times = np.stack([one.times[rows] for one, rows in zip(every, latest, strict=True)])
        return np.where(latest < 0, 0, np.abs(self.times - times)), latest


def median_interval(times: Times) -> float:
    """Median time between two of some times [ns], in [s]; NaN with less than two."""
    intervals = np.diff(np.sort(times))
    intervals = intervals[intervals > 0]
    return float(np.median(intervals)) * 1e-9 if intervals.size else float('nan')
