"""A first look at a recording: where its held-out part begins, and what its raw efforts show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import JointSamples

from ..regression.moving_samples import Flags, RawSpeeds, at_rest
from .extreme_efforts import ExtremeEfforts

# Of the time in which the robot moves: what is fitted; what follows is held out.
FITTED_SHARE = 2.0 / 3.0


@dataclass(frozen=True)
class Survey:
    """What the samples of a recording show before they are filtered.

    Attributes:
        split: time at which the held-out part begins [s]; NaN without a sample.
        samples: that were read.
        span: (2, n) smallest and largest position [rad or m].
        range: (2, n) smallest and largest effort, but for glitches [N m or N].
        at_limit: (2, n) samples of a moving joint whose effort is the smallest or the largest one.
        longest: (2, n) longest run of such samples.
        elsewhere: (n,) longest run of other equal efforts of a moving joint.
    """

    split: float
    samples: int
    span: Array
    range: Array
    at_limit: Array
    longest: Array
    elsewhere: Array


def survey(chunks: Iterable[JointSamples], bands: Array) -> Survey:
    """Look at all samples of a recording once.

    Args:
        chunks: of the recording, in their order.
        bands: (n,) speeds below which the joints may stick [rad/s or m/s].
    """
    size = len(bands)
    times: list[Array] = [np.empty(0)]
    slow: list[Flags] = [np.empty(0, bool)]
    span = np.stack([np.full(size, np.inf), np.full(size, -np.inf)])
    speeds, extremes = RawSpeeds(), ExtremeEfforts(size)
    for chunk in chunks:
        if not len(chunk):
            continue
        moves = speeds.of(chunk.times, chunk.positions) >= bands
        times.append(chunk.times)
        slow.append(~np.any(moves, axis=1))
        span[0] = np.fmin(span[0], np.fmin.reduce(chunk.positions))
        span[1] = np.fmax(span[1], np.fmax.reduce(chunk.positions))
        extremes.add(chunk.efforts, moves)
    everything = np.concatenate(times)
    return Survey(
        split=_split(everything, np.concatenate(slow)),
        samples=len(everything),
        span=span,
        range=extremes.values,
        at_limit=extremes.counts.astype(float),
        longest=extremes.longest.astype(float),
        elsewhere=extremes.elsewhere.astype(float),
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
    elsewhere = np.max([one.elsewhere for one in surveys], axis=0)
    for one in surveys:
        same = one.range == np.stack([low, high])
        at_limit += np.where(same, one.at_limit, 0.0)
        longest = np.maximum(longest, np.where(same, one.longest, 0.0))
        # What is an extreme of one recording alone is none of all.
        others = np.where(same, 0.0, one.longest).max(axis=0)
        elsewhere = np.maximum(elsewhere, others)
    span = [np.fmin.reduce([one.span[0] for one in surveys])]
    span.append(np.fmax.reduce([one.span[1] for one in surveys]))
    samples = sum(one.samples for one in surveys)
    extremes = np.stack([low, high])
    return Survey(np.nan, samples, np.stack(span), extremes, at_limit, longest, elsewhere)


def _split(times: Array, slow: Flags) -> float:
    """The time before which the fitted share of the samples of a robot that moves lies [s].

    Args:
        times: (N,) [s].
        slow: (N,) whether all joints are slow.
    """
    if len(times) < 2:
        return float(times[0]) if len(times) else float('nan')
    interval = max(float(np.median(np.diff(times))), np.finfo(float).tiny)
    moving = times[~at_rest(slow[:, None], interval)[:, 0]]
    return float(np.quantile(moving if len(moving) else times, FITTED_SHARE))
