"""What lies between a model and a recording: hypotheses, each a regression, and the best of them.

A hypothesis is a set of parts. They say which columns are free beside friction, rotor and offset
of each joint:

    e_{p(j)}(t + d) / s_j = G_j (g + dg) + m_j + Y_b,j pi + sum over links Y_l,j pi_l x_l
                            + a_j r_j + friction_j + o_j

with the efforts e of joint p(j), scales s, gravity G and motion m of the model, a payload pi on
body b, and link l heavier by the share x. It is taken where the logarithms of the errors shrink by
more than its numbers cost.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.regression.fit import bounded_minimum
from robot_dynamics_ros.regression.intervals import Covariances, covariances

from .compared import HALF
from .observations import OWN, At, Observations
from .recorded_joints import Flags


class Part(NamedTuple):
    """A part of a hypothesis."""

    kind: str  #: a key of KINDS
    of: Any = None  #: joint or body that it is about, order of joints, or delay [s]


class Kind(NamedTuple):
    """What the parts of a kind cost, and from which deviation on they are meant."""

    numbers: int  #: that each takes from the data
    least: float = 0.0  #: an accurate model deviates by less


Hypothesis = frozenset[Part]
NOTHING: Hypothesis = frozenset()
KINDS = {
    'order': Kind(2),  # joints whose efforts are those of joints 0, 1, ...
    'delay': Kind(1, 1e-3),  # of the efforts [s]
    'scale': Kind(1, 0.05),  # of the effort of a joint, from 1; or another sign
    'no gravity': Kind(1),  # in the efforts
    'gravity': Kind(3, 0.02),  # has another direction [rad]
    'load': Kind(4, 0.05),  # on a body; of its ten parameters, mass and centre count [kg]
    'mass': Kind(1, 0.1),  # of a link is another, by a share of that of the URDF
}
# What a kind of parts must be worth, and each of their numbers: the sum of logarithms of mean
# squares falls by 1.4 where the RMS of one joint is halved.
WORTH, NUMBER = 1.0, 0.5
# A rotor whose torque is a smaller share of the RMS of the effort is that of an accurate model.
MIN_ROTOR = 0.02
# Gravity is as strong everywhere: beyond this factor, which a payload may seem to give it, it
# stands for something else; a tool that is missing is not heavier than its link by more than a
# tenth, and its centre not farther from it [m].
STRONGER, MISSING, FARTHEST = 2.0, 1.1, 1.0
# In which weights of joints are adapted to their errors.
ROUNDS = 5


def of_kind(given: Hypothesis, kind: str) -> list[Part]:
    """The parts of a kind, by their joints or bodies."""
    return sorted(one for one in given if one.kind == kind)


def without(given: Hypothesis, *kinds: str) -> Hypothesis:
    """The same without parts of some kinds."""
    return frozenset(one for one in given if one.kind not in kinds)


def parts(kind: str, joints: Flags) -> Hypothesis:
    """One of each joint or body for which (n,) holds."""
    return frozenset(Part(kind, one) for one in np.flatnonzero(joints).tolist())


class Solution:
    """The best coefficients of a hypothesis; weights of joints follow from their errors."""

    def __init__(self, seen: Observations, given: Hypothesis) -> None:
        """Of a hypothesis about a recording."""
        self.seen, self.given, n = seen, given, seen.size
        alone = {one.kind: one.of for one in given}
        self.order: list[int] = [*alone.get('order', range(n))]
        self.delay: float = alone.get('delay', 0.0)
        columns = {one: self._columns(one) for kind in KINDS for one in of_kind(given, kind)}
        ends = np.cumsum([n * len(OWN), *map(len, columns.values())]).tolist()
        self._places = dict(zip(columns, map(range, ends, ends[1:]), strict=False))
        # The residual of joint j is its columns times target[j] - chosen[j] @ theta.
        self._target, self._chosen = np.zeros((n, seen.width)), np.zeros((n, seen.width, ends[-1]))
        self._target[:, At.MOTION] = -1.0
        self._target[:, At.GRAVITY] = -seen.gravity * (Part('no gravity') not in given)
        for joint in range(n):
            own = np.arange(len(OWN))
            self._chosen[joint, own, joint * len(OWN) + own] = 1.0
            self._target[joint, self._effort(joint)] = Part('scale', joint) not in given
        for part, places in self._places.items():
            joints = part.of if part.kind == 'scale' else slice(None)
            self._chosen[joints, columns[part], places] = 1.0
        self._lower = np.full(ends[-1], -np.inf)
        self._lower[: ends[0]] = np.tile([0.0 if one.sign else -np.inf for one in OWN], n)
        self._solve()

    def _solve(self) -> None:
        seen, products = self.seen, self.seen.products(self.delay)
        #: (n,) sums of squares: of the efforts of the joints, negligible ones, of the residuals
        self.squares, self.floor = seen.squares[self.order], seen.floor[self.order]
        self.errors, self.scales = self.squares, np.ones(seen.size)
        normal, right = self._equations(products)
        for _ in range(ROUNDS):
            weights = self.scales**2 / (self.errors + self.floor) * seen.judged
            total = np.tensordot(weights, normal, 1)
            self.theta, _ = bounded_minimum(total, weights @ right, self._lower)
            for part in of_kind(self.given, 'scale'):
                self.scales[part.of] = -1.0 / (self[part][0] or np.finfo(float).eps)
            self._left = self._target - self._chosen @ self.theta
            left = np.einsum('jk,jkl,jl->j', self._left, products, self._left)
            self.errors = np.maximum(left, 0.0) * self.scales**2
        #: (n, 4) coefficients of `OWN`
        self.own = self.theta[: seen.size * len(OWN)].reshape(seen.size, -1)
        #: of the judged joints, without what numbers cost
        self.residual = float(np.log((self.errors + self.floor)[seen.judged]).sum())

    def _columns(self, part: Part) -> list[int]:
        """Those whose coefficients a part sets free."""
        if part.kind == 'scale':
            return [self._effort(part.of)]
        if part.kind == 'gravity':
            return At.CARRYING
        if part.kind == 'mass':
            return [At.LINKS + part.of]
        first = At.LINKS + len(self.seen.bodies)
        return [first + 10 * part.of + one for one in range(10)] if part.kind == 'load' else []

    def _effort(self, joint: int) -> int:
        return self.order[joint] - self.seen.size

    def _equations(self, products: Array) -> tuple[Array, Array]:
        """X^T X (n, P, P) and X^T y (n, P) of products (n, K, K) of columns."""
        mixed = products @ self._chosen
        normal = self._chosen.swapaxes(1, 2) @ mixed
        return normal, np.einsum('jkp,jk->jp', mixed, self._target)

    def __getitem__(self, part: Part) -> Array:
        """The coefficients of a part."""
        return np.asarray(self.theta[self._places[part]])

    @property
    def cost(self) -> float:
        """The residual, and what the numbers cost; those of rotors too."""
        rotors, kinds = int(self.rotors.sum()), len({one.kind for one in self.given})
        numbers = rotors + sum(KINDS[one.kind].numbers for one in self.given)
        return self.residual + WORTH * (kinds + bool(rotors)) + NUMBER * numbers

    @property
    def rotors(self) -> Flags:
        """Joints (n,) whose rotor is a part of the effort that an accurate model has not."""
        squares = self.seen.products(self.delay)[:, At.ROTOR, At.ROTOR]
        size = self.own[:, At.ROTOR] ** 2 * squares * self.scales**2
        return self.seen.judged & (size > MIN_ROTOR**2 * self.squares)

    def explained(self, share: float = HALF) -> Flags:
        """Joints (n,) of whose efforts' RMS it leaves at most a share."""
        return self.errors <= share**2 * self.squares

    @property
    def gravity(self) -> Array:
        """(3,) where it is free, as strong as the given one [m/s^2]."""
        given, other = self.seen.gravity, self.seen.gravity + self[Part('gravity')]
        return np.asarray(other * np.linalg.norm(given) / np.linalg.norm(other))

    @property
    def payload(self) -> Array:
        """The inertial parameters (10 b,) of what the model lacks."""
        whole = np.zeros_like(self.seen.bodies)
        for part in of_kind(self.given, 'load'):
            whole[part.of] = self[part]
        return whole.ravel()

    def is_meant(self, part: Part) -> bool:
        """Whether a part is none that an accurate model has, nor absurd."""
        kind, least, seen = part.kind, KINDS[part.kind].least, self.seen
        if kind == 'scale':
            # A wrong position of a joint that was not recorded looks like a scale.
            scale, is_known = self.scales[part.of], not seen.torques.dependent
            return bool(scale < 0.0 or (is_known and abs(scale - 1.0) > least))
        if kind == 'gravity':
            given = np.linalg.norm(seen.gravity) or 1.0
            strength = np.linalg.norm(seen.gravity + self[part]) / given
            is_turned = angle(seen.gravity, self.gravity) >= least
            return bool(is_turned and 1.0 / STRONGER < strength < STRONGER)
        if kind == 'load':
            bodies, mass = seen.bodies[:, 0], self[part][0]
            is_near = np.linalg.norm(self[part][1:4]) <= FARTHEST * abs(mass)
            is_mass = -MISSING * bodies[part.of] <= mass <= bodies.sum()
            return bool(is_near and is_mass and abs(mass) >= least)
        if kind == 'mass':
            share = float(self[part][0])
            return share > -1.0 and abs(share) > least
        return kind != 'delay' or abs(part.of) >= least

    @cached_property
    def _covariances(self) -> Covariances:
        """Of the coefficients, where residuals are correlated in time."""
        seen, hessians, scores = self.seen, [], []
        counts = np.maximum(seen.counts - len(OWN), 1)
        weights = self.scales**2 * counts / (self.errors + self.floor) * seen.judged
        for products in seen.products_of_blocks(self.delay):
            normal, right = self._equations(products)
            hessians.append(np.tensordot(weights, normal, 1))
            scores.append(weights @ right - hessians[-1] @ self.theta)
        whole = np.array(hessians)
        # What is at its bound, or not identifiable, has no part in the rest.
        free = (self.theta > self._lower) & (np.einsum('bpp->p', whole) > 0.0)
        whole *= np.outer(free, free)
        return covariances(whole, np.array(scores) * free, np.where(free, 0.0, 1.0))

    def half_widths(self, part: Part | None = None, slopes: Array | None = None) -> Array:
        """Half of the 95 % intervals of `own` (n, 4); of a part; of functions, slopes (m, k)."""
        place = self._places[part] if part else range(self.own.size)
        chosen = np.eye(len(self.theta))[place]
        found = self._covariances.half_widths(chosen if slopes is None else slopes @ chosen)
        return found if part else found.reshape(self.own.shape)

    @property
    def errors_with_friction(self) -> Array:
        """`errors` with the friction of the model in place of the fitted one."""
        left: Array = self._left.copy()
        left[:, At.RUBBING], left[:, At.FRICTION] = 0.0, -1.0
        mixed = np.einsum('jkl,jl->jk', self.seen.products(self.delay), left)
        means = mixed[:, At.ONE] ** 2 / np.maximum(self.seen.counts, 1)
        return np.asarray((np.einsum('jk,jk->j', mixed, left) - means) * self.scales**2)


def angle(one: Array, other: Array) -> float:
    """Between two vectors [rad]."""
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), one @ other))
