"""A recording cut where its samples do not follow each other; what was not measured is left out.

Left out are states that no joint can be in: a driver that lost its robot sends zeros, a queue that
was overrun sends garbage. The rule is that of dynamics_node, see `control.state_filter`, but looks
at both sides: between two states that reach each other, those that they do not reach are no
measurements; where the robot stays elsewhere, a segment ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.state_filter import IMPOSSIBLE, JointReach
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .joint_samples import JointSamples, gap_limit
from .quality import DENORMAL, MOSTLY, Quality

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
# The jump tolerance of a joint of which nothing is known [rad, m].
UNKNOWN = np.pi
# States that are looked at for one that is within reach again: those of 64 ms at 1 kHz.
LONGEST = 64


@dataclass(frozen=True, eq=False)
class Segments:
    """Samples that follow each other.

    Attributes:
        samples: of the recording.
        rows: (M,) of those that are kept.
        bounds: the first of `rows` of each segment, and the first one behind it.
    """

    samples: JointSamples
    rows: Rows
    bounds: tuple[tuple[int, int], ...]

    def part(self, first: int, last: int, *, begins: bool = False) -> JointSamples:
        """Those of some of `rows`."""
        rows = self.rows[first:last]
        whole = rows[-1] - rows[0] == last - first - 1
        return self.samples.part(slice(rows[0], rows[-1] + 1) if whole else rows, begins=begins)


def reach_of(model: RobotModel | None, joints: tuple[str, ...]) -> JointReach:
    """How far joints can get: those of a model as it says, others by less than half a turn."""
    size = len(joints)
    free = np.ones(size, bool), np.zeros(size), np.full(size, UNKNOWN), np.full(size, IMPOSSIBLE)
    reach = JointReach(*free)
    if model is not None:
        known, names = JointReach.of(model), model.joint_names
        for place, name in enumerate(joints):
            if name in names:
                for each in ('unlimited', 'speeds', 'tolerances', 'fastest'):
                    getattr(reach, each)[place] = getattr(known, each)[names.index(name)]
    return reach


def cut(samples: JointSamples, reach: JointReach, quality: Quality) -> Segments:
    """The segments of samples, as `Recording.segments` gives them.

    The quality has the usual interval, and counts what is left out or cut here.
    """
    limit = gap_limit(quality.interval)
    rows = np.flatnonzero(np.isfinite(samples.positions).all(axis=1))
    rows = rows[_in_time(samples.times[rows], limit)]
    if not rows.size:
        return Segments(samples, rows, ())
    rows = rows[~_briefly_missing(samples, rows, reach, limit)]
    steps = _Steps(samples, reach)
    kept = rows[~_zeros(samples, rows, steps, limit)]
    kept = kept[~_excursions(kept, steps, limit)]
    quality.out_of_reach = len(rows) - len(kept)
    intervals = np.diff(samples.times[kept])
    gaps, jumps = (intervals > limit) | (intervals <= 0.0), steps.beyond(kept)
    quality.jumps = int(np.count_nonzero(jumps & ~gaps))
    measured = (*samples.velocities.T, *samples.efforts.T)
    changes = [np.diff(np.isfinite(column[kept])) for column in measured]
    edges = np.flatnonzero(np.logical_or.reduce([gaps, jumps, *changes])) + 1
    starts = [0, *edges.tolist()]
    return Segments(samples, kept, tuple(zip(starts, [*starts[1:], len(kept)], strict=True)))


def _in_time(times: Array, limit: float) -> Flags:
    """Which samples (N,) come later than those before, or earlier by more than the limit [s]."""
    kept = np.ones(len(times), bool)
    if (np.diff(times) > 0.0).all():
        return kept
    last = -np.inf
    for index, time in enumerate(times.tolist()):
        if 0.0 <= last - time <= limit:
            kept[index] = False
        else:
            last = time
    return kept


def _briefly(times: Array, wrong: Flags, limit: float) -> Flags:
    """Which wrong samples (N,) are between right ones that are at most a limit apart [s]."""
    right = np.flatnonzero(~wrong)
    if len(right) in (len(wrong), 0):
        return np.zeros(len(wrong), bool)
    short = np.concatenate([[False], np.abs(np.diff(times[right])) <= limit, [False]])
    return wrong & short[np.cumsum(~wrong)]


def _briefly_missing(samples: JointSamples, rows: Rows, reach: JointReach, limit: float) -> Flags:
    """Which rows (M,) are without a velocity or an effort that is measured before and after."""
    times, missing = samples.times[rows], np.zeros(len(rows), bool)
    for v, effort, fastest in zip(
        samples.velocities.T, samples.efforts.T, reach.fastest, strict=True
    ):
        # No comparison with NaN holds.
        missing |= _briefly(times, ~(np.abs(v[rows]) <= fastest), limit)
        missing |= _briefly(times, ~np.isfinite(effort[rows]), limit)
    return missing


class _Steps:
    """Which steps between samples are beyond the reach of a joint."""

    def __init__(self, samples: JointSamples, reach: JointReach) -> None:
        self.times = samples.times
        self._q, self._v, self._reach = samples.positions, samples.velocities, reach

    def beyond(self, rows: Rows) -> Flags:
        """From each of the rows (M,) to the next one (M - 1,)."""
        far = np.zeros(max(0, len(rows) - 1), bool)
        for q, tolerance in zip(self._q.T, self._reach.tolerances, strict=True):
            far |= np.abs(np.diff(q[rows])) > tolerance
        which = np.flatnonzero(far)
        far[which] = self.between(rows[which], rows[which + 1])
        return far

    def between(self, before: Rows | np.intp, after: Rows) -> Flags:
        """From some rows (K,), or one, to others (K,)."""
        fastest = np.fmax(np.abs(self._v[before]), np.abs(self._v[after]))
        fastest = np.where(fastest <= self._reach.fastest, fastest, 0.0)
        speeds = np.maximum(self._reach.speeds, fastest)
        elapsed = np.abs(self.times[after] - self.times[before])[:, None]
        steps = np.abs(self._q[after] - self._q[before])
        beyond: Flags = (steps > speeds * elapsed + self._reach.tolerances).any(axis=1)
        return beyond


def _zeros(samples: JointSamples, rows: Rows, steps: _Steps, limit: float) -> Flags:
    """Which rows (M,) are zero in all that is measured, for a moment or next to a jump."""
    zero = np.ones(len(rows), bool)
    for values in (samples.positions, samples.velocities, samples.efforts):
        for column in values.T:
            # What is NaN is not measured.
            zero[zero] = ~(np.abs(column[rows[zero]]) >= DENORMAL)
    if not zero.any() or zero.all():
        return np.zeros(len(rows), bool)
    edges = np.flatnonzero(np.diff(zero, prepend=False, append=False))
    jumps = np.concatenate([[False], steps.beyond(rows), [False]])
    found = _briefly(samples.times[rows], zero, limit)
    for first, last in edges.reshape(-1, 2):
        found[first:last] |= jumps[first] or jumps[last]
    return found


def _excursions(rows: Rows, steps: _Steps, limit: float) -> Flags:
    """Which rows (M,) are out of reach between two, at most a limit apart, that are not."""
    found, times, last = np.zeros(len(rows), bool), steps.times[rows], 0
    beyond = steps.beyond(rows)
    if np.count_nonzero(beyond) > MOSTLY * len(rows):
        # As where the unit is another: there is nothing to say which are right.
        return found
    for border in (np.flatnonzero(beyond) + 1).tolist():
        if border <= last:
            continue
        after = border + 1
        elapsed = times[after : after + LONGEST] - times[border - 1]
        later = after + np.flatnonzero((elapsed > 0.0) & (elapsed <= limit))
        reached = later[~steps.between(rows[border - 1], rows[later])]
        if reached.size:
            last = int(reached[0])
            found[border:last] = True
    return found
