"""From motions to the rows of a regression: columns and efforts, filtered and decimated alike.

A linear filter leaves linear equations true: h * (Y pi) = (h * Y) pi = h * tau, whatever the
motion, and also where a column jumps, as that of Coulomb friction does at a reversal. Noise above
the cutoff is removed, and two rows for each of its periods are kept: what is left of the noise
is then nearly independent (M. Gautier, "Dynamic identification of robots with power model", 1997).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, SLIPS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import UnknownNameError
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.low_pass import MAX_OF_RATE, half_length, low_pass

from .regressors import Regressor, States, displacements, independent, slip_states

Flags = npt.NDArray[np.bool_]
ROWS_OF_PERIOD = 2.0
# Of the cutoff of the motions: above this share, a second filter would damp nothing more.
MAX_SHARE = 0.95
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
# Between two recordings [s]: they share no block of time.
APART = 1.0
# Samples at least whose columns are computed together; rows of a recording at most.
TOGETHER, MAX_ROWS = 512, 10_000


def motions_cutoff(cutoff: float, rate: float) -> float:
    """That of `Recording.motions` for rows with a cutoff [Hz]: columns are filtered, not states.

    Args:
        cutoff: of the rows [Hz].
        rate: of the samples [Hz].
    """
    return min(WIDER * cutoff, MAX_OF_RATE * rate)


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


def make_rows(
    dynamics: RobotDynamics,
    terms: Sequence[Regressor],
    motions: Iterable[Motion],
    *,
    absent: Collection[str] = (),
    carried: RobotDynamics | None = None,
    joints: Sequence[int] | None = None,
    friction: JointFriction | None = None,
    offsets: Array | float = 0.0,
    cutoff: float | None = None,
) -> Rows:
    """The rows of the segments of a recording, `MAX_ROWS` at most.

    Args:
        dynamics: of the robot, whose torque is known: coefficients are what it lacks.
        terms: regressors.
        motions: segments, one at least.
        absent: names of terms that this recording has not, such as a payload.
        carried: dynamics of the robot with a load that is known; None: it has none.
        joints: indices of those whose rows are made; None: all.
        friction: that is known; what depends on the load is part of the fit. None: there is none.
        offsets: (n,) torques that are known [N m or N].
        cutoff: of the rows [Hz]; None: that of the motions.
    """
    motions, model, widths = list(motions), dynamics.model, [0] * len(terms)
    ways, smoothing = displacements(model), np.array(CONSTANTS['smoothing'])
    if friction is not None:
        known = independent(friction, ('displacement', 'displacement_long', 'smoothing'))
        ways, smoothing = np.concatenate([ways, known[:2]]), known[2]
    bands, terms = dead_bands(model), sorted(terms, key=lambda one: not one.shared)

    def columns(part: Motion, slopes: Array, slips: Array, far: Flags) -> Array:
        """Those of the terms, and what is known (N, r, c + 5)."""
        q, v, a = part.positions, part.velocities, part.accelerations
        states = States(dynamics, q, v, a, slips, smoothing, slopes)
        rigid = (carried or dynamics).inverse_dynamics(q, v, a)
        torque = part.efforts - rigid - offsets
        if friction is not None:
            torque -= friction.torque(v, slips=slips[:, -SLIPS:])
        missing, rests = ~np.isfinite(torque), np.abs(v) <= bands
        slow = np.abs(v) <= bands + REACH / part.cutoff * np.abs(a)
        known = rigid, np.where(missing, 0.0, torque), missing, slow | ~far, rests
        each = [one.column(states).reshape(*q.shape, -1) for one in terms]
        widths[:] = [one.shape[2] for one in each]
        zeros = [one.name in absent for one in terms]
        each = [np.zeros_like(x) if zero else x for x, zero in zip(each, zeros, strict=True)]
        found = np.concatenate([*each, np.stack(known, axis=2)], axis=2)
        return found if joints is None else found[:, list(joints)]

    seconds = sum(len(one) / one.rate for one in motions)
    highest = max(one.cutoff for one in motions) if cutoff is None else cutoff
    stride = math.ceil(ROWS_OF_PERIOD * highest * seconds / MAX_ROWS)
    each = [one for motion in motions for one in _filtered(motion, columns, ways, cutoff, stride)]
    times, whole = (np.concatenate(one) for one in zip(*each, strict=True))
    count, s = sum(widths), sum(w for w, one in zip(widths, terms, strict=True) if one.shared)
    rigid, torque, missing, slow, rests = np.moveaxis(whole[..., count:], 2, 0)
    measured = np.abs(missing) <= MISSING_SHARE
    used, moving = measured & (np.abs(slow) <= SLOW_SHARE), measured & (rests <= REST_SHARE)
    named = tuple(zip(terms, widths, strict=True))
    return Rows(named, times, whole[..., :s], whole[..., s:count], rigid, torque, used, moving)


def _filtered(
    motion: Motion,
    columns: Callable[[Motion, Array, Array, Flags], Array],
    ways: Array,
    cutoff: float | None,
    stride: int,
) -> Iterator[tuple[Array, Array]]:
    """Times of rows of a segment, and its filtered columns at them; one of so many is kept."""
    passed = motion.cutoff if cutoff is None else min(cutoff, motion.cutoff)
    step = max(1, round(motion.rate / (ROWS_OF_PERIOD * passed)))
    kernel = np.ones(1)
    if passed <= MAX_SHARE * motion.cutoff:
        # A multiple of the step on both sides: rows lie where decimated results do.
        steps = math.ceil(half_length(passed, motion.rate) / step)
        kernel = low_pass(passed, motion.rate, step * steps)
    size, step = len(kernel), step * stride
    count, together = max(0, (len(motion) - size + step) // step), max(TOGETHER, 4 * size) // step
    together = min(max(1, together), max(1, count))
    convolution = np.zeros((together, (together - 1) * step + size))
    for row in range(together):
        convolution[row, row * step : row * step + size] = kernel
    q, efforts = motion.positions, np.nan_to_num(motion.efforts)
    slopes = np.gradient(efforts, 1.0 / motion.rate, axis=0) if len(q) > 1 else 0.0 * efforts
    travelled = np.cumsum(np.abs(np.diff(q, axis=0, prepend=q[:1])), axis=0)
    far = travelled >= SETTLED * ways.max(axis=0)
    slip, before = np.zeros_like(ways), q[0]
    for first in range(0, max(1, count), together):
        rows, begin = np.arange(first, min(first + together, count)), first * step
        part = slice(begin, begin + max(len(convolution[0]), together * step))
        slips = slip_states(q[part], before, slip, ways)
        found = columns(motion.part(part), slopes[part], slips, far[part])
        used = slice((len(rows) - 1) * step + size if len(rows) else 0)
        filtered = convolution[: len(rows), used]
        times = motion.times[0] + (rows * step + size // 2) / motion.rate
        yield times, np.tensordot(filtered, found[used], 1)
        end = min(begin + together * step, len(q)) - 1
        slip, before = slips[end - begin], q[end]
