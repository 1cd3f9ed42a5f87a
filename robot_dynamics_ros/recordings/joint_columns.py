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


class Columns(NamedTuple):
    """Samples of some joints.

    Attributes:
        times: (N,) [ns].
        values: (3, N, n) as those of `States`.
        start: first time of the joint that comes most rarely [ns].
        interval: median one of its messages [s].
        merged: number of samples that are of several messages.
        skew: longest time between these [ns].
    """

    times: Times
    values: Array
    start: int
    interval: float
    merged: int = 0
    skew: int = 0


def by_joints(parts: Sequence[States]) -> list[States]:
    """The states of each set of joints, numbered by their log times; of equal ones, as stored."""
    stored = np.concatenate([part.numbers for part in parts])
    times = np.concatenate([part.log_times for part in parts])
    ranks = np.empty(stored.max() + 1, np.intp)
    ranks[stored[np.lexsort((stored, times))]] = np.arange(len(stored))
    groups = defaultdict(list)
    for part in parts:
        groups[frozenset(part.names)].append(replace(part, numbers=ranks[part.numbers]))
    return [_joined(group) for group in groups.values()]


def _joined(parts: Sequence[States]) -> States:
    """States of the same joints as one, in the order of their numbers and of the first names."""
    names = parts[0].names
    values = [
        part.values
        if part.names == names
        else part.values[..., [part.names.index(name) for name in names]]
        for part in parts
    ]
    fields = [
        np.concatenate([getattr(part, field) for part in parts])
        for field in ('numbers', 'log_times', 'stamps')
    ]
    whole = States(names, *fields, np.concatenate(values, axis=1))
    if (np.diff(whole.numbers) > 0).all():
        return whole
    order = np.argsort(whole.numbers)
    return States(names, *(each[order] for each in fields), whole.values[:, order])


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
        (kind,) = usable
        times, places = times_of(kind, stamped), [kind.names.index(name) for name in joints]
        values = kind.values if tuple(joints) == kind.names else kind.values[..., places]
        return Columns(times, values, int(times[0]), median_interval(times))
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
        times = np.concatenate([times_of(kind, stamped) for kind in found])
        values = [kind.values[..., kind.names.index(joint)] for kind in found]
        order = np.argsort(numbers)
        interval = median_interval(times)
        return cls(numbers[order], times[order], np.hstack(values)[:, order], interval)

    def ages(self, every: Sequence[_Series]) -> tuple[Times, npt.NDArray[np.intp]]:
        """Ages (n, N) of the latest values of joints at its messages [ns]; which they are.

        These have number -1, and age 0, where there is none yet.
        """
        latest = np.stack(
            [np.searchsorted(one.numbers, self.numbers, side='right') - 1 for one in every]
        )
        times = np.stack([one.times[rows] for one, rows in zip(every, latest, strict=True)])
        return np.where(latest < 0, 0, np.abs(self.times - times)), latest


def times_of(kind: States, stamped: bool) -> Times:
    """Those of the messages [ns]: of their stamps, or of the log."""
    return kind.stamps if stamped else kind.log_times


def median_interval(times: Times) -> float:
    """Median time between two of some times [ns], in [s]; NaN with less than two."""
    intervals = np.diff(np.sort(times))
    intervals = intervals[intervals > 0]
    return float(np.median(intervals)) * 1e-9 if intervals.size else float('nan')
