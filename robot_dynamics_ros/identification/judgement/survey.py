"""A first look at a recording: where its held-out part begins, and what its raw efforts show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import JointSamples

# Of the samples of a recording: what is fitted; the rest, at its end, is held out.
FITTED_SHARE = 2.0 / 3.0


@dataclass(frozen=True)
class Survey:
    """What the samples of a recording show before they are filtered.

    Attributes:
        split: time at which the held-out part begins [s]; NaN without a sample.
        samples: that were read.
        span: (2, n) smallest and largest position [rad or m].
        range: (2, n) smallest and largest effort [N m or N].
        at_limit: (2, n) samples whose effort is the smallest or the largest one.
        longest: (2, n) longest run of such samples.
    """

    split: float
    samples: int
    span: Array
    range: Array
    at_limit: Array
    longest: Array


def survey(chunks: Iterable[JointSamples], size: int) -> Survey:
    """Look at all samples of a recording once.

    Args:
        chunks: of the recording, in their order.
        size: number of joints.
    """
    times: list[Array] = []
    span = np.stack([np.full(size, np.inf), np.full(size, -np.inf)])
    runs = [_Extreme.of(size), _Extreme.of(size)]
    for chunk in chunks:
        if not len(chunk):
            continue
        times.append(chunk.times)
        span[0] = np.fmin(span[0], np.fmin.reduce(chunk.positions))
        span[1] = np.fmax(span[1], np.fmax.reduce(chunk.positions))
        # The smallest effort is the largest of the negated ones.
        runs[0].add(-chunk.efforts)
        runs[1].add(chunk.efforts)
    everything = np.concatenate([np.empty(0), *times])
    return Survey(
        split=_split(everything),
        samples=len(everything),
        span=span,
        range=np.stack([-runs[0].value, runs[1].value]),
        at_limit=np.stack([run.count for run in runs]).astype(float),
        longest=np.stack([run.longest for run in runs]).astype(float),
    )


def joined(surveys: Sequence[Survey]) -> Survey:
    """That of several recordings; their splits are not joined.

    Args:
        surveys: one at least.
    """
    if len(surveys) == 1:
        return surveys[0]
    low = np.fmin.reduce([one.range[0] for one in surveys])
    high = np.fmax.reduce([one.range[1] for one in surveys])
    at_limit, longest = np.zeros((2, len(low))), np.zeros((2, len(low)))
    for one in surveys:
        same = one.range == np.stack([low, high])
        at_limit += np.where(same, one.at_limit, 0.0)
        longest = np.maximum(longest, np.where(same, one.longest, 0.0))
    span = [np.fmin.reduce([one.span[0] for one in surveys])]
    span.append(np.fmax.reduce([one.span[1] for one in surveys]))
    samples = sum(one.samples for one in surveys)
    return Survey(np.nan, samples, np.stack(span), np.stack([low, high]), at_limit, longest)


def _split(times: Array) -> float:
    """The time before which the fitted share of the samples lies [s]."""
    return float(np.quantile(times, FITTED_SHARE)) if len(times) else float('nan')


@dataclass
class _Extreme:
    """The largest value of each column, and how often and how long it is met.

    Attributes:
        value: (n,) largest.
        count: (n,) samples that have it.
        longest: (n,) longest run of them.
        run: (n,) run that ends with the last sample.
    """

    value: Array
    count: Array
    longest: Array
    run: Array

    @classmethod
    def of(cls, size: int) -> _Extreme:
        return cls(np.full(size, -np.inf), *(np.zeros(size, dtype=int) for _ in range(3)))

    def add(self, rows: Array) -> None:
        """Take rows (N, n) that follow those before."""
        largest = np.fmax.reduce(rows)
        higher = largest > self.value
        self.value = np.fmax(self.value, largest)
        for name in ('count', 'longest', 'run'):
            getattr(self, name)[higher] = 0
        hits = rows == self.value
        self.count += hits.sum(axis=0)
        for column in np.flatnonzero(hits.any(axis=0)).tolist():
            self._count_runs(column, hits[:, column])
        self.run[~hits[-1]] = 0

    def _count_runs(self, column: int, hits: Array) -> None:
        edges = np.flatnonzero(np.diff(np.concatenate([[0], hits.astype(int), [0]])))
        starts, stops = edges[::2], edges[1::2]
        lengths = stops - starts
        if starts[0] == 0:
            lengths[0] += self.run[column]
        self.longest[column] = max(self.longest[column], int(lengths.max()))
        self.run[column] = lengths[-1] if stops[-1] == len(hits) else 0
