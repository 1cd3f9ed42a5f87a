"""A first look at a recording: where its held-out part begins, and what its raw efforts show.

A drive at its limit gives the same effort for long. So does a joint that waits, and efforts of
coarse steps stay the same at each peak: what tells is that no other effort is held for as long.
A glitch of a sample or two is no extreme: the extremes are those of a running median.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import JointSamples

from .motion_equations import ABOVE
from .moving_samples import Flags, RawSpeeds, at_rest

# Of the time in which the robot moves: what is fitted; what follows is held out.
FITTED_SHARE = 2.0 / 3.0
# An effort is saturated where it stays at its extreme for this time [s], in this share of all
# samples, and for so many times as long as at any other effort: steps of a coarse resolution are
# longer at a peak, up to five times as long as beside it.
HELD, HELD_SHARE, HELD_LONGER = 0.1, 0.005, 5.0
# Measured efforts whose median counts, and how many equal ones in a row decide it.
WINDOW = 5
MAJORITY = WINDOW // 2 + 1


@dataclass(frozen=True)
class Survey:
    """What the samples of recordings show before they are filtered.

    Attributes:
        split: time at which the held-out part begins [s]; NaN of several recordings.
        samples: that were read.
        interval: usual time between two samples [s].
        span: (2, n) smallest and largest position [rad or m].
        range: (2, n) smallest and largest effort, but for glitches [N m, N or A].
        at_limit: (2, n) samples of a moving joint whose effort is the smallest or the largest one.
        longest: (2, n) longest run of such samples.
        elsewhere: (n,) longest run of other equal efforts of a moving joint.
    """

    split: float
    samples: int
    interval: float
    span: Array
    range: Array
    at_limit: Array
    longest: Array
    elsewhere: Array

    @property
    def largest(self) -> Array:
        """Largest absolute effort (n,), but for glitches; 0 without one [N m, N or A]."""
        with np.errstate(invalid='ignore'):
            absolute = np.where(np.isfinite(self.range), np.abs(self.range), 0.0)
        largest: Array = absolute.max(axis=0)
        return largest

    def exceeded(self, model: RobotModel) -> Flags:
        """Which joints (n,) have efforts beyond the limit of the URDF: it is not the drive's."""
        result: Flags = self.largest > ABOVE * model.effort_bounds
        return result

    @property
    def saturated(self) -> list[tuple[int, int]]:
        """Sides (0: smallest effort, 1: largest) and joints that saturate, by joint."""
        # No drive has its limit at 0, and coarse steps alone leave nothing between two efforts.
        held = (
            (self.range[1] > self.range[0])
            & (self.range != 0.0)
            & (self.elsewhere > 0.0)
            & (self.longest * self.interval >= HELD)
            & (self.at_limit >= HELD_SHARE * self.samples)
            & (self.longest > HELD_LONGER * self.elsewhere)
        )
        return [(side, joint) for joint, side in np.argwhere(held.T).tolist()]

    @property
    def saturated_shares(self) -> Array:
        """Share (n,) of all samples in which the effort of a joint is saturated [-]."""
        shares = np.zeros(self.span.shape[1])
        for side, joint in self.saturated:
            shares[joint] += self.at_limit[side, joint] / self.samples
        return shares

    def levels(self, model: RobotModel) -> Array:
        """The smallest and the largest effort (2, n) at which joints saturate [N m, N or A].

        NaN where a joint does not saturate, and infinite where the limit of the URDF does not
        count, as efforts exceed it.
        """
        levels = np.outer([-1.0, 1.0], np.where(self.exceeded(model), np.inf, np.nan))
        for side, joint in self.saturated:
            levels[side, joint] = self.range[side, joint]
        return levels

    @classmethod
    def of(cls, chunks: Iterable[JointSamples], bands: Array, interval: float) -> Survey:
        """Look at all samples of a recording once.

        Args:
            chunks: of the recording, in their order; an effort that stays the same over the border
                of two counts as two.
            bands: (n,) speeds below which the joints may stick [rad/s or m/s].
            interval: usual time between two samples [s].
        """
        speeds, times, slow, parts = RawSpeeds(), [], [], []
        for chunk in filter(len, chunks):
            moves = speeds.of(chunk.times, chunk.positions) >= bands
            times.append(chunk.times)
            slow.append(~np.any(moves, axis=1))
            parts.append(cls._of_chunk(chunk, moves, interval))
        split = _split(np.concatenate(times), np.concatenate(slow))
        return replace(cls.joined(parts), split=split)

    @classmethod
    def _of_chunk(cls, chunk: JointSamples, moves: Flags, interval: float) -> Survey:
        """What samples show of which joints move (N, n)."""
        ranges = np.outer([np.inf, -np.inf], np.ones(moves.shape[1]))
        (at_limit, longest), elsewhere = np.zeros((2, *ranges.shape)), np.zeros(len(ranges[0]))
        for joint, efforts in enumerate(chunk.efforts.T):
            known = efforts[np.isfinite(efforts)]
            if len(known) < WINDOW:
                continue
            medians = np.median(sliding_window_view(known, WINDOW), axis=1)
            ranges[:, joint] = medians.min(), medians.max()
            lengths, values = _runs(np.where(moves[:, joint], efforts, np.nan))
            extreme = values == ranges[:, joint, None]
            lasting = np.where(lengths >= MAJORITY, lengths, 0)
            at_limit[:, joint] = (extreme * lasting).sum(axis=1)
            longest[:, joint] = (extreme * lengths).max(axis=1, initial=0)
            elsewhere[joint] = lengths[~extreme.any(axis=0)].max(initial=0)
        ends = [np.fmin.reduce(chunk.positions), np.fmax.reduce(chunk.positions)]
        return cls(
            np.nan, len(chunk), interval, np.stack(ends), ranges, at_limit, longest, elsewhere
        )

    @classmethod
    def joined(cls, surveys: Sequence[Survey]) -> Survey:
        """That of several recordings, one at least; their splits are not joined."""
        if len(surveys) == 1:
            return surveys[0]
        low = np.fmin.reduce([one.range[0] for one in surveys])
        high = np.fmax.reduce([one.range[1] for one in surveys])
        extremes = np.stack([low, high])
        # What is an extreme of one recording alone is none of all.
        same = [one.range == extremes for one in surveys]
        pairs = list(zip(surveys, same, strict=True))
        longest = np.max([np.where(own, one.longest, 0.0) for one, own in pairs], axis=0)
        others = [np.where(own, 0.0, one.longest).max(axis=0) for one, own in pairs]
        return cls(
            np.nan,
            sum(one.samples for one in surveys),
            min(one.interval for one in surveys),
            np.stack(
                [
                    np.fmin.reduce([one.span[0] for one in surveys]),
                    np.fmax.reduce([one.span[1] for one in surveys]),
                ]
            ),
            extremes,
            np.sum([np.where(own, one.at_limit, 0.0) for one, own in pairs], axis=0),
            longest,
            np.max([*(one.elsewhere for one in surveys), *others], axis=0),
        )


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


def _runs(values: Array) -> tuple[Array, Array]:
    """Lengths (R,) of runs of equal values (N,), and these values; NaN is none."""
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    lengths, held = np.diff(starts, append=len(values)), values[starts]
    known = np.isfinite(held)
    return lengths[known], held[known]
