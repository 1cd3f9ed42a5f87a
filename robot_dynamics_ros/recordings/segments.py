"""A recording cut where its samples do not follow each other; what was not measured is left out.

Left out are states that no joint can be in: a driver that lost its robot sends zeros, a queue that
was overrun sends garbage. The rule is that of dynamics_node, see `control.state_filter`, but looks
at both sides: between two states that reach each other, those that they do not reach are no
measurements; where the robot stays elsewhere, a segment ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.state_filter import IMPOSSIBLE, JointReach
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .joint_samples import JointSamples, gap_limit
from .quality import DENORMAL, Quality

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]
# States that are looked at for one that is within reach again: those of 64 ms at 1 kHz.
MAX_EXCURSION = 64


def cut(samples: JointSamples, model: RobotModel | None, quality: Quality) -> list[JointSamples]:
    """The segments of samples, as of `Recording.segments`; what is left out or cut is counted.

    Joints reach what the model says, others less than half a turn.
    """
    steps = _Steps.of(samples, model)
    limit = gap_limit(quality.interval)
    rows = np.flatnonzero(np.logical_and.reduce([*map(np.isfinite, samples.positions.T)]))
    rows = rows[_in_time(samples.times[rows], limit)]
    if not rows.size:
        return []
    rows = rows[~_briefly_missing(samples, rows, steps.fastest, limit)]
    kept = rows[~_zeros(samples, rows, steps, limit)]
    kept = kept[~_excursions(samples, kept, steps, limit)]
    quality.out_of_reach = len(rows) - len(kept)
    intervals = np.diff(samples.times[kept])
    gaps, jumps = (intervals > limit) | (intervals <= 0.0), steps.beyond(kept[:-1], kept[1:])
    quality.jumps = int(np.count_nonzero(jumps & ~gaps))
    measured = (*samples.velocities.T, *samples.efforts.T)
    changes = (np.diff(np.isfinite(column[_sliced(kept)])) for column in measured)
    edges = np.flatnonzero(np.logical_or.reduce([gaps, jumps, *changes])) + 1
    return [samples.part(_sliced(part)) for part in np.split(kept, edges)]


def _sliced(rows: Rows) -> slice | Rows:
    """Rows (M,) as a slice, which copies nothing, if they follow each other."""
    if not len(rows) or rows[-1] - rows[0] != len(rows) - 1:
        return rows
    return slice(int(rows[0]), int(rows[-1]) + 1)


class _Steps(NamedTuple):
    """How far joints can get from one sample to another: at `speeds`, and by `tolerances` more."""

    samples: JointSamples
    speeds: Array  #: (n,) [rad/s or m/s]
    tolerances: Array  #: (n,) [rad or m]
    fastest: Array  #: (n,) larger velocities are no measurements [rad/s or m/s]

    @classmethod
    def of(cls, samples: JointSamples, model: RobotModel | None) -> _Steps:
        limits = np.tile([[0.0], [np.pi], [IMPOSSIBLE]], len(samples.joints))
        if model is not None:
            known, names = JointReach.of(model), model.joint_names
            places = [place for place, name in enumerate(samples.joints) if name in names]
            columns = [names.index(samples.joints[place]) for place in places]
            every = np.stack([known.speeds, known.tolerances, known.fastest])
            limits[:, places] = every[:, columns]
        return cls(samples, *limits)

    def beyond(self, before: Rows, after: Rows) -> Flags:
        """Which steps from some rows (K,), or one, to others (K,) are out of the reach."""
        positions, v = self.samples.positions, self.samples.velocities
        before, beyond = np.broadcast_to(before, after.shape), np.zeros(len(after), bool)
        first, last = _sliced(before), _sliced(after)
        for q, tolerance in zip(positions.T, self.tolerances, strict=True):
            beyond |= np.abs(q[last] - q[first]) > tolerance
        before, after = before[beyond], after[beyond]
        fastest = np.fmax(np.abs(v[before]), np.abs(v[after]))
        speeds = np.maximum(self.speeds, np.where(fastest <= self.fastest, fastest, 0.0))
        elapsed = np.abs(self.samples.times[after] - self.samples.times[before])[:, None]
        far = np.abs(positions[after] - positions[before]) > speeds * elapsed + self.tolerances
        beyond[beyond] = far.any(axis=1)
        return beyond


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


def _briefly_missing(samples: JointSamples, rows: Rows, fastest: Array, limit: float) -> Flags:
    """Which rows (M,) are without a velocity or an effort that is measured before and after."""
    times, missing, used = samples.times[rows], np.zeros(len(rows), bool), _sliced(rows)
    for v, effort, bound in zip(samples.velocities.T, samples.efforts.T, fastest, strict=True):
        # No comparison with NaN holds.
        missing |= _briefly(times, ~(np.abs(v[used]) <= bound), limit)
        missing |= _briefly(times, ~np.isfinite(effort[used]), limit)
    return missing


def _zeros(samples: JointSamples, rows: Rows, steps: _Steps, limit: float) -> Flags:
    """Which rows (M,) are zero in all that is measured, for a moment or next to a jump."""
    zero = np.ones(len(rows), bool)
    for values in (samples.positions, samples.velocities, samples.efforts):
        # What is NaN is not measured.
        zero[zero] = ~(np.abs(values[rows[zero]]) >= DENORMAL).any(axis=1)
    if not zero.any() or zero.all():
        return np.zeros(len(rows), bool)
    found = _briefly(samples.times[rows], zero, limit)
    jumps = np.concatenate([[False], steps.beyond(rows[:-1], rows[1:]), [False]])
    for first, last in np.flatnonzero(np.diff(zero, prepend=False, append=False)).reshape(-1, 2):
        found[first:last] |= jumps[first] or jumps[last]
    return found


def _excursions(samples: JointSamples, rows: Rows, steps: _Steps, limit: float) -> Flags:
    """Which rows (M,) are out of reach between two, at most a limit apart, that are not."""
    found, times, last = np.zeros(len(rows), bool), samples.times[rows], 0
    jumps = np.flatnonzero(steps.beyond(rows[:-1], rows[1:]))
    # As where the unit is another: there is nothing to say which are right.
    if len(jumps) > len(rows) / 2:
        return found
    for border in (jumps + 1).tolist():
        if border <= last:
            continue
        elapsed = times[border + 1 : border + 1 + MAX_EXCURSION] - times[border - 1]
        later = border + 1 + np.flatnonzero((elapsed > 0.0) & (elapsed <= limit))
        reached = later[~steps.beyond(rows[border - 1], rows[later])]
        if reached.size:
            last = int(reached[0])
            found[border:last] = True
    return found
