"""What lies between a model and a recording: hypotheses, each a regression, and the best of them.

A hypothesis says which columns are free beside friction, rotor and offset of each joint:

    e_{p(j)}(t + d) / s_j = G_j (g + dg) + m_j + Y_b,j pi + sum over links Y_l,j pi_l x_l
                            + a_j r_j + friction_j + o_j

with the efforts e of joint p(j), scales s, gravity G and motion m of the model, a payload pi on
body b, and link l heavier by the share x. It is taken where the logarithms of the errors shrink by
more than its numbers cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.regression.intervals import Covariances, covariances

from .observations import DELAYS, LOWER, ROTOR, Observations
from .recorded_joints import Flags

# Sums of logarithms of mean squares of errors: that of one joint falls by 1.4 where its RMS is
# halved. What a hypothesis must be worth, and each number that it takes from the data.
WORTH, NUMBER = 1.0, 0.5
# Deviations below this share of the effort are not worth a hypothesis: models have them.
NEGLIGIBLE = 0.01
# Scales nearer to 1, and shares of a mass nearer to 0, are an inaccurate model.
LEAST_SCALE, LEAST_SHARE = 0.05, 0.1
# A base that is turned less is an inaccurate mount [rad]. Gravity is as strong everywhere: beyond
# this factor, which a payload may seem to give it, it stands for something else.
LEAST_TURN, STRONGER = 0.02, 2.0
# The RMS of the torque of a rotor, of that of the effort [-].
LEAST_ROTOR = 0.02
# Smallest delay and mass that are reported [s, kg]; of the mass of a body: what may be missing.
LEAST_DELAY, LEAST_MASS, MISSING = 1e-3, 0.05, 1.1
# A centre of mass farther from the link is not that of a tool [m].
FARTHEST = 1.0
# A mass or a rotor is certain if it is more than this multiple of half its 95 % interval.
CERTAIN = 2.0
# Rounds in which the weights of joints are adapted to their errors; most hypotheses in a row.
ROUNDS, MAX_STEPS = 5, 8
# Of a diagonal: what keeps columns apart that the motion does not.
RIDGE = 1e-9
# A hypothesis is good for a joint if it leaves at most this share of the RMS of its effort, and
# explains a recording if it leaves at most half.
GOOD, HALF = 0.15, 0.5
# From so many joints on, the worst of them does not refute it: its sensor may be broken.
MANY = 4


@dataclass(frozen=True)
class Hypothesis:
    """What differs from the model.

    Attributes:
        order: (n,) joint whose effort is that of joint j.
        signs: (n,) of the efforts.
        scaled: joints whose efforts have a scale.
        gravity: whether efforts contain that of the model, another one, or none.
        carrier: body that carries a payload.
        links: bodies whose mass is another.
        delay: of the efforts [s].
    """

    order: tuple[int, ...]
    signs: tuple[float, ...]
    scaled: frozenset[int] = frozenset()
    gravity: Literal['given', 'free', 'none'] = 'given'
    carrier: int | None = None
    links: tuple[int, ...] = ()
    delay: float = 0.0

    @classmethod
    def nothing(cls, size: int) -> Hypothesis:
        """The efforts of n joints are those of the model."""
        return cls(tuple(range(size)), (1.0,) * size)

    @property
    def numbers(self) -> int:
        """How many numbers it takes from the data."""
        moved = sum(joint != other for joint, other in enumerate(self.order))
        return (
            max(0, moved - 1)
            + sum(sign < 0.0 for sign in self.signs)
            + len(self.scaled)
            + {'given': 0, 'none': 1, 'free': 3}[self.gravity]
            # Mass and centre: the inertia has bounds that they give.
            + 4 * (self.carrier is not None)
            + len(self.links)
            + (self.delay != 0.0)
        )


class _Form:
    """A hypothesis as a regression: residuals of joint j are X_j (target_j - design_j theta).

    Attributes:
        target: (n, K) combinations of the columns X_j.
        design: (n, K, P) the same, of each coefficient.
        lower: (P,) bounds of coefficients.
        places: of the coefficients, by name.
    """

    def __init__(self, seen: Observations, given: Hypothesis, bodies: Array) -> None:
        columns, n, k = seen.columns, seen.size, len(LOWER)
        joints, order, self.given = np.arange(n), list(given.order), given
        self.scaled = sorted(given.scaled)
        sizes = {
            'gravity': 3 * (given.gravity == 'free'),
            'load': 10 * (given.carrier is not None),
            'shares': len(given.links),
            'inverse': len(self.scaled),
            'own': k * n,
        }
        ends = np.cumsum([*sizes.values()]).tolist()
        self.places: dict[str, Any] = {
            name: np.arange(begin, end)
            for name, begin, end in zip(sizes, [0, *ends], ends, strict=False)
        }
        self.places['own'] = own = self.places['own'].reshape(n, k)
        self.target = target = np.zeros((n, columns.count))
        self.design = design = np.zeros((n, columns.count, ends[-1]))
        target[:, columns.motion] = -1.0
        if given.gravity != 'none':
            target[:, columns.gravity] = -seen.gravity
        target[joints, order] = given.signs
        for place, joint in zip(self.places['inverse'], self.scaled, strict=True):
            design[joint, order[joint], place] = -given.signs[joint]
            target[joint, order[joint]] = 0.0
        design[:, columns.turning[: sizes['gravity']], self.places['gravity']] = 1.0
        if given.carrier is not None:
            design[:, columns.body(given.carrier), self.places['load']] = 1.0
        for place, link in zip(self.places['shares'], given.links, strict=True):
            design[:, columns.body(link), place] = bodies[link]
        design[joints[:, None], columns.own, own] = 1.0
        self.lower = np.full(ends[-1], -np.inf)
        self.lower[own] = LOWER
        self.lower[self.places['inverse']] = 0.0

    @property
    def is_joint(self) -> bool:
        """Whether joints share coefficients, or have scales: the weights of joints matter."""
        return self.design.shape[2] > self.places['own'].size

    def products(self, products: Array) -> tuple[Array, Array, Array]:
        """X^T y (n, P), X^T X (n, P, P) and y^T y (n,) of products (n, K, K) of columns."""
        mixed = self.design.swapaxes(1, 2) @ products
        right = (mixed @ self.target[..., None])[..., 0]
        whole = np.einsum('nk,nkl,nl->n', self.target, products, self.target, optimize=True)
        return right, mixed @ self.design, whole

    def scales(self, theta: Array) -> Array:
        """Scales (n,) of the efforts, with their signs."""
        found = np.array(self.given.signs)
        found[self.scaled] /= np.maximum(theta[self.places['inverse']], np.finfo(float).eps)
        return found


@dataclass(frozen=True, eq=False)
class Solution:
    """The best coefficients of a hypothesis.

    Attributes:
        hypothesis: which it is.
        theta: (P,) coefficients.
        places: of the coefficients, by name.
        scales: (n,) of the efforts, with their signs.
        errors: (n,) sums of squares of the residuals, in the unit of the efforts.
        misfit: of the judged joints, without what numbers cost.
    """

    hypothesis: Hypothesis
    theta: Array
    places: dict[str, Any]
    scales: Array
    errors: Array
    misfit: float

    def __getitem__(self, name: str) -> Array:
        """Coefficients: `gravity` (3,), `load` (10,), `shares` of masses, `own` (n, 4)."""
        return self.theta[self.places[name]]


class Hypotheses:
    """Compares hypotheses about a recording.

    Attributes:
        observations: of the recording.
        floor: (n,) what is added to each error, see `NEGLIGIBLE`.
    """

    def __init__(self, observations: Observations) -> None:
        self.observations = seen = observations
        self.floor = np.maximum(NEGLIGIBLE**2 * seen.squares(), np.finfo(float).tiny)
        self._bodies = seen.torques.model.inertial_parameters().reshape(-1, 10)
        self._solved: dict[Hypothesis, Solution] = {}

    def best(self) -> Solution:
        """The hypothesis whose every part is worth it.

        That which lowers the misfit most is taken, and what it makes superfluous is dropped.
        """
        found = self.solve(Hypothesis.nothing(self.observations.size))
        for _ in range(MAX_STEPS):
            tried = [self.solve(one) for one in self._next(found)]
            others = [self._without_superfluous(one) for one in tried if self._is_meant(one)]
            other = min(others, key=self.cost, default=found)
            if self.cost(other) >= self.cost(found):
                break
            found = other
        return self._certain(found)

    def _certain(self, found: Solution) -> Solution:
        """The same without masses that the recording does not determine."""
        given, place = found.hypothesis, found.places
        masses = [*place['load'][:1], *place['shares']]
        if not masses:
            return found
        halves = self.intervals(found).half_widths(np.eye(len(found.theta))[masses])
        certain = np.abs(found.theta[masses]) > CERTAIN * halves
        if certain.all():
            return found
        carried = given.carrier is not None
        links = tuple(np.array(given.links, int)[certain[carried:]].tolist())
        carrier = given.carrier if carried and certain[0] else None
        return self._certain(self.solve(replace(given, carrier=carrier, links=links)))

    def cost(self, found: Solution) -> float:
        """The misfit, and what the numbers cost."""
        rotors = int(self.rotors(found).sum())
        parts, numbers = len(_parts(found.hypothesis)), found.hypothesis.numbers + rotors
        return found.misfit + WORTH * (parts + bool(rotors)) + NUMBER * numbers

    def rotors(self, found: Solution) -> Flags:
        """Joints (n,) whose rotor is a part of the effort that an accurate model has not."""
        seen = self.observations
        place = seen.columns.own[ROTOR]
        squares = seen.products(found.hypothesis.delay)[:, place, place]
        size = found['own'][:, ROTOR] ** 2 * squares * found.scales**2
        return seen.judged & (size > LEAST_ROTOR**2 * seen.squares()[list(found.hypothesis.order)])

    def is_explained(self, found: Solution) -> bool:
        """Whether little of the efforts is left, over all judged joints together."""
        joints = np.flatnonzero(self.observations.judged)
        whole = self.observations.squares()[list(found.hypothesis.order)][joints]
        left = found.errors[joints]
        if len(joints) >= MANY:
            others = np.argsort(left / np.maximum(whole, np.finfo(float).tiny))[:-1]
            whole, left = whole[others], left[others]
        return bool(left.sum() <= HALF**2 * whole.sum())

    def bad(self, found: Solution) -> list[int]:
        """Loaded joints that a hypothesis does not explain well."""
        whole = self.observations.squares()[list(found.hypothesis.order)]
        return np.flatnonzero(self.observations.loaded & (found.errors > GOOD**2 * whole)).tolist()

    def solve(self, given: Hypothesis) -> Solution:
        """The best coefficients of a hypothesis; weights of joints follow from their errors."""
        if given in self._solved:
            return self._solved[given]
        seen, order = self.observations, list(given.order)
        form = self._form(given)
        right, normal, whole = form.products(seen.products(given.delay))
        floor, errors = self.floor[order], seen.squares()[order]
        used, scales = seen.judged & (errors > 0.0), np.array(given.signs)
        for _ in range(ROUNDS if form.is_joint else 1):
            weights = np.where(used, scales**2 / (errors + floor), 0.0)
            theta = _bounded(np.tensordot(weights, normal, 1), weights @ right, form.lower)
            scales = form.scales(theta)
            left = whole - 2.0 * right @ theta + np.einsum('p,npq,q->n', theta, normal, theta)
            errors = np.maximum(left, 0.0) * scales**2
        misfit = float(np.log((errors + floor)[seen.judged]).sum())
        found = self._solved[given] = Solution(given, theta, form.places, scales, errors, misfit)
        return found

    def intervals(self, found: Solution) -> Covariances:
        """Covariances of the coefficients, where residuals are correlated in time."""
        given, seen = found.hypothesis, self.observations
        form = self._form(given)
        counts = np.maximum(seen.counts - len(LOWER), 1)
        weights = found.scales**2 * counts / (found.errors + self.floor[list(given.order)])
        weights = np.where(seen.judged, weights, 0.0)
        hessians, scores = [], []
        for products in seen.products_of_blocks(given.delay):
            right, normal, _ = form.products(products)
            hessians.append(np.tensordot(weights, normal, 1))
            scores.append(weights @ right - hessians[-1] @ found.theta)
        whole = np.array(hessians)
        # What is at its bound, or not identifiable, has no part in the rest.
        free = (found.theta > form.lower) & (np.einsum('bpp->p', whole) > 0.0)
        whole *= np.outer(free, free)
        return covariances(whole, np.array(scores) * free, np.where(free, 0.0, 1.0))

    def errors_with_friction(self, found: Solution) -> Array:
        """Sums of squares (n,) with the friction of the model in place of the fitted one."""
        seen, theta = self.observations, found.theta.copy()
        theta[found.places['own'][:, 1:3]] = 0.0
        form = self._form(found.hypothesis)
        residual = seen.combined(found.hypothesis.delay, form.target - form.design @ theta)
        residual = np.where(seen.used, residual - seen.friction, 0.0) * np.abs(found.scales)
        return (residual**2).sum(axis=0) - residual.sum(axis=0) ** 2 / np.maximum(seen.counts, 1)

    def _form(self, given: Hypothesis) -> _Form:
        return _Form(self.observations, given, self._bodies)

    def _next(self, found: Solution) -> Iterator[Hypothesis]:
        """Hypotheses with one part more, or with another one of the same kind."""
        given, seen = found.hypothesis, self.observations
        if not seen.loaded.any():
            return
        if given.order == tuple(range(seen.size)):
            yield from self._swapped(found)
        yield from self._signs_and_scales(found)
        if not given.delay:
            yield replace(given, delay=self._delay(found))
        # A joint that was not recorded looks like what follows. With gravity the weight of bodies
        # turns, which these columns do not: see `Observations.under`.
        if seen.torques.dependent or given.gravity == 'free':
            return
        if given.gravity == 'given':
            yield replace(given, gravity='none')
            yield replace(given, gravity='free')
        if given.carrier is None:
            joints = seen.torques.model.joints
            for body in sorted({*range(len(joints))} - {one.parent for one in joints}):
                yield replace(given, carrier=body)
                if given.gravity == 'given':
                    # What the driver does not know that the arm carries stays in the efforts.
                    yield replace(given, carrier=body, gravity='none')
        if not given.links and given.gravity == 'given':
            yield from self._links(found)

    def _swapped(self, found: Solution) -> Iterator[Hypothesis]:
        """The order of efforts in which each joint is explained best, with columns of its own."""
        seen, columns = self.observations, self.observations.columns
        joints = np.flatnonzero(seen.loaded)
        free = np.concatenate([columns.gravity, columns.motion, columns.own])
        products = seen.products(found.hypothesis.delay)
        costs = np.zeros((len(joints), len(joints)))
        for row, joint in enumerate(joints.tolist()):
            inverse = np.linalg.pinv(products[joint][np.ix_(free, free)], rcond=RIDGE)
            mixed = products[joint][np.ix_(joints, free)]
            squares = products[joint][joints, joints]
            left = squares - np.einsum('kp,pq,kq->k', mixed, inverse, mixed)
            costs[row] = np.log(np.maximum(left, 0.0) + self.floor[joints])
        optimize = required('scipy.optimize', 'recordings')
        rows, others = optimize.linear_sum_assignment(costs)
        order = np.arange(seen.size)
        order[joints[rows]] = joints[others]
        if (order != np.arange(seen.size)).any():
            yield replace(found.hypothesis, order=tuple(order.tolist()))

    def _signs_and_scales(self, found: Solution) -> Iterator[Hypothesis]:
        """Other signs, and free scales, of the joints where that is worth it."""
        given, seen = found.hypothesis, self.observations
        floor, loaded = self.floor[list(given.order)], seen.loaded
        free = frozenset(np.flatnonzero(loaded).tolist()) | given.scaled
        others = np.where(loaded, -1.0, 1.0) * given.signs
        tried = [given, replace(given, signs=tuple(others.tolist()))]
        # A wrong position of a joint that was not recorded looks like a scale.
        tried += [replace(one, scaled=free) for one in tried if not seen.torques.dependent]
        costs = np.log([self.solve(one).errors + floor for one in tried])
        costs += NUMBER * np.array([[0.0], [1.0], [1.0], [2.0]])[: len(tried)]
        for some in costs[:2], costs:
            best = np.where(loaded, np.argmin(some, axis=0), 0)
            signs = np.where(best % 2, others, given.signs)
            scaled = frozenset(np.flatnonzero(best > 1).tolist()) | given.scaled
            yield replace(given, signs=tuple(signs.tolist()), scaled=scaled)

    def _delay(self, found: Solution) -> float:
        """The delay with the smallest misfit [s], by a parabola about the best of a grid."""

        def misfit(delay: float) -> float:
            return self.solve(replace(found.hypothesis, delay=delay)).misfit

        step = float(DELAYS[1] - DELAYS[0])
        best = int(np.argmin([misfit(delay) for delay in DELAYS.tolist()]))
        near = DELAYS[np.clip(best, 1, len(DELAYS) - 2)]
        for width in (step, 0.2 * step):
            before, middle, after = (misfit(float(near + width * side)) for side in (-1, 0, 1))
            bend = before - 2.0 * middle + after
            moved = 0.5 * width * (before - after) / bend if bend > 0.0 else 0.0
            near = float(np.clip(near + np.clip(moved, -width, width), DELAYS[0], DELAYS[-1]))
        return round(near, 6)

    def _links(self, found: Solution) -> Iterator[Hypothesis]:
        """Links whose masses are others: those without which the misfit grows most."""
        bodies = np.flatnonzero(self._bodies[:, 0] > 0.0).tolist()
        other = self.solve(replace(found.hypothesis, links=tuple(bodies)))
        while links := other.hypothesis.links:
            yield other.hypothesis
            fewer = [tuple(one for one in links if one != x) for x in links]
            others = [self.solve(replace(found.hypothesis, links=one)) for one in fewer]
            other = min(others, key=lambda one: one.misfit)

    def gravity(self, found: Solution) -> Array:
        """That of a solution (3,), as strong as the given one [m/s^2]."""
        given = self.observations.gravity
        other = given + found['gravity'] if found.hypothesis.gravity == 'free' else given
        return np.asarray(other * np.linalg.norm(given) / np.linalg.norm(other))

    def lacking(self, found: Solution) -> Array:
        """Inertial parameters (10 bodies,) that the model lacks."""
        bodies, given = np.zeros_like(self._bodies), found.hypothesis
        if given.carrier is not None:
            bodies[given.carrier] = found['load']
        for link, share in zip(given.links, found['shares'], strict=True):
            bodies[link] += share * self._bodies[link]
        return bodies.ravel()

    def _is_meant(self, found: Solution) -> bool:
        """Whether its numbers are none that an accurate model has, nor absurd."""
        given, scales, shares = found.hypothesis, np.abs(found.scales), found['shares']
        scales = scales[sorted(given.scaled)]
        meant = np.isfinite(scales).all() and (np.abs(scales - 1.0) > LEAST_SCALE).all()
        meant &= not given.delay or abs(given.delay) >= LEAST_DELAY
        meant &= (np.abs(shares) > LEAST_SHARE).all() and (shares > -1.0).all()
        if given.gravity == 'free':
            before = self.observations.gravity
            after = before + found['gravity']
            strength = np.linalg.norm(after) / (np.linalg.norm(before) or 1.0)
            meant &= angle(before, after) >= LEAST_TURN and 1.0 / STRONGER < strength < STRONGER
        if given.carrier is not None:
            mass, centre = found['load'][0], found['load'][1:4]
            own, whole = self._bodies[given.carrier, 0], self._bodies[:, 0].sum()
            meant &= -MISSING * own <= mass <= whole and abs(mass) >= LEAST_MASS
            meant &= np.linalg.norm(centre) <= FARTHEST * abs(mass)
        return bool(meant)

    def _without_superfluous(self, found: Solution) -> Solution:
        """The same without the parts that are not worth their numbers."""
        smaller = [self.solve(one) for one in _parts(found.hypothesis).values()]
        best = min(filter(self._is_meant, smaller), key=self.cost, default=found)
        return self._without_superfluous(best) if self.cost(best) < self.cost(found) else found


def angle(one: Array, other: Array) -> float:
    """Between two vectors [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))


def _parts(given: Hypothesis) -> dict[str, Hypothesis]:
    """The parts of a hypothesis, each with the hypothesis without it."""
    nothing = Hypothesis.nothing(len(given.order))
    names = ('order', 'signs', 'scaled', 'gravity', 'carrier', 'links', 'delay')
    others = {name: replace(given, **{name: getattr(nothing, name)}) for name in names}
    return {name: one for name, one in others.items() if one != given}


def _bounded(normal: Array, right: Array, lower: Array) -> Array:
    """The minimum (P,) of x^T A x / 2 - b^T x above lower bounds.

    Bounds that a solution violates are active from then on: coefficients of friction and rotors
    hardly depend on each other.
    """
    units = 1.0 / np.sqrt(np.maximum(np.diag(normal), np.finfo(float).tiny))
    scaled = normal * np.outer(units, units) + RIDGE * np.eye(len(right))
    free = np.ones(len(right), bool)
    while True:
        found = np.zeros(len(right))
        found[free] = np.linalg.solve(scaled[np.ix_(free, free)], (right * units)[free])
        wrong = free & (found < lower)
        if not wrong.any():
            return found * units
        free &= ~wrong
