"""States with any names in any order to arrays with one column for each wanted joint.

Drivers of an arm and a gripper, or of two halves of an arm, may publish on one topic. So a sample
is made at each message of the joint that comes most rarely, with the latest values of the others,
as dynamics_node uses them. Where each message has all joints, these are its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .sources.source import States, Times

# Of the longest interval: joints that come in about this one come equally rarely.
ABOUT_EQUAL = 0.99


class Messages:
    """The messages of a topic by their joints, in the order of their log times.

    Attributes:
        kinds: states of each set of joints; their numbers are those in this order.
        malformed: number of messages that are no joint states.
        clock: of the times: `header` where a message has a stamp, else another.
    """

    def __init__(self, blocks: Iterable[Sequence[States]], clock: str) -> None:
        """Read all blocks; the clock is that of messages without any stamp."""
        orders: dict[frozenset[str], tuple[str, ...]] = {}
        groups: dict[frozenset[str], list[tuple[Any, ...]]] = {}
        for part in chain.from_iterable(blocks):
            key = frozenset(part.names)
            names = orders.setdefault(key, part.names)
            columns = [part.names.index(name) for name in names]
            missing = np.full((len(part.numbers), len(names)), np.nan)
            values = (
                missing if each is None else np.array(each[:, columns], float)
                for each in (part.positions, part.velocities, part.efforts)
            )
            stamps = np.zeros_like(part.log_times) if part.stamps is None else part.stamps
            rows = (part.numbers, part.log_times, stamps, *values)
            groups.setdefault(key, []).append(rows)
        self.malformed = sum(len(numbers) for numbers, *_ in groups.pop(frozenset(), []))
        kinds = [States(orders[key], *_joined(groups.pop(key))) for key in [*groups]]
        self.kinds = _in_order(kinds)
        self.clock = 'header' if any(kind.stamps.any() for kind in kinds) else clock

    def times(self, kind: States) -> Times:
        """Those of the messages of a kind [ns]."""
        return kind.stamps if self.clock == 'header' else kind.log_times

    def rarest(self, joints: Sequence[str]) -> str:
        """The joint that comes most rarely; of equal ones, the soonest after the others."""
        intervals = {name: median_interval(self.of(name)[1]) for name in joints}
        longest = np.nanmax([*intervals.values(), 0.0])
        rare = [name for name in joints if not intervals[name] < ABOUT_EQUAL * longest]
        return min(rare, key=lambda name: np.median(self._ages(name, joints)[0].max(axis=0)))

    def of(self, joint: str) -> tuple[Any, Times, Array]:
        """Numbers (N,), times (N,) [ns] and values (3, N) of the messages with a joint."""
        found = [kind for kind in self.kinds if joint in kind.names]
        numbers = np.concatenate([kind.numbers for kind in found])
        times = np.concatenate([self.times(kind) for kind in found])
        fields = [
            np.stack([each[:, kind.names.index(joint)] for each in _values(kind)])
            for kind in found
        ]
        order = np.argsort(numbers)
        return numbers[order], times[order], np.hstack(fields)[:, order]

    def _ages(self, reference: str, joints: Sequence[str]) -> tuple[Array, Array]:
        """Ages (n, N) of the latest values of joints at the messages of one [ns]; which they are.

        These have number -1, and age 0, where there is none yet.
        """
        numbers, times, _ = self.of(reference)
        ages, latest = np.zeros((2, len(joints), len(numbers)), np.int64)
        for joint, age, row in zip(joints, ages, latest, strict=True):
            others, other_times, _ = self.of(joint)
            row[:] = np.searchsorted(others, numbers, side='right') - 1
            age[:] = np.where(row < 0, 0, np.abs(times - other_times[row]))
        return ages, latest

    def samples(
        self, joints: Sequence[str], reference: str, longest: int
    ) -> tuple[Times, Sequence[Array], int, int]:
        """Samples of joints at the messages of one of them, with the latest values of the others.

        Args:
            joints: wanted ones.
            reference: one of them.
            longest: age up to which a value is fresh [ns]; and none counts twice.

        Returns:
            Times (N,) [ns], positions, velocities and efforts (N, n), the number of samples that
            are of several messages, and the longest time between these [ns].
        """
        usable = [kind for kind in self.kinds if not set(joints).isdisjoint(kind.names)]
        if len(usable) == 1 and set(joints) <= set(usable[0].names):
            (kind,) = usable
            places = [kind.names.index(name) for name in joints]
            same = tuple(joints) == kind.names
            values = [each if same else each[:, places] for each in _values(kind)]
            return self.times(kind), values, 0, 0
        numbers, times, _ = self.of(reference)
        before = np.concatenate([[-1], numbers[:-1]])
        ages, latest = self._ages(reference, joints)
        newest = np.stack(
            [self.of(name)[0][row] for name, row in zip(joints, latest, strict=True)]
        )
        fresh = ((latest >= 0) & (newest > before) & (ages <= longest)).all(axis=0)
        values = np.stack(
            [self.of(name)[2][:, row[fresh]] for name, row in zip(joints, latest, strict=True)],
            axis=2,
        )
        merged = (newest != numbers).any(axis=0) & fresh
        return times[fresh], [*values], int(merged.sum()), int(ages[:, fresh].max(initial=0))


def _joined(rows: list[tuple[Any, ...]]) -> list[Any]:
    """Each field of parts as one array: one after the other, so that only one is there twice."""
    fields = [*zip(*rows, strict=True)]
    rows.clear()
    return [np.concatenate(fields.pop(0)) for _ in range(len(fields))]


def _in_order(kinds: list[States]) -> list[States]:
    """The same with messages by their log times; of equal ones, as they were stored."""
    if not kinds or (len(kinds) == 1 and (np.diff(kinds[0].log_times) >= 0).all()):
        return kinds
    stored = np.concatenate([kind.numbers for kind in kinds])
    ranks = np.empty_like(stored)
    ranks[np.lexsort((stored, np.concatenate([kind.log_times for kind in kinds])))] = np.arange(
        len(stored)
    )
    found = []
    for kind in kinds:
        numbers, ranks = ranks[: len(kind.numbers)], ranks[len(kind.numbers) :]
        order = np.argsort(numbers)
        fields = (numbers, kind.log_times, kind.stamps, *_values(kind))
        found.append(States(kind.names, *(each[order] for each in fields)))
    return found


def _values(kind: States) -> tuple[Array, ...]:
    return kind.positions, kind.velocities, kind.efforts


def median_interval(times: Times) -> float:
    """Median time between two of some times [ns], in [s]; NaN with less than two."""
    intervals = np.diff(np.sort(times))
    intervals = intervals[intervals > 0]
    return float(np.median(intervals)) * 1e-9 if intervals.size else float('nan')
