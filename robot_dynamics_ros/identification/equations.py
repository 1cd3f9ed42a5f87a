"""The equations of recordings, in memory: filtered, decimated, linear in the parameters.

    rows @ parameters = torques

for N times and each of n joints. One pass over the files makes them; what an estimate tries later
(weights, delays of the efforts, smoothings of the friction, joints that count as still) takes
columns that are there. Each pass over them is a product of matrices: an orthonormal basis of the
columns of each joint is computed once, and weighted sums of its products keep every least-squares
problem, down to residuals of 1e-8 of the torque.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.checks import Array

from .parameters import Flags, JointTerm, ParameterLayout

Numbers = npt.NDArray[np.int_]

# Why an equation does not count: an effort was not measured, its joint was slow, or an effort was
# saturated. The first one that holds is said.
REASONS = ('missing', 'slow', 'saturated')
MISSING, SLOW, SATURATED = range(len(REASONS))
# Of an orthonormal basis: what rounding leaves of a direction that no equation has.
ROUNDING = 1e-15
# Of the time between two equations: larger gaps end a run of consecutive equations.
GAP = 1.5


@dataclass(frozen=True)
class ReducedEquations:
    """For each joint j the triangle R of [Y_j | tau_j].

    R^T R = [Y_j | tau_j]^T [Y_j | tau_j]: |Y_j x - tau_j| is |R [x; -1]| for every x.

    Attributes:
        layout: of the columns.
        triangles: (n, p + 1, p + 1) upper triangular; zero in the columns of known parameters.
        counts: (n,) equations that were used.
        independent: (n,) of these, how many white noise of the samples leaves independent.
        weights: (n,) sum of their weights; `counts` without weights.
        left_out: (n, reasons) equations that were left out for each of `REASONS`.
    """

    layout: ParameterLayout
    triangles: Array
    counts: Array
    independent: Array
    weights: Array
    left_out: Array

    @property
    def numbers(self) -> Mapping[str, Mapping[str, int]]:
        """By the names of the joints: how many equations were used, how many were not, and why."""
        return {
            name: {'used': int(used), **dict(zip(REASONS, map(int, others), strict=True))}
            for name, used, others in zip(
                self.layout.joints, self.counts, self.left_out, strict=True
            )
        }

    @property
    def independence(self) -> Array:
        """Share (n,) of the equations that are independent: of dependent ones, fewer count."""
        return self.independent / np.maximum(self.counts, 1.0)

    def rms(self, parameters: Array) -> Array:
        """Root mean square (n,) of the torques of these parameters [N m or N].

        Known parameters and gains do not count: they are part of the measured torque.

        Args:
            parameters: (p,) full ones.
        """
        own = np.where(self.layout.is_known, 0.0, parameters)
        own[self.layout.columns('gain')] = 0.0
        sums = np.linalg.norm(self.triangles[:, :, :-1] @ own, axis=1)
        return sums / np.sqrt(np.maximum(self.weights, np.finfo(float).tiny))

    @property
    def usual_torques(self) -> Array:
        """Root mean square (n,) of what parameters explain, or the URDF predicts [N m or N]."""
        # Without the last entry, which no parameters explain.
        explained = np.linalg.norm(self.triangles[:, :-1, -1], axis=1)
        explained /= np.sqrt(np.maximum(self.weights, np.finfo(float).tiny))
        return np.maximum(explained, self.rms(self.layout.nominal()))


@dataclass(frozen=True)
class WindowSums:
    """Sums over W windows of time, of all joints.

    Attributes:
        total: the equations of all windows.
        grams: of each joint (W, k, k), weighted products of an orthonormal basis.
        roots: of each joint (k, p + 1), [Y | tau] in this basis.
        counts: (W, n) equations that were used.
    """

    total: ReducedEquations
    grams: tuple[Array, ...]
    roots: tuple[Array, ...]
    counts: Array

    def __len__(self) -> int:
        return len(self.counts)

    def products(self, joint: int, columns: Array) -> Array:
        """Products (W, c, c) of combinations of the columns of [Y | tau] of a joint.

        Args:
            joint: its number.
            columns: (p + 1, c) the combinations.
        """
        chosen = self.roots[joint] @ columns
        return chosen.T @ self.grams[joint] @ chosen


def triangle(rows: Array) -> Array:
    """The triangle (c, c) of rows (m, c), with a diagonal that is not negative.

    Columns that are zero take no time: no joint feels the bodies before it.
    """
    columns = rows.shape[1]
    filled = np.flatnonzero(rows.any(axis=0))
    upper = np.zeros((columns, columns))
    if not filled.size:
        return upper
    factor = np.linalg.qr(rows[:, filled], mode='r')
    signs = np.where(np.diag(factor) < 0.0, -1.0, 1.0)
    # The row of a column keeps its place: so the triangle stays one.
    upper[np.ix_(filled[: len(factor)], filled)] = signs[:, None] * factor
    return upper


def _triangle(gram: Array, root: Array, layout: ParameterLayout) -> Array:
    """That (p + 1, p + 1) of products, with known parameters on the right-hand side.

    Args:
        gram: (k, k) positive semidefinite, of an orthonormal basis.
        root: (k, p + 1) [Y | tau] in this basis.
        layout: of the columns.
    """
    values, vectors = np.linalg.eigh(gram)
    least = ROUNDING * values.max(initial=1.0)
    rows = np.sqrt(np.where(values > least, values, 0.0))[:, None] * vectors.T @ root
    known = layout.is_known
    rows[:, -1] -= rows[:, :-1][:, known] @ layout.nominal()[known]
    rows[:, :-1][:, known] = 0.0
    return triangle(rows)


@dataclass(frozen=True, eq=False)
class FineEfforts:
    """Filtered efforts of M times at smaller intervals than the equations, to shift them.

    Attributes:
        values: (M, n) [N m, N or A].
        segment: (M,) number of the segment without a gap.
        place: (N,) of each equation among them, in fractions.
        interval: (N,) between two of them [s].
    """

    values: Array
    segment: Numbers
    place: Array
    interval: Array

    def at(self, delay: float) -> tuple[Array, Flags]:
        """Efforts (N, n) that are later by a delay [s], and where there are any (N,)."""
        place, last = self.place + delay / self.interval, len(self.values) - 1
        first = np.floor(place).astype(int)
        low, high = np.clip(first, 0, last), np.clip(first + 1, 0, last)
        own = self.segment[np.clip(np.rint(self.place).astype(int), 0, last)]
        inside = (place >= 0.0) & (place <= last)
        known = inside & (self.segment[low] == own) & (self.segment[high] == own)
        share = (place - first)[:, None]
        return (1.0 - share) * self.values[low] + share * self.values[high], known


@dataclass(frozen=True)
class Period:
    """A part of a recording.

    Attributes:
        recording: its name.
        begin: [s].
        end: [s].
    """

    recording: str
    begin: float
    end: float


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations of N times, those of a recording in the order of time; made by `of_motions`.

    Attributes:
        layout: of the parameters.
        recordings: names.
        number: (N,) of the recording of each equation, in `recordings`.
        times: (N,) since the start of the recording [s].
        inertial: (N, f) columns of bodies and loads that a joint feels, see `felt`.
        velocities: (N, n) filtered [rad/s or m/s].
        columns: of those terms of joints that depend on the motion: (N, k, n) filtered, for each
            of the values that `VARIED` says of, else for one.
        variants: (k, n) values of the constants of friction that `columns` were made with.
        load: (N, n) magnitudes of the torques that the joints transmit, see `with_load`.
        efforts: (N, n) filtered [N m, N or A].
        fine: the same at smaller intervals.
        flags: (N, n, reasons) whether each of `REASONS` holds.
        independence: (N,) share of the equations that white noise of the samples leaves
            independent.
        interval: (N,) usual time between two equations [s].
        slow_count: whether slow joints count too.
        still: joints that do not count: they are held, with whatever jitter.
        combined: (10 b, k) parameters of bodies and loads, where the inertial columns (N, n k) are
            the torques of these alone; None: they are those that are felt.
    """

    layout: ParameterLayout
    recordings: tuple[str, ...]
    number: Numbers
    times: Array
    inertial: Array
    velocities: Array
    columns: Mapping[str, Array]
    variants: Mapping[str, Array]
    load: Array
    efforts: Array
    flags: Flags
    independence: Array
    interval: Array
    fine: FineEfforts
    slow_count: bool = False
    still: tuple[str, ...] = ()
    combined: Array | None = None
    _cache: dict[int, tuple[Array, Array]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.times)

    @classmethod
    def joined(cls, parts: Iterable[Equations], most_kept: float = np.inf) -> Equations:
        """All equations of parts, such as those of `MotionEquations.of_motions`.

        Args:
            parts: of one layout.
            most_kept: bytes of equations, beyond which one of two is dropped, again and again.

        Raises:
            ParameterError: there is no equation.
        """
        kept: list[Equations] = []
        size, step = 0, 1
        for part in parts:
            kept.append(part.thinned(step))
            size += kept[-1].size
            if size > most_kept:
                step *= 2
                kept = [_concatenated(kept).thinned(2)]
                size = kept[0].size
        if not kept:
            raise ParameterError('there are no equations: no motion was long enough')
        return kept[0] if len(kept) == 1 else _concatenated(kept)

    def thinned(self, step: int) -> Equations:
        """One of so many equations, which depend less on each other."""
        if step == 1:
            return self
        one = self.chosen(slice(None, None, step))
        share = np.minimum(1.0, step * one.independence)
        return replace(one, interval=step * one.interval, independence=share)

    @cached_property
    def left_out(self) -> Flags:
        """(N, n, reasons) whether an equation is left out, for the first reason that holds."""
        flags = self.flags.copy()
        if self.slow_count:
            flags[:, :, SLOW] = False
        flags[:, :, SLOW] |= np.isin(self.layout.joints, self.still)
        return flags & (np.cumsum(flags, axis=2) == 1)

    @cached_property
    def used(self) -> Flags:
        """(N, n) whether an equation counts."""
        return np.logical_not(np.any(self.left_out, axis=2))

    @property
    def torques(self) -> Array:
        """(N, n) right-hand sides, without what known parameters contribute [N m or N]."""
        known = np.where(self.layout.is_known, self.layout.nominal(), 0.0)
        return self._right - self._products(known)

    @property
    def rows(self) -> Array:
        """(N, n, p), zero in the columns of known parameters: for some equations at a time."""
        rows = np.zeros((len(self), len(self.layout.joints), self.layout.size))
        for joint in range(len(self.layout.joints)):
            for columns, values in self._columns(joint):
                rows[:, joint, columns] = values
        rows[:, :, self.layout.is_known] = 0.0
        return rows

    def measured(self, parameters: Array) -> Array:
        """(N, n) measured torques, with the gains of full parameters (p,) [N m or N]."""
        if 'gain' not in self.layout.terms:
            return self.efforts
        return self.efforts * parameters[self.layout.columns('gain')]

    def predicted(self, parameters: Array) -> Array:
        """(N, n) torques of full parameters (p,) [N m or N]."""
        own = parameters.copy()
        own[self.layout.columns('gain')] = 0.0
        return self._products(own)

    def residuals(self, parameters: Array) -> Array:
        """(N, n) measured torques minus those of full parameters (p,) [N m or N]."""
        known = self.layout.is_known
        return self._right - self._products(np.where(known, self.layout.nominal(), parameters))

    def chosen(self, rows: Flags | Numbers | slice) -> Equations:
        """Some of the equations."""
        arrays: dict[str, Any] = {name: getattr(self, name)[rows] for name in OF_TIMES}
        arrays['columns'] = {term: one[rows] for term, one in self.columns.items()}
        fine = replace(self.fine, place=self.fine.place[rows], interval=self.fine.interval[rows])
        return replace(self, **arrays, fine=fine, _cache={})

    def of(self, recording: str) -> Flags:
        """(N,) which are of a recording."""
        return np.array([name == recording for name in self.recordings])[self.number]

    def shifted(self, delay: float) -> Equations:
        """The same states with the efforts that were measured `delay` later [s].

        Equations whose effort would be outside a segment do not count.
        """
        if delay == 0.0:
            return self
        efforts, known = self.fine.at(delay)
        flags = self.flags.copy()
        last = len(self) - 1
        steps = delay / self.interval
        for step in (np.floor(steps), np.ceil(steps)):
            other = np.clip(np.arange(len(self)) + step.astype(int), 0, last)
            flags[:, :, [MISSING, SATURATED]] |= self.flags[other][:, :, [MISSING, SATURATED]]
        flags[~known, :, MISSING] = True
        fine = replace(self.fine, place=self.fine.place + delay / self.fine.interval)
        efforts = np.where(known[:, None], efforts, 0.0)
        return replace(self, efforts=efforts, flags=flags, fine=fine)

    def with_friction(
        self, terms: tuple[JointTerm, ...], constants: Mapping[str, tuple[float, ...]]
    ) -> Equations:
        """The same with other terms of joints, and constants of their friction (n,).

        The constants are those of some of the `variants`.
        """
        layout = replace(self.layout, terms=terms, constants=dict(constants), known={})
        return replace(self, layout=layout, _cache={})

    def with_load(self, bodies: Array) -> Equations:
        """The same with the load of bodies, and loads, with these parameters (10 b,)."""
        parameters = np.zeros(self.layout.size)
        parameters[: len(bodies)] = bodies
        return replace(self, load=np.abs(self._products(parameters)), _cache={})

    def with_known(self, known: dict[str, float]) -> Equations:
        """The same with these known parameters alone, by their names."""
        return replace(self, layout=replace(self.layout, known=known))

    def reduced(self, weights: Array | None = None) -> ReducedEquations:
        """The equations reduced to a triangle for each joint.

        Args:
            weights: (N, n) of the equations, at least 0; None for equal ones.
        """
        return self.windows(np.zeros(len(self), int), weights).total

    def windows(self, window: Numbers, weights: Array | None = None) -> WindowSums:
        """Sums of products over windows of time.

        Args:
            window: (N,) number of the window of each equation, ascending from 0.
            weights: (N, n) of the equations, at least 0; None for equal ones.
        """
        weight = self.used if weights is None else np.where(self.used, weights, 0.0)
        edges = np.searchsorted(window, np.arange(int(window.max(initial=-1)) + 2))
        parts = [slice(*pair) for pair in pairwise(edges)]
        grams, roots = [], []
        for joint in range(len(self.layout.joints)):
            basis, root = self._basis(joint)
            weighted = weight[:, joint, None] * basis
            grams.append(np.array([basis[part].T @ weighted[part] for part in parts]))
            roots.append(root)
        counts = np.array([self.used[part].sum(axis=0) for part in parts], dtype=float)
        triangles = [
            _triangle(gram.sum(axis=0), root, self.layout)
            for gram, root in zip(grams, roots, strict=True)
        ]
        total = ReducedEquations(
            self.layout,
            np.stack(triangles),
            counts.sum(axis=0),
            self.independence @ self.used,
            weight.sum(axis=0, dtype=float),
            self.left_out.sum(axis=0, dtype=float),
        )
        return WindowSums(total, tuple(grams), tuple(roots), counts)

    def inside(self, periods: Iterable[Period]) -> Flags:
        """(N,) whether an equation lies in one of some periods."""
        inside = np.zeros(len(self), bool)
        for period in periods:
            later = self.of(period.recording) & (self.times >= period.begin)
            inside |= later & (self.times <= period.end)
        return inside

    def outside(self, periods: Iterable[Period]) -> Array:
        """Weights (N, n): 0 in some periods, 1 elsewhere."""
        return np.where(self.inside(periods), 0.0, 1.0)[:, None] * np.ones(len(self.layout.joints))

    @cached_property
    def runs(self) -> list[slice]:
        """Equations that follow each other without a gap."""
        step = np.diff(self.times)
        cut = (np.diff(self.number) != 0) | (step <= 0.0) | (step > GAP * self.interval[1:])
        edges = [0, *(np.flatnonzero(cut) + 1).tolist(), len(self)]
        return [slice(*pair) for pair in pairwise(edges)]

    def consecutive(self, size: int) -> Numbers:
        """(N,) windows of about so many equations that follow each other in a recording."""
        window, numbers = np.empty(len(self), int), count()
        for number in range(len(self.recordings)):
            rows = np.flatnonzero(self.number == number)
            for part in np.array_split(rows, max(1, len(rows) // size)):
                window[part] = next(numbers)
        return window

    @property
    def size(self) -> int:
        """Bytes, with those of the basis."""
        arrays = [getattr(self, name) for name in (*OF_TIMES, 'inertial')]
        return sum(one.nbytes for one in (*arrays, *self.columns.values()))

    @property
    def _right(self) -> Array:
        return np.zeros(self.efforts.shape) if 'gain' in self.layout.terms else self.efforts

    def _products(self, parameters: Array) -> Array:
        """(N, n) what parameters (p,) contribute."""
        products = np.zeros(self.efforts.shape)
        for joint in range(len(self.layout.joints)):
            for columns, values in self._columns(joint):
                products[:, joint] += values @ parameters[columns]
        return products

    def _columns(self, joint: int) -> Iterator[tuple[Numbers, Array]]:
        """Numbers and values of the columns of one joint.

        First the inertial ones, then those of terms that are the same for every constant, load and
        delay, then the others.
        """
        layout = self.layout
        yield self.bodies_of(joint)
        values: dict[str, Array] = {
            term: self._of_term(term, joint)
            for term in layout.terms
            if MADE_AS.get(term, term) in self.columns
        }
        values |= {'offset': np.ones(len(self)), 'gain': -self.efforts[:, joint]}
        signs = [values[term] for term in ('coulomb', 'coulomb_negative') if term in values]
        values['load'] = self.load[:, joint] * np.sum(signs, axis=0)
        for chosen in (False, True):
            terms = [one for one in layout.terms if (one in LATER) == chosen]
            numbers = np.array([layout.columns(term)[joint] for term in terms], int)
            both = np.array([values[term] for term in terms])
            yield numbers, both.T.reshape(len(self), len(terms))

    def bodies_of(self, joint: int) -> tuple[Numbers, Array]:
        """Numbers (c,) and values (N, c) of the inertial columns that a joint feels."""
        if self.combined is not None:
            size, count = self.combined.shape
            torques = self.inertial[:, count * joint : count * joint + count]
            return np.arange(size), torques @ np.linalg.pinv(self.combined)
        begin = int(np.count_nonzero(self.layout.felt[:joint]))
        own = np.flatnonzero(self.layout.felt[joint])
        return own, self.inertial[:, begin : begin + len(own)]

    def _of_term(self, term: str, joint: int) -> Array:
        """The column of a term of a joint (N,)."""
        own = self.columns[MADE_AS.get(term, term)]
        if term not in VARIED:
            return own[:, 0, joint]
        value = self.layout.constant(VARIED[term])[joint]
        index = np.flatnonzero(self.variants[VARIED[term]][:, joint] == value)
        return own[:, int(index[0]), joint]

    def mixed_products(self, values: Array) -> Array:
        """(n, p, k) products of the columns of each joint with values (N, n, k)."""
        products = np.zeros((len(self.layout.joints), self.layout.size, values.shape[2]))
        for joint, result in enumerate(products):
            for columns, own in self._columns(joint):
                result[columns] = own.T @ values[:, joint]
        return products

    def _basis(self, joint: int) -> tuple[Array, Array]:
        """Orthonormal (N, k), and (k, p + 1): their product is [Y | tau] of a joint."""
        groups = list(self._columns(joint))
        fixed = np.concatenate([columns for columns, _ in groups[:2]])
        if joint not in self._cache:
            self._cache[joint] = np.linalg.qr(
                np.concatenate([values for _, values in groups[:2]], axis=1)
            )
        basis, root = self._cache[joint]
        columns, values = groups[2]
        columns = np.append(columns, self.layout.size)
        values = np.column_stack([values, self._right[:, joint]])
        inside = basis.T @ values
        rest = values - basis @ inside
        lengths = np.linalg.norm(rest, axis=0)
        size = basis.shape[1]
        whole = np.zeros((size + len(columns), self.layout.size + 1))
        whole[:size, fixed], whole[:size, columns] = root, inside
        whole[size + np.arange(len(columns)), columns] = lengths
        return np.hstack([basis, rest / np.where(lengths > 0.0, lengths, 1.0)]), whole


# Terms with columns for several values of a constant.
VARIED = {
    'coulomb': 'smoothing',
    'coulomb_negative': 'smoothing',
    'presliding': 'displacement',
    'presliding_long': 'displacement_long',
}
# A term whose columns are those of another one.
MADE_AS = {'presliding_long': 'presliding'}
LATER = (*VARIED, 'load', 'gain')
OF_TIMES = (
    'number', 'times', 'inertial', 'velocities', 'load', 'efforts', 'flags', 'independence',
    'interval',
)  # fmt: skip


def _concatenated(parts: Sequence[Equations]) -> Equations:
    names = tuple(dict.fromkeys(name for part in parts for name in part.recordings))
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in OF_TIMES
    }
    numbers = [[names.index(one) for one in part.recordings] for part in parts]
    arrays['number'] = np.concatenate(
        [np.array(own)[part.number] for own, part in zip(numbers, parts, strict=True)]
    )
    arrays['columns'] = {
        term: np.concatenate([part.columns[term] for part in parts]) for term in parts[0].columns
    }
    fine = [part.fine for part in parts]
    begins = np.cumsum([0, *(len(one.values) for one in fine)])
    efforts = FineEfforts(
        np.concatenate([one.values for one in fine]),
        np.concatenate([one.segment for one in fine]),
        np.concatenate([one.place + begin for one, begin in zip(fine, begins, strict=False)]),
        np.concatenate([one.interval for one in fine]),
    )
    return replace(parts[0], recordings=names, **arrays, fine=efforts, _cache={})
