"""From motions to the rows of a regression: columns and efforts, filtered and decimated alike.

A linear filter leaves linear equations true: h * (Y pi) = (h * Y) pi = h * tau, whatever the
motion, and also where a column jumps, as that of Coulomb friction does at a reversal. Noise above
the cutoff is removed, and two rows for each of its periods are kept: what is left of the noise
is then nearly independent (M. Gautier, "Dynamic identification of robots with power model", 1997).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, SLIPS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import UnknownNameError
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.low_pass import MOST_OF_RATE, half_length, low_pass

from .regressors import Regressor, States, displacements, independent, slip_states

Flags = npt.NDArray[np.bool_]
ROWS_OF_PERIOD = 2.0
# Of the cutoff of the motions: above this share, a second filter would damp nothing more.
LARGEST_SHARE = 0.95
# Times the cutoff of the rows: the motions keep what a column makes of higher frequencies, as that
# of Coulomb friction does.
WIDER = 8.0
# What the low pass of the motions smears around a reversal, in periods of its cutoff.
REACH = 0.5
# Displacements after which the state in which a contact began counts little: exp(-2) = 14 %.
SETTLED = 2.0
# Of the weight of a row: up to which share of samples without an effort, and near reversals
# or the begin of a segment.
MISSING_SHARE, SLOW_SHARE = 0.01, 0.1
# Of a row of a joint that moves: which share of it may be a rest.
REST_SHARE = 0.5
# Columns beside those of the terms.
KNOWN = 5
# Between two recordings [s]: they share no block of time.
APART = 1.0
# Samples whose columns are computed together, and bytes of rows, beyond
# which one of two is left.
TOGETHER, MOST_BYTES = 2048, 3e8


def motions_cutoff(cutoff: float, rate: float) -> float:
    """That of `Recording.motions` for rows with a cutoff [Hz]: columns are filtered, not states.

    Args:
        cutoff: of the rows [Hz].
        rate: of the samples [Hz].
    """
    return min(WIDER * cutoff, MOST_OF_RATE * rate)


@dataclass(frozen=True, eq=False)
class Rows:
    """N filtered equations of r joints: torque = shared @ x + sum over k of own_k c_k + error.

    Attributes:
        terms: regressors, each with the number of its columns, in their order.
        times: (N,) of the rows; recordings follow each other [s].
        shared: (N, r, s) columns of coefficients that all joints share.
        own: (N, r, k) columns of coefficients that each joint has for itself.
        rigid: (N, r) torque of the rigid bodies of the model [N m or N].
        torque: (N, r) measured efforts without what is known [N m or N].
        used: (N, r) which rows count.
        moving: (N, r) which rows have an effort, and no rest; those near reversals too.
    """

    terms: tuple[tuple[Regressor, int], ...]
    times: Array
    shared: Array
    own: Array
    rigid: Array
    torque: Array
    used: Flags
    moving: Flags

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """Rows of several recordings with the same terms, as if one followed the other."""
        first, times, end = parts[0], [], 0.0
        for one in parts:
            begin = float(one.times[0]) if len(one.times) else 0.0
            times.append(one.times - begin + end)
            end = float(times[-1][-1]) + APART if len(one.times) else end
        arrays = [
            np.concatenate([getattr(one, name) for one in parts])
            for name in ('shared', 'own', 'rigid', 'torque', 'used', 'moving')
        ]
        return cls(first.terms, np.concatenate(times), *arrays)

    def part(self, chosen: Flags | slice) -> Rows:
        """Some of the rows."""
        names = ('times', 'shared', 'own', 'rigid', 'torque', 'used', 'moving')
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def places(self, name: str) -> npt.NDArray[np.int_]:
        """Places of the coefficients of a term: shared ones, then those of each joint (r, k)."""
        (_, r, s), k = self.shared.shape, self.own.shape[2]
        ends = {True: 0, False: s}
        for term, width in self.terms:
            if term.name == name:
                first = ends[term.shared]
                return first + (np.arange(width) if term.shared else k * np.arange(r))
            ends[term.shared] += width
        raise UnknownNameError('term', name, tuple(term.name for term, _ in self.terms))


class RowMaker:
    """Makes rows of motions as they come; the memory does not grow with the recording."""

    def __init__(
        self,
        dynamics: RobotDynamics,
        terms: Sequence[Regressor],
        *,
        joints: Sequence[int] | None = None,
        friction: JointFriction | None = None,
        offsets: Array | float = 0.0,
        cutoff: float | None = None,
    ) -> None:
        """Begin without a row.

        Args:
            dynamics: of the robot, whose torque is known: coefficients are what it lacks.
            terms: regressors.
            joints: indices of those whose rows are made; None: all.
            friction: that is known; what depends on the load is part of the fit. None: there is
                none.
            offsets: (n,) torques that are known [N m or N].
            cutoff: of the rows [Hz]; None: that of the motions.
        """
        model = dynamics.model
        self._dynamics, self._terms, self._offsets = dynamics, tuple(terms), offsets
        self._joints = list(range(model.size) if joints is None else joints)
        self._friction, self._cutoff = friction, cutoff
        self._ways, self._smoothing = displacements(model), np.array(CONSTANTS['smoothing'])
        if friction is not None:
            own = independent(friction, ('displacement', 'displacement_long', 'smoothing'))
            self._ways, self._smoothing = np.concatenate([self._ways, own[:2]]), own[2]
        self._bands = dead_bands(model)
        self._segment: _Segment | None = None
        self._widths: list[int] = [0] * len(self._terms)
        # Times and columns of rows, of which one in so many is kept.
        self._parts: list[tuple[Array, Array]] = []
        self._stride, self._shift, self._last = 1, 0.0, -np.inf
        self.measured = False

    def add(
        self,
        motion: Motion,
        absent: Collection[str] = (),
        carried: RobotDynamics | None = None,
    ) -> None:
        """Take a motion.

        Motions follow each other in time; one whose times are earlier is of another recording.

        Args:
            motion: of the joints of the model.
            absent: names of terms that this motion has not, such as a payload.
            carried: dynamics of the robot with a load that is known; None: it has none.
        """
        if motion.times[0] + self._shift < self._last:
            self._shift = self._last - float(motion.times[0])
        if self._segment is None or motion.begins:
            self._segment = _Segment(motion, self._cutoff, np.zeros_like(self._ways))
        for first in range(0, len(motion), TOGETHER):
            part = motion.part(slice(first, first + TOGETHER))
            self._add(part, absent, self._segment, carried or self._dynamics)
        self._last = float(motion.times[-1]) + self._shift

    def rows(self) -> Rows:
        """All rows up to now."""
        empty = np.zeros(0), np.zeros((0, len(self._joints), KNOWN))
        times, columns = map(np.concatenate, zip(*(self._parts or [empty]), strict=True))
        terms = tuple(zip(self._terms, self._widths, strict=True))
        s = sum(width for term, width in terms if term.shared)
        rigid, torque, missing, slow, rests = np.moveaxis(columns[..., -KNOWN:], 2, 0)
        measured = np.abs(missing) <= MISSING_SHARE
        used, moving = measured & (np.abs(slow) <= SLOW_SHARE), measured & (rests <= REST_SHARE)
        shared, own = columns[..., :s], columns[..., s:-KNOWN]
        return Rows(terms, times, shared, own, rigid, torque, used, moving)

    def _add(
        self,
        motion: Motion,
        absent: Collection[str],
        segment: _Segment,
        carried: RobotDynamics,
    ) -> None:
        q, v, a = motion.positions, motion.velocities, motion.accelerations
        slips, travelled = segment.slips(q, self._ways)
        efforts = np.nan_to_num(motion.efforts)
        slopes = np.gradient(efforts, 1.0 / motion.rate, axis=0) if len(q) > 1 else 0.0 * q
        states = States(self._dynamics, q, v, a, slips, self._smoothing, slopes)
        rigid = carried.inverse_dynamics(q, v, a)
        torque = motion.efforts - rigid - self._offsets
        if self._friction is not None:
            torque -= self._friction.torque(v, slips=slips[:, -SLIPS:])
        slow = np.abs(v) <= self._bands + REACH / motion.cutoff * np.abs(a)
        rests = np.abs(v) <= self._bands
        slow |= travelled < SETTLED * self._ways.max(axis=0)
        missing = ~np.isfinite(torque)
        self.measured |= not missing[:, self._joints].all()
        columns = []
        for term in self._terms:
            column = term.column(states)
            column = column if term.shared else column[..., None]
            columns.append(column * float(term.name not in absent))
        self._widths = [column.shape[2] for column in columns]
        order = sorted(range(len(columns)), key=lambda i: not self._terms[i].shared)
        last = np.stack([rigid, np.where(missing, 0.0, torque), missing, slow, rests], axis=2)
        whole = np.concatenate([*(columns[i] for i in order), last], axis=2)
        numbers, filtered = segment.push(whole[:, self._joints])
        times = segment.start + self._shift + numbers / motion.rate
        self._parts.append((times[:: self._stride], filtered[:: self._stride]))
        if sum(part.nbytes for _, part in self._parts) > MOST_BYTES:
            self._parts = [(one[::2], part[::2]) for one, part in self._parts]
            self._stride *= 2


class _Segment:
    """The filter of one segment, and the states of pre-sliding along it.

    Attributes:
        start: time of its first sample [s].
    """

    def __init__(self, first: Motion, cutoff: float | None, slips: Array) -> None:
        passed = first.cutoff if cutoff is None else min(cutoff, first.cutoff)
        self._step = max(1, round(first.rate / (ROWS_OF_PERIOD * passed)))
        self._kernel = np.ones(1)
        if passed <= LARGEST_SHARE * first.cutoff:
            # A multiple of the step on both sides: rows lie where decimated results do.
            steps = math.ceil(half_length(passed, first.rate) / self._step)
            self._kernel = low_pass(passed, first.rate, self._step * steps)
        self.start = float(first.times[0]) - first.number / first.rate
        # Numbers of the first sample that is kept, and of the first one of the next row.
        self._first = self._next = first.number
        self._kept: Array | None = None
        self._begin, self._before = slips, first.positions[0]
        self._travelled = np.zeros_like(self._before)

    def slips(self, q: Array, ways: Array) -> tuple[Array, Array]:
        """States (N, k, n) and distances travelled (N, n) at the next positions (N, n)."""
        states = slip_states(q, self._before, self._begin, ways)
        steps = np.abs(np.diff(q, axis=0, prepend=self._before[None]))
        travelled = self._travelled + np.cumsum(steps, axis=0)
        self._begin, self._before, self._travelled = states[-1], q[-1], travelled[-1]
        return states, travelled

    def push(self, columns: Array) -> tuple[npt.NDArray[np.int_], Array]:
        """Numbers of the samples in the middle of rows (K,), and these rows (K, r, c).

        Args:
            columns: (N, r, c) of samples that follow the last ones.
        """
        signal = required('scipy.signal', 'identification')
        kernel, step, size = self._kernel, self._step, len(self._kernel)
        whole = columns if self._kept is None else np.concatenate([self._kept, columns])
        # Without a kernel the next row may lie behind the last sample.
        after = whole[min(self._next - self._first, len(whole)) :]
        count = max(0, (len(after) - size + step) // step)
        rows = after[: count * step : step]
        if size > 1 and count:
            rows = signal.upfirdn(kernel, after, 1, step, axis=0)[(size - 1) // step :][:count]
        middles = self._next + size // 2 + step * np.arange(count)
        self._next += count * step
        passed = min(self._next - self._first, len(whole))
        self._kept, self._first = whole[passed:], self._first + passed
        return middles, rows
