"""Joints whose positions, velocities and efforts all belong to another name or direction.

Unlike what `Explanation` describes, this changes the torque of the model at every joint: it is
computed anew for each hypothesis, and only where no explanation is good.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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


def relabelled(seen: Observations, given: Explanation) -> Judge:
    """That of the observations in which joint j has gains[j] times the state of joint order[j]."""
    order, signs = list(given.order), np.array(given.gains)
    right = [one.mapped(lambda values: values[:, order] * signs) for one in seen.windows]
    return Judge(Observations(seen.torques, right))


def explained(seen: Observations) -> tuple[Judge, Explanation, Explanation]:
    """The explanation of what was observed, and the relabelling without which none is good.

    Nothing is returned as explanation and relabelling where the best leaves most of the efforts:
    its parts would be chance.
    """
    unchanged = relabelling = Explanation.nothing(seen.size)
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
        other = min(candidates, key=lambda one: relabelled(seen, one).misfit(unchanged))
        best = relabelled(seen, other)
        explanation = search(best)
        same_joints = best.judged.sum() == judge.judged.sum()
        if not same_joints or best.misfit(explanation) + WORTH > judge.misfit(found):
            break
        judge, found, relabelling = best, explanation, other
    if judge.is_explained(found):
        return judge, found, relabelling
    return first, unchanged, unchanged


def _candidates(given: Explanation, joints: list[int]) -> Iterator[Explanation]:
    """Each joint turned, and each two joints exchanged."""
    for joint in joints:
        signs = list(given.gains)
        signs[joint] *= -1.0
        yield replace(given, gains=tuple(signs))
    for first, second in combinations(joints, 2):
        order = list(given.order)
        order[first], order[second] = order[second], order[first]
        yield replace(given, order=tuple(order))


def _longer_exchanges(given: Explanation) -> Iterator[Explanation]:
    """All joints shifted or reversed, and each three joints exchanged in a circle."""
    own = list(range(len(given.order)))
    orders = [own[::-1], *(own[shift:] + own[:shift] for shift in own[1:])]
    for first, second, third in permutations(own, 3):
        if first < min(second, third):
            order = own.copy()
            order[first], order[second], order[third] = second, third, first
            orders.append(order)
    for order in orders:
        signs = tuple(given.gains[joint] for joint in order)
        yield Explanation(tuple(given.order[joint] for joint in order), signs)
