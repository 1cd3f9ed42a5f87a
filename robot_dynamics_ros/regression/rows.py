"""From motions to the rows of a regression: columns and efforts, filtered and decimated alike.

A linear filter leaves linear equations true: h * (Y pi) = (h * Y) pi = h * tau, whatever the
motion, and also where a column jumps, as that of Coulomb friction does at a reversal. Noise above
the cutoff is removed, and two rows for each of its periods are kept: what is left of the noise
is then nearly independent (M. Gautier, "Dynamic identification of robots with power model", 1997).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import UnknownNameError
from robot_dynamics_ros.core.friction import Slips, dead_bands
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.low_pass import MAX_OF_RATE, half_length, low_pass

from .regressors import DISPLACEMENTS, SLIDING, Regressor, States

Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int_]
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
# Of rows.
ARRAYS = ('shared', 'own', 'rigid', 'torque', 'used', 'moving')


def motions_cutoff(cutoff: float, rate: float) -> float:
    """That of the motions for rows with a cutoff [Hz]: columns are filtered, not states."""
    return min(WIDER * cutoff, MAX_OF_RATE * rate)


@dataclass(frozen=True, eq=False)
class Rows:
    """N filtered equations of n joints: torque = shared @ x + sum over k of own_k c_k + error."""

    terms: tuple[tuple[Regressor, int], ...]  #: with numbers of columns, shared ones first
    times: Array  #: (N,) recordings follow each other [s]
    shared: Array  #: (N, n, s) columns of coefficients that all joints share
    own: Array  #: (N, n, k) columns of coefficients that each joint has for itself
    rigid: Array  #: (N, n) torque of the rigid bodies of the model [N m or N]
    torque: Array  #: (N, n) measured efforts without what is known [N m or N]
    used: Flags  #: (N, n) which rows count
    moving: Flags  #: (N, n) which have an effort, and no rest; those near reversals too

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """Rows of several recordings with the same terms, as if one followed the other."""
        times, end = [], 0.0
        for one in parts:
            times.append(one.times - one.times[:1] + end)
            end = float(times[-1][-1]) + APART if len(one.times) else end
        arrays = (np.concatenate([getattr(one, name) for one in parts]) for name in ARRAYS)
        return cls(parts[0].terms, np.concatenate(times), *arrays)

    def part(self, chosen: Flags | slice) -> Rows:
        """Some of the rows."""
        names = ('times', *ARRAYS)
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    @property
    def own_terms(self) -> list[Regressor]:
        """Terms of which each joint has a coefficient, in the order of the columns `own`."""
        return [term for term, _ in self.terms if not term.shared]

    @property
    def own_names(self) -> list[str]:
        """Names of these terms."""
        return [term.name for term in self.own_terms]

    def places(self, name: str) -> Places:
        """Places of the coefficients of a term: (k,) of a shared one, or (n,) one of each joint.

        Shared coefficients come first, then those of each joint.
        """
        every, begin = self.own.shape[2] * np.arange(self.own.shape[1]), 0
        for term, width in self.terms:
            if term.name == name:
                return begin + (np.arange(width) if term.shared else every)
            begin += width
        raise UnknownNameError('term', name, tuple(term.name for term, _ in self.terms))

    def place(self, joint: int) -> Places:
        """Places of the coefficients (s + k,) that a joint has, among all of them."""
        size, count = self.shared.shape[2], self.own.shape[2]
        return np.append(np.arange(size), size + joint * count + np.arange(count))

    def columns(self, theta: Array, joint: int) -> Array:
        """Columns (N, s + k) of a joint; those of load and gain are of the coefficients (P,)."""
        size, own, terms = self.shared.shape[2], self.own[:, joint].copy(), self.own_terms
        shared, coefficients = self.shared[:, joint], theta[self.place(joint)][size:]
        rigid = self.rigid[:, joint] + shared @ theta[:size]
        own[:, [one.loaded for one in terms]] *= np.abs(rigid)[:, None]
        gain = [one.name == 'gain' for one in terms]
        own[:, gain] *= (rigid + own @ np.where(gain, 0.0, coefficients))[:, None]
        return np.concatenate([shared, own], axis=1)


def make_rows(
    dynamics: RobotDynamics,
    terms: Sequence[Regressor],
    motions: Iterable[Motion],
    *,
    absent: Collection[str] = (),
    cutoff: float | None = None,
) -> Rows:
    """The rows of the segments of a recording, `MAX_ROWS` at most.

    Args:
        dynamics: of the robot, whose torque is known: coefficients are what it lacks.
        terms: regressors.
        motions: segments, one at least.
        absent: names of terms that this recording has not, such as a payload.
        cutoff: of the low pass of columns and efforts [Hz]; None: that of the motions.
    """
    motions, terms = list(motions), sorted(terms, key=lambda one: not one.shared)
    seconds = sum(len(one) / one.rate for one in motions)
    highest = max(one.cutoff for one in motions) if cutoff is None else cutoff
    stride = math.ceil(ROWS_OF_PERIOD * highest * seconds / MAX_ROWS)
    widths: dict[str, int] = {}

    def columns(states: States, motion: Motion, far: Flags) -> Array:
        """Those of the terms, and what is known (N, n, c + 5)."""
        rigid = dynamics.inverse_dynamics(states.q, states.v, states.a)
        torque, bands = motion.efforts - rigid, dead_bands(dynamics.model)
        missing, rests = ~np.isfinite(torque), np.abs(states.v) <= bands
        slow = np.abs(states.v) <= bands + REACH / motion.cutoff * np.abs(states.a)
        each = []
        for term in terms:
            each.append(term.column(states).reshape(*rigid.shape, -1) * (term.name not in absent))
            widths[term.name] = each[-1].shape[2]
        known = rigid, np.where(missing, 0.0, torque), missing, slow | ~far, rests
        return np.concatenate([*each, np.stack(known, axis=2)], axis=2)

    parts = [_filtered(dynamics, one, columns, cutoff, max(1, stride)) for one in motions]
    times, whole = (np.concatenate(one) for one in zip(*parts, strict=True))
    count, size = sum(widths.values()), sum(widths[one.name] for one in terms if one.shared)
    rigid, torque, missing, slow, rests = np.moveaxis(whole[..., count:], 2, 0)
    measured = np.abs(missing) <= MISSING_SHARE
    used, moving = measured & (np.abs(slow) <= SLOW_SHARE), measured & (rests <= REST_SHARE)
    named, shared = tuple((one, widths[one.name]) for one in terms), whole[..., :size]
    return Rows(named, times, shared, whole[..., size:count], rigid, torque, used, moving)


def _filtered(
    dynamics: RobotDynamics,
    motion: Motion,
    columns: Callable[[States, Motion, Flags], Array],
    cutoff: float | None,
    stride: int,
) -> tuple[Array, Array]:
    """Times of rows of a segment, and its filtered columns at them; one of so many is kept."""
    passed = motion.cutoff if cutoff is None else min(cutoff, motion.cutoff)
    step = max(1, round(motion.rate / (ROWS_OF_PERIOD * passed)))
    kernel = np.ones(1)
    if passed <= MAX_SHARE * motion.cutoff:
        # A multiple of the step on both sides: rows lie where decimated results do.
        steps = math.ceil(half_length(passed, motion.rate) / step)
        kernel = low_pass(passed, motion.rate, step * steps)
    size, step = len(kernel), step * stride
    q, efforts = motion.positions, np.nan_to_num(motion.efforts)
    slopes = np.gradient(efforts, 1.0 / motion.rate, axis=0) if len(q) > 1 else 0.0 * efforts
    ways = np.outer(DISPLACEMENTS, np.where(dynamics.model.sliding, SLIDING, 1.0))
    travelled = np.cumsum(np.abs(np.diff(q, axis=0, prepend=q[:1])), axis=0)
    far, slips = travelled >= SETTLED * ways.max(axis=0), Slips(ways)
    together, rest, rows = step * math.ceil(max(TOGETHER, size) / step), list[Array](), []
    for first in range(0, len(q), together):
        chosen = slice(first, first + together)
        part = motion.part(chosen)
        states = part.positions, part.velocities, part.accelerations, slips.along(part.positions)
        new = columns(States(dynamics, *states, slopes[chosen]), part, far[chosen])
        found = np.concatenate([*rest, new])
        begins = range(0, len(found) - size + 1, step)
        rows += [np.tensordot(kernel, found[begin : begin + size], 1) for begin in begins]
        rest = [found[len(begins) * step :]]
    times = motion.times[0] + (step * np.arange(len(rows)) + size // 2) / motion.rate
    return times, np.reshape(rows, (len(rows), *found.shape[1:]))
