"""From motions to equations: the columns of single samples, filtered and decimated.

    tau = Y(q, v, a) pi + armature a + friction(v) + offset

A linear filter leaves linear equations true: h * (Y pi) = (h * Y) pi = h * tau, whatever the
motion, and even where a column jumps, as that of Coulomb friction does at a reversal. One without
delay passes over both sides. Torque noise above its cutoff is removed, and one of D equations is
kept, so that white noise of the samples leaves the kept ones nearly independent.

Sources: C. Atkeson, C. An, J. Hollerbach, Estimation of inertial parameters of manipulator loads
and links, 1986; M. Gautier, Dynamic identification of robots with power model, ICRA 1997 (parallel
filtering and decimation); the kernel: `recordings.low_pass`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from robot_dynamics_ros.core import ParameterError, RobotDynamics
from robot_dynamics_ros.core.algorithms.friction import (
    AT_REST,
    CONSTANTS,
    SLIPS,
    TERMS,
    smooth_sign,
    unit_torques,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import Slips, dead_bands
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.low_pass import MOST_OF_RATE, kernels
from robot_dynamics_ros.regression.regressors import to_body

from .equations import REASONS, VARIED, Equations, FineEfforts, Numbers
from .parameters import Flags, ParameterLayout

# A joint that is slower than its dead band for longer than a reversal lasts [s] rests: friction is
# then anything up to Coulomb's, which no model can know.
REST = 0.5
# Of the cutoff of the motions: above this share, a second filter would damp nothing more.
LARGEST_SHARE = 0.95
# The filter of the motions passes all that the filter of the equations passes. What it distorts
# falls with their ratio: parameters are off by 1e-5 at 8, and by 1e-2 at 1, where both sides have
# the filter of the motions alone. Noise of accelerations enters linearly: the second filter damps
# it.
WIDER = 8.0
# Values of the constants of friction that are tried: speeds at which Coulomb friction may be full,
# beside the usual one [rad/s or m/s], and ways over which a contact slips [rad; m: a tenth].
SMOOTHINGS = (0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
DISPLACEMENTS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
SLIDING = 0.1
# Samples whose columns are computed together.
TOGETHER = 4096
# Times as many filtered efforts as equations: a line between two is exact to 5e-3 at the cutoff.
FINER = 16
# Of the weight of an equation: up to which share of missing, slow and saturated samples it counts;
# slow ones differ by less.
LARGEST_SHARES = (0.01, 0.1, 0.01)
# Of the level at which an effort saturates: what the filter may take from it, or add. Higher
# efforts show that the level is not a limit: URDFs have placeholders.
BELOW, ABOVE = 0.98, 1.05
# Of the segments of all recordings, so that none continues another one.
SEGMENTS = count()
# Columns that depend on nothing, or on what is known later.
MADE_LATER = ('offset', 'gain', 'load', 'presliding_long')


def at_rest(slow: Flags, interval: float) -> Flags:
    """Which samples (N, n) are parts of a rest.

    Args:
        slow: (N, n) which samples are slower than the dead band; consecutive in time.
        interval: between two samples [s].
    """
    least = max(1.0, REST / interval)
    resting = np.zeros_like(slow)
    for column, flags in enumerate(slow.T):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
        for start, stop in edges.reshape(-1, 2).tolist():
            resting[start:stop, column] = stop - start >= least
    return resting


@dataclass(frozen=True, eq=False)
class ParallelFilter:
    """Filters columns of samples at equal intervals, and keeps one of `step` results.

    Attributes:
        kernel: (2 h + 1,) that the samples are convolved with, symmetric.
        step: D, samples between two equations.
        independence: share of the equations that white noise of the samples leaves independent:
            var(y) / sum_k R_y(k) for the filtered and decimated noise y.
        interval: between two equations [s].
    """

    kernel: Array
    step: int
    independence: float
    interval: float

    @classmethod
    def of_motion(cls, rate: float, passed: float, cutoff: float | None = None) -> ParallelFilter:
        """The filter for the equations of filtered motions.

        Args:
            rate: of the samples [Hz].
            passed: cutoff of the filter of the motions [Hz].
            cutoff: wanted one of the equations [Hz]; None, or near that of the motions: the
                equations are not filtered again.
        """
        wanted = passed if cutoff is None else min(cutoff, passed)
        value = np.ones(1)
        whole = kernels(passed, rate)[0]
        if wanted <= LARGEST_SHARE * passed:
            value = kernels(wanted, rate)[0]
            whole = np.convolve(whole, value)
        step = max(1, int(rate / (2.0 * wanted)))
        return cls(value, step, float(min(1.0, step * np.sum(whole**2))), step / rate)


class Decimation:
    """Convolves the samples of one segment as they come, and keeps one of `step` results."""

    def __init__(self, kernel: Array, step: int, number: int) -> None:
        """Begin a segment.

        Args:
            kernel: (2 h + 1,) symmetric.
            step: samples between two results.
            number: of the first sample in the segment: results lie at multiples of the step.
        """
        self._kernel, self._step = kernel, step
        # Of the first sample that is kept, and of the first one that the next result needs.
        self._first, self._next = number, number + -number % step
        self._kept: Array | None = None

    def push(self, samples: Array) -> tuple[Array, Numbers]:
        """Results (K, c) that more samples (N, c) complete, and the numbers of their middles."""
        rows = samples if self._kept is None else np.concatenate([self._kept, samples])
        own, size = rows[min(self._next - self._first, len(rows)) :], len(self._kernel)
        values = np.empty((0, rows.shape[1]))
        if len(own) >= size:
            values = sliding_window_view(own, size, axis=0)[:: self._step] @ self._kernel
        numbers = self._next + size // 2 + self._step * np.arange(len(values))
        self._next += self._step * len(values)
        passed = min(self._next - self._first, len(rows))
        self._kept, self._first = rows[passed:], self._first + passed
        return values, numbers


def motions_cutoff(cutoff: float, rate: float) -> float:
    """That of `Recording.motions` for equations with a cutoff [Hz].

    Args:
        cutoff: of the equations [Hz].
        rate: of the samples [Hz].
    """
    return min(WIDER * cutoff, MOST_OF_RATE * rate)


class MotionEquations:
    """Makes equations of motions; the regressor is compiled once.

    Attributes:
        layout: of the parameters.
    """

    def __init__(
        self,
        layout: ParameterLayout,
        dynamics: RobotDynamics | None = None,
        *,
        cutoff: float | None = None,
        effort_levels: npt.ArrayLike = np.nan,
        unmeasured: Collection[str] = (),
        tried: bool = True,
        combined: Array | None = None,
    ) -> None:
        """Compile.

        Args:
            layout: of the parameters.
            dynamics: of the model of the layout, under its gravity; None: compile it.
            cutoff: of the low pass that filters both sides [Hz]; None: the motions are filtered
                well enough.
            effort_levels: (2, n), or what NumPy broadcasts to it: smallest and largest effort of
                each joint, at which it saturates; NaN for the limit of the URDF [N m, N or A].
            unmeasured: names of joints whose effort is not what their drive gives, such as noise
                about zero: their equations do not count.
            tried: whether columns of other terms of friction, and for other constants, are made,
                which `Equations.with_friction` may take.
            combined: see `Equations.combined`; to judge known models, few columns are enough.
        """
        self.layout, self._cutoff, self._tried = layout, cutoff, tried
        self._combined = combined
        self._dynamics = dynamics or RobotDynamics(layout.model)
        frames = [(load.recording, layout.model.frame(load.frame)) for load in layout.loads]
        self._loads = [(name, one.body, to_body(one.placement)) for name, one in frames]
        self._felt = np.flatnonzero(layout.felt)
        self._bands = dead_bands(layout.model)
        # A current has another unit than the limits.
        limits = np.where('gain' in layout.terms, np.inf, layout.model.effort_bounds)
        levels = np.asarray(effort_levels)
        self._levels = np.where(np.isnan(levels), np.outer([-1.0, 1.0], limits), levels)
        self._unmeasured = np.isin(layout.joints, list(unmeasured))

    def of_motions(self, motions: Iterable[Motion], recording: str = '') -> Iterator[Equations]:
        """Filtered and decimated equations of one recording, as they come.

        Args:
            motions: in their order; joints that the model does not have do not matter.
            recording: its name, by which loads refer to it.

        Raises:
            ParameterError: a motion has not all joints of the model.
        """
        segment: _Segment | None = None
        for motion in motions:
            if segment is None or motion.begins:
                parallel = ParallelFilter.of_motion(motion.rate, motion.cutoff, self._cutoff)
                segment = _Segment(parallel, motion)
                slips = Slips(self._variants['displacement'])
            whole = _in_order(motion, self.layout.joints)
            for first in range(0, len(motion), TOGETHER):
                part = whole.part(slice(first, first + TOGETHER))
                made = segment.push(part.efforts, *self._columns(part, recording, slips))
                if made is not None:
                    yield self._equations(parallel, recording, *made)

    def of_samples(self, samples: Motion, recording: str = '') -> Equations:
        """Equations of states and efforts as they are, without a filter."""
        times, size = samples.times, len(samples.times)
        parallel = ParallelFilter(np.ones(1), 1, 1.0, float(np.median(np.diff(times))))
        fine = FineEfforts(
            _finite(samples.efforts),
            np.full(size, next(SEGMENTS)),
            np.arange(0.0, size),
            np.full(size, parallel.interval),
        )
        columns = self._columns(samples, recording, Slips(self._variants['displacement']))
        return self._equations(parallel, recording, times, *columns, fine)

    def rows(self, q: Array, v: Array, a: Array, recording: str = '') -> Array:
        """The rows (N, n, p) of states (N, n) that do not follow each other.

        Args:
            q: positions [rad or m].
            v: velocities [rad/s or m/s].
            a: accelerations [rad/s^2 or m/s^2].
            recording: whose loads the robot carries.
        """
        nothing = np.zeros_like(v)
        states = Motion(self.layout.joints, nothing[:, 0], q, v, a, nothing, np.inf, 1.0)
        return self.of_samples(states, recording).rows

    def _columns(self, samples: Motion, recording: str, slips: Slips) -> tuple[Array, Array]:
        """Columns (N, c) and flags (N, f) of single samples.

        Columns are felt inertial entries, v, efforts, then those of the terms of joints, for each
        value of their constant; flags are those of `REASONS`, (N, n) each.
        """
        q, v, a = samples.positions, samples.velocities, samples.accelerations
        inertial = self._dynamics.regressor(q, v, a)
        loads = [
            inertial[:, :, self.layout.body_columns(body)] @ (float(name == recording) * to_body)
            for name, body, to_body in self._loads
        ]
        inertial = np.concatenate([inertial, *loads], axis=2) if loads else inertial
        if self._combined is None:
            chosen = np.take(inertial.reshape(len(q), -1), self._felt, axis=1)
        else:
            chosen = (inertial @ self._combined).reshape(len(q), -1)
        parts = [chosen, v, _finite(samples.efforts)]
        constants = [self.layout.constant(name) for name in CONSTANTS]
        usual = unit_torques(v, np.zeros_like(v), [np.zeros_like(v)] * SLIPS, constants)
        columns = {'armature': [a], **{term: [one] for term, one in usual.items()}}
        signs = [smooth_sign(v, smoothing) for smoothing in self._variants['smoothing']]
        columns['coulomb'] = [0.5 * (sign + size) for sign, size in signs]
        columns['coulomb_negative'] = [0.5 * (sign - size) for sign, size in signs]
        if 'presliding' in self._terms:
            states, (_, moves) = slips.along(q), smooth_sign(v, AT_REST)
            columns['presliding'] = [z * moves for z in states.swapaxes(0, 1)]
        for term in self._terms:
            own, negative = columns[term], f'{term}_negative'
            if negative in TERMS and negative not in self._terms:
                own = [one + other for one, other in zip(own, columns[negative], strict=True)]
            parts += own
        return np.concatenate(parts, axis=1), self._flags(samples)

    @property
    def _terms(self) -> list[str]:
        """Those whose columns are made."""
        own = [term for term in self.layout.terms if term not in MADE_LATER]
        others = ['gradual', 'stribeck', 'presliding'] if self._tried else []
        return [*own, *(term for term in others if term not in own)]

    @property
    def _variants(self) -> dict[str, Array]:
        """Values (k, n) of the constants of friction; those of the layout first."""
        smoothing, short, long = (
            self.layout.constant(name)
            for name in ('smoothing', 'displacement', 'displacement_long')
        )
        n, tried = len(smoothing), self._tried
        slides = [joint.kind == 'prismatic' for joint in self.layout.model.independent_joints]
        scale = np.where(slides, SLIDING, 1.0)
        others = [np.full(n, value) for value in SMOOTHINGS * tried]
        ways = [scale * value for value in DISPLACEMENTS * tried]
        displacements = np.stack([short, long, *ways])
        return {
            'smoothing': np.stack([smoothing, *others]),
            'displacement': displacements,
            'displacement_long': displacements,
        }

    def _flags(self, samples: Motion) -> Array:
        slow = np.abs(samples.velocities) < self._bands
        with np.errstate(invalid='ignore'):
            shares = samples.efforts / self._levels[:, None]
            saturated = np.any((shares >= BELOW) & (shares <= ABOVE), axis=0)
        missing = ~np.isfinite(samples.efforts) | self._unmeasured
        return np.concatenate([missing, slow, saturated], axis=1, dtype=float)

    def _equations(
        self,
        parallel: ParallelFilter,
        recording: str,
        times: Array,
        columns: Array,
        shares: Array,
        fine: FineEfforts,
    ) -> Equations:
        n, number, combined = len(self.layout.joints), len(times), self._combined
        first = len(self._felt) if combined is None else n * combined.shape[1]
        of_joints = columns[:, first:].reshape(number, -1, n)
        variants = self._variants
        widths = [len(variants[VARIED[term]]) if term in VARIED else 1 for term in self._terms]
        of_terms = np.split(of_joints, np.cumsum([2, *widths])[:-1], axis=1)[1:]
        made = dict(zip(self._terms, of_terms, strict=True))
        return Equations(
            layout=self.layout,
            recordings=(recording,),
            number=np.zeros(number, int),
            times=times,
            inertial=columns[:, :first],
            velocities=of_joints[:, 0],
            columns=made,
            variants=variants,
            load=np.zeros((number, n)),
            efforts=of_joints[:, 1],
            flags=np.moveaxis(shares.reshape(number, len(REASONS), n), 1, 2) > LARGEST_SHARES,
            independence=np.full(number, parallel.independence),
            interval=np.full(number, parallel.interval),
            fine=fine,
            combined=combined,
        )


class _Segment:
    """The filters of one segment of a recording, for the equations and for their efforts."""

    def __init__(self, parallel: ParallelFilter, first: Motion) -> None:
        kernel, self._step = parallel.kernel, max(1, parallel.step // FINER)
        weights = np.abs(kernel) / np.abs(kernel).sum()
        self._columns = Decimation(kernel, parallel.step, first.number)
        # By weight: what share of an equation is of samples with a flag.
        self._shares = Decimation(weights, parallel.step, first.number)
        self._efforts = Decimation(kernel, self._step, first.number)
        self._interval = parallel.interval * self._step / parallel.step
        self._origin, self._rate = float(first.times[0]), first.rate
        self._number, self._segment = first.number, next(SEGMENTS)
        self._waiting: list[tuple[Array, Numbers]] = []

    def push(
        self, efforts: Array, columns: Array, flags: Array
    ) -> tuple[Array, Array, Array, FineEfforts] | None:
        """Times, columns, shares and efforts of the equations that some more samples complete."""
        (values, numbers), (shares, _) = self._columns.push(columns), self._shares.push(flags)
        self._waiting.append(self._efforts.push(_finite(efforts)))
        if not len(numbers):
            return None
        fine, places = (np.concatenate(part) for part in zip(*self._waiting, strict=True))
        self._waiting = []
        own = FineEfforts(
            fine,
            np.full(len(fine), self._segment),
            (numbers - places[0]) / self._step,
            np.full(len(numbers), self._interval),
        )
        return self._origin + (numbers - self._number) / self._rate, values, shares, own


def _finite(efforts: Array) -> Array:
    return np.where(np.isfinite(efforts), efforts, 0.0)


def _in_order(motion: Motion, joints: tuple[str, ...]) -> Motion:
    """The same motion with these joints alone, in this order."""
    missing = [name for name in joints if name not in motion.joints]
    if missing:
        raise ParameterError(
            f'the motion has no joint {missing[0]!r}, it has {", ".join(motion.joints)}: lock '
            'joints that were not recorded, with RobotModel.reduced'
        )
    return motion.of(joints)
