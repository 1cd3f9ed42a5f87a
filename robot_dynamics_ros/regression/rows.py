"""From motions to the rows of a regression: columns and efforts, filtered and decimated alike.

A linear filter leaves linear equations true: h * (Y pi) = (h * Y) pi = h * tau, whatever the
motion, and also where a column jumps, as that of Coulomb friction does at a reversal. Noise above
the cutoff is removed, and two rows for each of its periods are kept: what is left of the noise
is then nearly independent (M. Gautier, "Dynamic identification of robots with power model", 1997).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, SLIPS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.recordings import Motion

from .regressors import Regressor, States, dead_bands, displacements, independent, slip_states

ROWS_OF_PERIOD = 2.0
# As that of `recordings.low_pass`: Kaiser's formulas for a damping of 60 dB, and the length of the
# kernel in periods of the cutoff.
BETA, SHARPNESS = 5.653, 3.625
# Of the cutoff of the motions: above this share, a second filter would damp nothing more.
LARGEST_SHARE = 0.95
# What the low pass of the motions smears around a reversal, in periods of its cutoff.
REACH = 0.5
# Displacements after which the state in which a contact began counts little: exp(-2) = 14 %.
SETTLED = 2.0
# Of the weight of a row: up to which share of samples without an effort, and near reversals
# or the begin of a segment.
MISSING_SHARE, SLOW_SHARE = 0.01, 0.1
# Samples whose columns are computed together, and bytes of rows, beyond which one of two is left.
TOGETHER, MOST_BYTES = 2048, 3e8


@dataclass(frozen=True, eq=False)
class Rows:
    """N filtered equations of r joints: torque = shared @ x + sum over k of own_k c_k + error.

    Attributes:
        terms: regressors, in the order of the columns.
        widths: number of columns of each.
        times: (N,) of the rows; recordings follow each other [s].
        shared: (N, r, s) columns of coefficients that all joints share.
        own: (N, r, k) columns of coefficients that each joint has for itself.
        rigid: (N, r) torque of the rigid bodies of the model [N m or N].
        torque: (N, r) measured efforts without what is known [N m or N].
        used: (N, r) which rows count.
    """

    terms: tuple[Regressor, ...]
    widths: tuple[int, ...]
    times: Array
    shared: Array
    own: Array
    rigid: Array
    torque: Array
    used: npt.NDArray[np.bool_]

    @property
    def places(self) -> dict[str, slice]:
        """Columns of each term, by its name, in `shared` or in `own`."""
        found, ends = {}, {True: 0, False: 0}
        for term, width in zip(self.terms, self.widths, strict=True):
            begin = ends[term.shared]
            ends[term.shared] += width
            found[term.name] = slice(begin, begin + width)
        return found


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
        self._bands = dead_bands(model)[self._joints]
        self._segment: _Segment | None = None
        self._widths: dict[str, int] = {}
        self._parts: list[list[npt.NDArray[Any]]] = []
        self._bytes, self._stride = 0, 1
        self._shift, self._last = 0.0, -np.inf
        self.measured = False

    def add(self, motion: Motion, absent: Collection[str] = ()) -> None:
        """Take a motion.

        Motions follow each other in time; one whose times are earlier is of another recording.

        Args:
            motion: of the joints of the model.
            absent: names of terms that this motion has not, such as a payload.
        """
        if motion.times[0] + self._shift < self._last:
            self._shift = self._last - float(motion.times[0])
        if self._segment is None or motion.begins:
            self._segment = _Segment(motion, self._cutoff, np.zeros_like(self._ways))
        for first in range(0, len(motion), TOGETHER):
            self._add(motion.part(slice(first, first + TOGETHER)), absent, self._segment)
        self._last = float(motion.times[-1]) + self._shift

    def rows(self) -> Rows:
        """All rows up to now."""
        terms, r = self._terms, len(self._joints)
        widths = tuple(self._widths.get(term.name, 0) for term in terms)
        shapes = ((), (r, 0), (r, 0), (r,), (r,), (r,))
        parts = self._parts or [[np.zeros((0, *shape)) for shape in shapes]]
        times, shared, own, rigid, torque, used = map(np.concatenate, zip(*parts, strict=True))
        return Rows(terms, widths, times, shared, own, rigid, torque, used.astype(bool))

    def _add(self, motion: Motion, absent: Collection[str], segment: _Segment) -> None:
        q, v, a = motion.positions, motion.velocities, motion.accelerations
        slips, travelled = segment.slips(q, self._ways)
        states = States(self._dynamics, q, v, a, slips, self._smoothing)
        rigid = self._dynamics.inverse_dynamics(q, v, a)
        torque = motion.efforts - rigid - self._offsets
        if self._friction is not None:
            torque -= self._friction.torque(v, slips=slips[:, -SLIPS:])
        columns: dict[bool, list[Array]] = {True: [], False: []}
        for term in self._terms:
            column = term.column(states)[:, self._joints]
            column = column if term.shared else column[..., None]
            self._widths[term.name] = column.shape[2]
            columns[term.shared].append(column * float(term.name not in absent))
        chosen = (x[:, self._joints] for x in (rigid, torque, v, a, travelled))
        rigid, torque, v, a, travelled = chosen
        missing = ~np.isfinite(torque)
        self.measured |= not missing.all()
        slow = np.abs(v) <= self._bands + REACH / motion.cutoff * np.abs(a)
        slow |= travelled < SETTLED * self._ways[:, self._joints].max(axis=0)
        flags = np.stack([missing, slow], axis=2).astype(float)
        torque = np.where(missing, 0.0, torque)
        values = [*columns[True], *columns[False], rigid[..., None], torque[..., None]]
        made = segment.push(np.concatenate(values, axis=2), flags)
        if made is None:
            return
        numbers, filtered, shares = made
        used = (shares[..., 0] <= MISSING_SHARE) & (shares[..., 1] <= SLOW_SHARE)
        s = sum(column.shape[2] for column in columns[True])
        times = segment.start + self._shift + numbers / motion.rate
        parts = [times, filtered[..., :s], filtered[..., s:-2], filtered[..., -2],
                 filtered[..., -1], used]  # fmt: skip
        self._parts.append([one[:: self._stride] for one in parts])
        self._bytes += sum(one.nbytes for one in self._parts[-1])
        if self._bytes > MOST_BYTES:
            whole = map(np.concatenate, zip(*self._parts, strict=True))
            self._parts = [[one[::2].copy() for one in whole]]
            self._stride *= 2
            self._bytes = sum(one.nbytes for one in self._parts[0])


class _Segment:
    """The filter of one segment, and the states of pre-sliding along it.

    Attributes:
        start: time of its first sample [s].
    """

    def __init__(self, first: Motion, cutoff: float | None, slips: Array) -> None:
        signal = required('scipy.signal', 'identification')
        passed = first.cutoff if cutoff is None else min(cutoff, first.cutoff)
        self._step = max(1, round(first.rate / (ROWS_OF_PERIOD * passed)))
        self._kernel = np.ones(1)
        if passed <= LARGEST_SHARE * first.cutoff:
            # A multiple of the step on both sides: rows lie where decimated results do.
            steps = int(np.ceil(SHARPNESS * first.rate / passed / 2.0 / self._step))
            length = 2 * self._step * steps + 1
            self._kernel = signal.firwin(length, passed, window=('kaiser', BETA), fs=first.rate)
        self.start = float(first.times[0]) - first.number / first.rate
        # Numbers of the first sample that is kept, and of the first one of the next row.
        self._first = self._next = first.number
        self._kept: tuple[Array, ...] | None = None
        self._begin, self._before = slips, first.positions[0]
        self._travelled = np.zeros_like(self._before)

    def slips(self, q: Array, ways: Array) -> tuple[Array, Array]:
        """States (N, k, n) and distances travelled (N, n) at the next positions (N, n)."""
        states = slip_states(q, self._before, self._begin, ways)
        steps = np.abs(np.diff(q, axis=0, prepend=self._before[None]))
        travelled = self._travelled + np.cumsum(steps, axis=0)
        self._begin, self._before, self._travelled = states[-1], q[-1], travelled[-1]
        return states, travelled

    def push(
        self, columns: Array, flags: Array
    ) -> tuple[npt.NDArray[np.int_], Array, Array] | None:
        """Numbers of the samples in the middle of rows, columns, and shares of flags.

        Args:
            columns: (N, r, c) that follow the last ones.
            flags: (N, r, f).

        Returns:
            None where no row is complete.
        """
        signal = required('scipy.signal', 'identification')
        kernel, step, size = self._kernel, self._step, len(self._kernel)
        weights, results, count = np.abs(kernel) / np.abs(kernel).sum(), [], 0
        pairs = zip(self._kept or (columns[:0], flags[:0]), (columns, flags), strict=True)
        wholes = [np.concatenate(pair) for pair in pairs]
        # Without a kernel the next row may lie behind the last sample.
        begin = min(self._next - self._first, len(wholes[0]))
        count = max(0, (len(wholes[0]) - begin - size + step) // step)
        if count:
            for own, whole in zip((kernel, weights), wholes, strict=True):
                after = whole[begin:]
                made = signal.upfirdn(own, after, 1, step, axis=0) if size > 1 else after[::step]
                results.append(made[(size - 1) // step :][:count])
        middles = self._next + size // 2 + step * np.arange(count)
        self._next += count * step
        passed = min(self._next - self._first, len(wholes[0]))
        self._kept, self._first = tuple(one[passed:] for one in wholes), self._first + passed
        return (middles, results[0], results[1]) if count else None
