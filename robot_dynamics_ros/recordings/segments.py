"""A recording cut where its samples do not follow each other; what was not measured is left out.

Left out are states that no joint can be in: a driver that lost its robot sends zeros, a queue that
was overrun sends garbage. The rule is that of dynamics_node, see `control.state_filter`, but looks
at both sides: between two states that reach each other, those that they do not reach are no
measurements; where the robot stays elsewhere, a segment ends.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.state_filter import IMPOSSIBLE, JointReach
from robot_dynamics_ros.core import RobotModel

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
    steps = _Steps(samples, model, gap_limit(quality.interval))
    rows = np.flatnonzero(np.logical_and.reduce([*map(np.isfinite, samples.positions.T)]))
    rows = rows[steps.in_time(rows)]
    if not rows.size:
        return []
    rows = rows[~steps.briefly_missing(rows)]
    kept = rows[~steps.zeros(rows)]
    kept = kept[~steps.excursions(kept)]
    quality.out_of_reach = len(rows) - len(kept)
    intervals = np.diff(samples.times[kept])
    gaps, jumps = (intervals > steps.limit) | (intervals <= 0.0), steps.beyond(kept[:-1], kept[1:])
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


class _Steps:
    """Which of some rows (M,) of samples are no measurements, with the `limit` of a gap [s].

    Joints (n,) get from one sample to another at `speeds` [rad/s or m/s], and by `tolerances` more
    [rad or m]; velocities that are larger than `fastest` are no measurements.
    """

    def __init__(self, samples: JointSamples, model: RobotModel | None, limit: float) -> None:
        self.samples, self.limit = samples, limit
        limits = np.tile([[0.0], [np.pi], [IMPOSSIBLE]], len(samples.joints))
        if model is not None:
            known = JointReach.of(model)
            every = np.stack([known.speeds, known.tolerances, known.fastest])
            for column, name in enumerate(samples.joints):
                if name in model.joint_names:
                    limits[:, column] = every[:, model.joint_names.index(name)]
        self.speeds, self.tolerances, self.fastest = limits

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

    def in_time(self, rows: Rows) -> Flags:
        """Which come later than those before, or earlier by more than the limit."""
        times = self.samples.times[rows]
        kept, last = np.ones(len(times), bool), -np.inf
        if (np.diff(times) > 0.0).all():
            return kept
        for index, time in enumerate(times.tolist()):
            kept[index] = not 0.0 <= last - time <= self.limit
            last = time if kept[index] else last
        return kept

    def _briefly(self, rows: Rows, wrong: Flags) -> Flags:
        """Which wrong ones are between right ones that are at most a limit apart."""
        right = np.flatnonzero(~wrong)
        if len(right) in (len(wrong), 0):
            return np.zeros(len(wrong), bool)
        short = np.abs(np.diff(self.samples.times[rows[right]])) <= self.limit
        return wrong & np.concatenate([[False], short, [False]])[np.cumsum(~wrong)]

    def briefly_missing(self, rows: Rows) -> Flags:
        """Which are without a velocity or an effort that is measured before and after."""
        missing, used, samples = np.zeros(len(rows), bool), _sliced(rows), self.samples
        columns = zip(samples.velocities.T, samples.efforts.T, self.fastest, strict=True)
        for v, effort, bound in columns:
            # No comparison with NaN holds.
            missing |= self._briefly(rows, ~(np.abs(v[used]) <= bound))
            missing |= self._briefly(rows, ~np.isfinite(effort[used]))
        return missing

    def zeros(self, rows: Rows) -> Flags:
        """Which are zero in all that is measured, for a moment or next to a jump."""
        zero = np.ones(len(rows), bool)
        for values in (self.samples.positions, self.samples.velocities, self.samples.efforts):
            # What is NaN is not measured.
            zero[zero] = ~(np.abs(values[rows[zero]]) >= DENORMAL).any(axis=1)
        found = self._briefly(rows, zero)
        if zero.any() and not zero.all():
            jumps = np.pad(self.beyond(rows[:-1], rows[1:]), 1)
            edges = np.flatnonzero(np.diff(zero, prepend=False, append=False))
            for first, last in edges.reshape(-1, 2):
                found[first:last] |= jumps[first] or jumps[last]
        return found

    def excursions(self, rows: Rows) -> Flags:
        """Which are out of reach between two, at most a limit apart, that are not."""
        found, times, last = np.zeros(len(rows), bool), self.samples.times[rows], 0
        jumps = np.flatnonzero(self.beyond(rows[:-1], rows[1:]))
        # As where the unit is another: there is nothing to say which are right.
        if len(jumps) > len(rows) / 2:
            return found
        for border in (jumps + 1).tolist():
            if border <= last:
                continue
            elapsed = times[border + 1 : border + 1 + MAX_EXCURSION] - times[border - 1]
            later = border + 1 + np.flatnonzero((elapsed > 0.0) & (elapsed <= self.limit))
            reached = later[~self.beyond(rows[border - 1], rows[later])]
            if reached.size:
                last = int(reached[0])
                found[border:last] = True
        return found
