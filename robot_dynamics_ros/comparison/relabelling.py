"""Joints whose positions, velocities and efforts all belong to another name or direction.

Unlike what `Explanation` describes, this changes the torque of the model at every joint: it is
computed anew for each hypothesis, and only where no explanation is good.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from .hypotheses import search
from .judge import GOOD, Explanation, Judge
from .observations import Observations

# So many joints need a better explanation, at least.
FEWEST = 2
# Most joints turned and pairs exchanged.
MOST = 3
# By how much the misfit must shrink.
WORTH = 3.0


@dataclass(frozen=True)
class Relabelling:
    """The state of joint j is signs[j] times that recorded for joint order[j], each (n,)."""

    order: tuple[int, ...]
    signs: tuple[int, ...]

    @classmethod
    def nothing(cls, size: int) -> Relabelling:
        """Each joint has its own state."""
        return cls(tuple(range(size)), (1,) * size)

    def judge(self, seen: Observations) -> Judge:
        """That of the observations with the states of the right joints."""
        order, signs = list(self.order), np.array(self.signs)
        right = [one.mapped(lambda values: values[:, order] * signs) for one in seen.windows]
        return Judge(Observations(seen.torques, right))


def explained(seen: Observations) -> tuple[Judge, Explanation, Relabelling]:
    """The explanation of what was observed, and the relabelling without which none is good.

    Nothing is returned as explanation and relabelling where the best leaves most of the efforts:
    its parts would be chance.
    """
    nothing = relabelling = Relabelling.nothing(seen.size)
    unchanged = Explanation.nothing(seen.size)
    first = judge = Judge(seen)
    found = search(judge)
    for _ in range(MOST):
        squares, _ = judge.target_products(unchanged)
        bad = np.flatnonzero(judge.loaded & (judge.errors(found) > GOOD**2 * squares)).tolist()
        if len(bad) < FEWEST:
            break
        candidates = [*_candidates(relabelling, bad)]
        if not judge.is_explained(found):
            candidates += _longer_exchanges(relabelling)
        # The misfit alone is kept of each: a judge holds the torques of all samples.
        other = min(candidates, key=lambda one: one.judge(seen).misfit(unchanged))
        best = other.judge(seen)
        explanation = search(best)
        same_joints = best.judged.sum() == judge.judged.sum()
        if not same_joints or best.misfit(explanation) + WORTH > judge.misfit(found):
            break
        judge, found, relabelling = best, explanation, other
    if judge.is_explained(found):
        return judge, found, relabelling
    return first, unchanged, nothing


def _candidates(given: Relabelling, joints: list[int]) -> Iterator[Relabelling]:
    """Each joint turned, and each two joints exchanged."""
    for joint in joints:
        signs = list(given.signs)
        signs[joint] *= -1
        yield replace(given, signs=tuple(signs))
    for first, second in combinations(joints, 2):
        order = list(given.order)
        order[first], order[second] = order[second], order[first]
        yield replace(given, order=tuple(order))


def _longer_exchanges(given: Relabelling) -> Iterator[Relabelling]:
    """All joints shifted or reversed, and each three joints exchanged in a circle."""
    own = list(range(len(given.order)))
    orders = [own[::-1], *(own[shift:] + own[:shift] for shift in own[1:])]
    for first, second, third in permutations(own, 3):
        if first < min(second, third):
            order = own.copy()
            order[first], order[second], order[third] = second, third, first
            orders.append(order)
    for order in orders:
        signs = tuple(given.signs[joint] for joint in order)
        yield Relabelling(tuple(given.order[joint] for joint in order), signs)
