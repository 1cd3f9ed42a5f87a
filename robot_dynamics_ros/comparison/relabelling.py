"""Joints whose positions, velocities and efforts all belong to another name or direction.

Unlike what a hypothesis says, this changes the torque of the model at every joint: it is computed
anew for each, and only where no hypothesis is good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from .hypotheses import Hypothesis, Solution, angle, best_solution
from .observations import Observations

# So many joints need a better hypothesis, at least; most joints turned and pairs swapped.
MIN_JOINTS, MAX_STEPS = 2, 3
# Most times that gravity is turned anew, and the angle at which it is settled [rad].
MAX_TURNS, SETTLED = 5, 1e-3
# By how much the misfit must shrink.
WORTH = 3.0


class Labels(NamedTuple):
    """Joint j has signs[j] times the state of joint order[j]."""

    order: tuple[int, ...]
    signs: tuple[float, ...]


def best_labels(seen: Observations) -> tuple[Solution, Labels | None]:
    """What explains a recording best, and the names and directions of whole joints.

    Where nothing explains it, the solution that nothing differs, and None.
    """
    labels, found = Labels(tuple(range(seen.size)), (1.0,) * seen.size), _best(seen)
    nothing = Hypothesis(labels.order)
    for _ in range(0 if seen.torques.dependent else MAX_STEPS):
        if len(found.bad) < MIN_JOINTS:
            break
        # The misfit alone is kept of each: products are large.
        tried = min(_candidates(labels, found.bad), key=lambda one: _misfit(relabelled(seen, one)))
        other = _best(relabelled(seen, tried))
        same = other.seen.judged.sum() == found.seen.judged.sum()
        if not same or other.cost + WORTH > found.cost:
            break
        found, labels = other, tried
    return (found, labels) if found.is_explained else (Solution(seen, nothing), None)


def _best(seen: Observations) -> Solution:
    """The best solution, observed under the gravity that it has."""
    begin = found = best_solution(seen)
    for _ in range(MAX_TURNS if begin.hypothesis.gravity == 'free' else 0):
        if angle(found.seen.gravity, found.gravity) < SETTLED:
            break
        turned = best_solution(seen.under(found.gravity, found.lacking))
        found = Solution(turned.seen, replace(turned.hypothesis, gravity='free'))
    return found if found.cost <= begin.cost else begin


def relabelled(seen: Observations, labels: Labels) -> Observations:
    """Those with the states of joints as they are named rightly."""
    order, signs = list(labels.order), np.array(labels.signs)
    right = [one.mapped(lambda values: values[:, order] * signs) for one in seen.motions]
    return Observations(seen.torques, right)


def _misfit(seen: Observations) -> float:
    return Solution(seen, Hypothesis(tuple(range(seen.size)))).misfit


def _candidates(given: Labels, joints: Sequence[int]) -> Iterator[Labels]:
    """Each joint turned; each two swapped, each three in a circle, all shifted or reversed."""
    own = list(range(len(given.order)))
    for joint in joints:
        signs = [sign * (-1.0 if one == joint else 1.0) for one, sign in enumerate(given.signs)]
        yield Labels(given.order, tuple(signs))
    orders = [own[::-1], *(own[shift:] + own[:shift] for shift in own[1:])]
    for circle in *combinations(joints, 2), *permutations(own, 3):
        after = dict(zip(circle, (*circle[1:], circle[0]), strict=True))
        orders.append([after.get(joint, joint) for joint in own])
    for order in dict.fromkeys(map(tuple, orders)):
        signs = [given.signs[joint] for joint in order]
        yield Labels(tuple(given.order[joint] for joint in order), tuple(signs))
