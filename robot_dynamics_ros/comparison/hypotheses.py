"""What lies between a model and a recording: hypotheses, each a regression, and the best of them.

A hypothesis says which columns are free beside friction, rotor and offset of each joint:

    e_{p(j)}(t + d) / s_j = G_j (g + dg) + m_j + Y_b,j pi + sum over links Y_l,j pi_l x_l
                            + a_j r_j + friction_j + o_j

with the efforts e of joint p(j), scales s, gravity G and motion m of the model, a payload pi on
body b, and link l heavier by the share x. It is taken where the logarithms of the errors shrink by
more than its numbers cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, partial
from typing import Literal

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.regression.fit import bounded_minimum
from robot_dynamics_ros.regression.intervals import Covariances, covariances

from .observations import DELAYS, LOWER, At, Observations
from .recorded_joints import Flags

# Sums of logarithms of mean squares of errors: that of one joint falls by 1.4 where its RMS is
# halved. What a part of a hypothesis must be worth, and each number that it takes from the data.
WORTH, NUMBER = 1.0, 0.5
# Scales nearer to 1, and shares of a mass nearer to 0, are an inaccurate model; so is the RMS of
# the torque of a rotor below that share of the effort.
MIN_SCALE, MIN_SHARE, MIN_ROTOR = 0.05, 0.1, 0.02
# A base that is turned less is an inaccurate mount [rad]. Gravity is as strong everywhere: beyond
# this factor, which a payload may seem to give it, it stands for something else.
MIN_TURN, STRONGER = 0.02, 2.0
# Smallest delay and mass that are reported [s, kg]; of the mass of a body: what may be missing; a
# centre of mass farther from the link is not that of a tool [m].
MIN_DELAY, MIN_MASS, MISSING, FARTHEST = 1e-3, 0.05, 1.1, 1.0
# Rounds in which the weights of joints are adapted to their errors, and the relative change of
# these at which they end; most hypotheses in a row.
ROUNDS, SETTLED, MAX_STEPS = 5, 0.01, 8
# Of a diagonal: what keeps columns apart that the motion does not.
RIDGE = 1e-9
# A hypothesis is good for a joint if it leaves at most this share of the RMS of its effort, and
# explains it if it leaves at most half.
GOOD, HALF = 0.15, 0.5


@dataclass(frozen=True)
class Hypothesis:
    """What differs from the model, which has n joints."""

    order: tuple[int, ...]  #: joint whose effort is that of joint j
    scaled: frozenset[int] = frozenset()  #: joints whose efforts have a scale, or another sign
    gravity: Literal['given', 'free', 'none'] = 'given'  #: that the efforts contain
    carrier: int | None = None  #: body that carries a payload
    links: tuple[int, ...] = ()  #: bodies whose mass is another
    delay: float = 0.0  #: of the efforts [s]

    @property
    def numbers(self) -> int:
        """How many numbers it takes from the data; those of a payload: mass and centre."""
        moved = sum(joint != other for joint, other in enumerate(self.order))
        gravity = {'given': 0, 'none': 1, 'free': 3}[self.gravity]
        load = 4 * (self.carrier is not None) + len(self.links)
        return max(0, moved - 1) + len(self.scaled) + gravity + load + bool(self.delay)

    @property
    def parts(self) -> list[str]:
        """What differs."""
        nothing = Hypothesis(tuple(range(len(self.order))))
        names = [one.name for one in fields(self)]
        return [name for name in names if getattr(self, name) != getattr(nothing, name)]

    def smaller(self) -> Iterator[Hypothesis]:
        """The same without one of its parts, or one of its scales or links, for each."""
        nothing = Hypothesis(tuple(range(len(self.order))))
        for name in self.parts:
            yield replace(self, **{name: getattr(nothing, name)})
        for joint in self.scaled:
            yield replace(self, scaled=self.scaled - {joint})
        for link in self.links:
            yield replace(self, links=tuple(one for one in self.links if one != link))


class Solution:
    """The best coefficients of a hypothesis; weights of joints follow from their errors.

    Attributes:
        places: of the coefficients, by name.
        theta: (P,) coefficients.
        scales: (n,) of the efforts.
        squares: (n,) of the efforts, by the order of the hypothesis.
        floor: (n,) squares below which errors are negligible.
        errors: (n,) sums of squares of the residuals, in the unit of the efforts.
        misfit: of the judged joints, without what numbers cost.
    """

    def __init__(self, seen: Observations, given: Hypothesis) -> None:
        """Of a hypothesis about a recording."""
        self.seen, self.hypothesis, order = seen, given, list(given.order)
        self._scaled = sorted(given.scaled)
        shared = {
            'gravity': At.TURNING if given.gravity == 'free' else [],
            'load': [] if given.carrier is None else seen.body_at(given.carrier),
            'shares': [At.LINKS + link for link in given.links],
        }
        self._shared = [column for columns in shared.values() for column in columns]
        sizes = [len(LOWER) * seen.size, *map(len, shared.values()), len(self._scaled)]
        parts = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        self.places = dict(zip(['own', *shared, 'inverse'], parts, strict=True))
        self.places['own'] = self.places['own'].reshape(seen.size, -1)
        self._lower = np.full(sum(sizes), -np.inf)
        self._lower[self.places['own']] = LOWER
        self.squares, self.floor = seen.squares[order], seen.floor[order]
        self.errors, self.scales = self.squares, np.ones(seen.size)
        normal, right, whole = self._equations(seen.products(given.delay))
        for _ in range(ROUNDS if sum(sizes[1:]) else 1):
            weights = self.scales**2 / (self.errors + self.floor) * seen.judged
            total, sums = np.tensordot(weights, normal, 1), weights @ right
            theta, _ = bounded_minimum(total, sums, self._lower)
            inverse = -theta[self.places['inverse']]
            inverse[inverse == 0.0] = np.finfo(float).eps
            self.scales[self._scaled] = 1.0 / inverse
            left = whole - 2.0 * right @ theta + np.einsum('p,npq,q->n', theta, normal, theta)
            before, self.errors = self.errors, np.maximum(left, 0.0) * self.scales**2
            if np.allclose(before + self.floor, self.errors + self.floor, SETTLED, 0.0):
                break
        self.theta = theta
        self.misfit = float(np.log((self.errors + self.floor)[seen.judged]).sum())

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self.theta[self.places[name]])

    def _of_joint(self, joint: int) -> tuple[list[int], list[int], Array]:
        """Columns of a joint, places of their coefficients, and the target (K,).

        Its residual is X (target - coefficients) with its columns X.
        """
        given, own, target = self.hypothesis, self.places['own'], np.zeros(self.seen.width)
        columns = [*range(len(LOWER)), *self._shared]
        places = [*own[joint], *range(own.size, own.size + len(self._shared))]
        effort = given.order[joint] - self.seen.size
        target[At.MOTION], target[effort] = -1.0, float(joint not in given.scaled)
        target[At.GRAVITY] = -self.seen.gravity * (given.gravity != 'none')
        if joint in given.scaled:
            columns.append(effort)
            places.append(self.places['inverse'][self._scaled.index(joint)])
        return columns, places, target

    def _equations(self, products: Array) -> tuple[Array, Array, Array]:
        """X^T X (n, P, P), X^T y (n, P) and y^T y (n,) of products (n, K, K) of columns."""
        n, size = self.seen.size, len(self._lower)
        normal, right, whole = np.zeros((n, size, size)), np.zeros((n, size)), np.zeros(n)
        for joint, own in enumerate(products):
            columns, places, target = self._of_joint(joint)
            normal[joint][np.ix_(places, places)] = own[np.ix_(columns, columns)]
            right[joint, places], whole[joint] = own[columns] @ target, target @ own @ target
        return normal, right, whole

    @property
    def cost(self) -> float:
        """The misfit, and what the numbers cost."""
        rotors, given = int(self.rotors.sum()), self.hypothesis
        parts = len(given.parts) + bool(rotors)
        return self.misfit + WORTH * parts + NUMBER * (given.numbers + rotors)

    @property
    def rotors(self) -> Flags:
        """Joints (n,) whose rotor is a part of the effort that an accurate model has not."""
        squares = self.seen.products(self.hypothesis.delay)[:, At.ROTOR, At.ROTOR]
        size = self['own'][:, At.ROTOR] ** 2 * squares * self.scales**2
        return self.seen.judged & (size > MIN_ROTOR**2 * self.squares)

    @property
    def is_explained(self) -> bool:
        """Whether most of the effort is explained, at half of the judged joints or more."""
        good = (self.errors <= HALF**2 * self.squares)[self.seen.judged]
        return bool(2 * good.sum() >= len(good))

    @property
    def bad(self) -> list[int]:
        """Loaded joints that it does not explain well."""
        large = self.errors > GOOD**2 * self.squares
        return np.flatnonzero(self.seen.loaded & large).tolist()

    @property
    def gravity(self) -> Array:
        """(3,) where it is free, as strong as the given one [m/s^2]."""
        given, other = self.seen.gravity, self.seen.gravity + self['gravity']
        return np.asarray(other * np.linalg.norm(given) / np.linalg.norm(other))

    @property
    def lacking(self) -> Array:
        """Inertial parameters (10 b,) that the model lacks."""
        given, bodies = self.hypothesis, np.zeros_like(self.seen.bodies)
        if given.carrier is not None:
            bodies[given.carrier] = self['load']
        bodies[list(given.links)] += self['shares'][:, None] * self.seen.bodies[list(given.links)]
        return bodies.ravel()

    @property
    def is_meant(self) -> bool:
        """Whether its numbers are none that an accurate model has, nor absurd."""
        given, seen, shares = self.hypothesis, self.seen, self['shares']
        scales = self.scales[self._scaled]
        # A wrong position of a joint that was not recorded looks like a scale.
        far = (np.abs(scales - 1.0) > MIN_SCALE) & (not seen.torques.dependent)
        meant = [*(far | (scales < 0.0)), *(np.abs(shares) > MIN_SHARE), *(shares > -1.0)]
        meant += [not given.delay or abs(given.delay) >= MIN_DELAY]
        if given.gravity == 'free':
            other = seen.gravity + self['gravity']
            strength = np.linalg.norm(other) / (np.linalg.norm(seen.gravity) or 1.0)
            meant += [1.0 / STRONGER < strength < STRONGER, angle(seen.gravity, other) >= MIN_TURN]
        if given.carrier is not None:
            mass, centre = self['load'][0], self['load'][1:4]
            own, whole = seen.bodies[given.carrier, 0], seen.bodies[:, 0].sum()
            meant += [abs(mass) >= MIN_MASS, -MISSING * own <= mass <= whole]
            meant += [np.linalg.norm(centre) <= FARTHEST * abs(mass)]
        return all(meant)

    @cached_property
    def covariances(self) -> Covariances:
        """Of the coefficients, where residuals are correlated in time."""
        seen, hessians, scores = self.seen, [], []
        counts = np.maximum(seen.counts - len(LOWER), 1)
        weights = self.scales**2 * counts / (self.errors + self.floor) * seen.judged
        for products in seen.products_of_blocks(self.hypothesis.delay):
            normal, right, _ = self._equations(products)
            hessians.append(np.tensordot(weights, normal, 1))
            scores.append(weights @ right - hessians[-1] @ self.theta)
        whole = np.array(hessians)
        # What is at its bound, or not identifiable, has no part in the rest.
        free = (self.theta > self._lower) & (np.einsum('bpp->p', whole) > 0.0)
        whole *= np.outer(free, free)
        return covariances(whole, np.array(scores) * free, np.where(free, 0.0, 1.0))

    def half_widths(self, name: str, slopes: Array | None = None) -> Array:
        """Half of the 95 % intervals of coefficients, or of functions with slopes (m, k)."""
        place = self.places[name]
        chosen = np.eye(len(self.theta))[place.ravel()]
        found = self.covariances.half_widths(chosen if slopes is None else slopes @ chosen)
        return found.reshape(place.shape) if slopes is None else found

    @property
    def errors_with_friction(self) -> Array:
        """`errors` with the friction of the model in place of the fitted one."""
        theta, errors = self.theta.copy(), []
        theta[self.places['own'][:, At.RUBBING]] = 0.0
        for joint, own in enumerate(self.seen.products(self.hypothesis.delay)):
            columns, places, left = self._of_joint(joint)
            left[columns] -= theta[places]
            left[At.FRICTION] -= 1.0
            mixed = own @ left
            errors.append(left @ mixed - mixed[At.ONE] ** 2 / max(self.seen.counts[joint], 1))
        return np.array(errors) * self.scales**2


Solve = Callable[[Hypothesis], Solution]


def best_solution(seen: Observations) -> Solution:
    """That of the hypothesis whose every part is worth it.

    That which lowers the cost most is taken, and what it makes superfluous is dropped.
    """
    solve: Solve = cache(partial(Solution, seen))
    found = solve(Hypothesis(tuple(range(seen.size))))
    for _ in range(MAX_STEPS if seen.loaded.any() else 0):
        others = [_pruned(solve, one) for one in map(solve, _next(solve, found))]
        other = min(others, key=lambda one: one.cost)
        if other.cost >= found.cost:
            break
        found = other
    return found


def _pruned(solve: Solve, found: Solution) -> Solution:
    """The same without parts that are not worth their numbers, or not meant."""
    others = map(solve, found.hypothesis.smaller())
    best = min(others, key=lambda one: one.cost, default=found)
    if best is found or (found.is_meant and found.cost <= best.cost):
        return found
    return _pruned(solve, best)


def _next(solve: Solve, found: Solution) -> Iterator[Hypothesis]:
    """Hypotheses with one part more, or with another one of the same kind."""
    given, seen = found.hypothesis, found.seen
    yield replace(given, order=_order(found))
    every = solve(replace(given, scaled=frozenset(np.flatnonzero(seen.loaded).tolist())))
    bare = solve(replace(given, scaled=frozenset()))
    gained = (bare.errors + bare.floor) / (every.errors + every.floor)
    worth = seen.loaded & (gained > np.exp(NUMBER))
    for some in worth, worth & (every.scales < 0.0):
        yield replace(given, scaled=frozenset(np.flatnonzero(some).tolist()))
    if not given.delay:
        yield replace(given, delay=_delay(solve, given))
    # A joint that was not recorded looks like what follows. With gravity the weight of bodies
    # turns, which these columns do not: see `Observations.under`.
    if seen.torques.dependent or given.gravity == 'free':
        return
    if given.gravity == 'given':
        yield replace(given, gravity='none')
        yield replace(given, gravity='free')
    if given.carrier is None:
        joints = seen.model.joints
        for body in sorted({*range(len(joints))} - {one.parent for one in joints}):
            yield replace(given, carrier=body)
            # What the driver does not know that the arm carries stays in the efforts.
            yield replace(given, carrier=body, gravity='none')
    if not given.links and given.gravity == 'given':
        yield replace(given, links=tuple(np.flatnonzero(seen.bodies[:, 0]).tolist()))


def _order(found: Solution) -> tuple[int, ...]:
    """The order of efforts in which each joint is explained best, with columns of its own."""
    seen, joints = found.seen, np.flatnonzero(found.seen.loaded)
    products, efforts = seen.products(found.hypothesis.delay)[joints], joints - seen.size
    free = [*range(len(LOWER)), *At.GRAVITY, At.MOTION]
    inverse = np.linalg.pinv(products[:, free][:, :, free], rcond=RIDGE)
    mixed = products[:, efforts][:, :, free]
    left = products[:, efforts, efforts] - np.einsum('jkp,jpq,jkq->jk', mixed, inverse, mixed)
    costs = np.log(np.maximum(left, 0.0) + seen.floor[joints])
    rows, others = required('scipy.optimize', 'recordings').linear_sum_assignment(costs)
    order = np.arange(seen.size)
    order[joints[rows]] = joints[others]
    return tuple(order.tolist())


def _delay(solve: Solve, given: Hypothesis) -> float:
    """The delay with the smallest misfit [s]: the best of a grid, and near it."""

    def misfit(delay: float) -> float:
        return solve(replace(given, delay=round(delay, 6))).misfit

    step, best = float(DELAYS[1] - DELAYS[0]), min(DELAYS[1:-1].tolist(), key=misfit)
    near = required('scipy.optimize', 'recordings').minimize_scalar(
        misfit, bounds=(best - step, best + step), method='bounded', options={'xatol': 1e-4}
    )
    return round(float(near.x), 6)


def angle(one: Array, other: Array) -> float:
    """Between two vectors [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))
