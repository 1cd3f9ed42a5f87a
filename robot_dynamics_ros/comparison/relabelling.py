"""Joints whose positions, velocities and efforts all belong to another name or direction.

Unlike what a hypothesis says, this changes the torque of the model at every joint: it is computed
anew for each, and only where no hypothesis is good.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .hypotheses import Hypotheses, Hypothesis, Solution, angle
from .observations import Observations

# So many joints need a better hypothesis, at least; most joints turned and pairs swapped.
MIN_JOINTS, MAX_STEPS = 2, 3
# Most times that gravity is turned anew, and the angle at which it is settled [rad].
MAX_TURNS, SETTLED = 5, 1e-3
# By how much the misfit must shrink.
WORTH = 3.0


@dataclass(frozen=True)
class BestHypothesis:
    """What explains a recording best.

    Attributes:
        observations: with the states of joints as they are named rightly.
        solution: of the best hypothesis; of none where nothing explains the recording.
        relabelling: names and directions of whole joints.
        is_explained: whether it explains the recording.
        hypotheses: by which it was found.
        gravity: (3,) that was given [m/s^2].
    """

    observations: Observations
    solution: Solution
    relabelling: Hypothesis
    is_explained: bool
    hypotheses: Hypotheses
    gravity: Array


def best_hypothesis(seen: Observations) -> BestHypothesis:
    """What explains a recording best; nothing where its parts would be chance."""
    nothing = relabelling = Hypothesis.nothing(seen.size)
    first = Hypotheses(seen)
    tested, found = _best(seen)
    for _ in range(MAX_STEPS):
        bad = tested.bad(found)
        if len(bad) < MIN_JOINTS or seen.torques.dependent:
            break
        candidates = [*_candidates(relabelling, bad), *_longer(relabelling)]
        # The misfit alone is kept of each: products are large.
        best = min(candidates, key=lambda one: _misfit(relabelled(seen, one)))
        other, solution = _best(relabelled(seen, best))
        same = other.observations.judged.sum() == tested.observations.judged.sum()
        if not same or other.cost(solution) + WORTH > tested.cost(found):
            break
        tested, found, relabelling = other, solution, best
    if tested.is_explained(found):
        return BestHypothesis(tested.observations, found, relabelling, True, tested, seen.gravity)
    return BestHypothesis(seen, first.solve(nothing), nothing, False, first, seen.gravity)


def _best(seen: Observations) -> tuple[Hypotheses, Solution]:
    """The best hypothesis, and what it was found by: observed under the gravity that it has."""
    begin = tested = Hypotheses(seen)
    before = found = tested.best()
    if before.hypothesis.gravity != 'free':
        return begin, before
    for _ in range(MAX_TURNS):
        gravity, last = tested.gravity(found), tested.observations.gravity
        if angle(last, gravity) < SETTLED:
            break
        tested = Hypotheses(seen.under(gravity, tested.lacking(found)))
        found = tested.solve(replace(tested.best().hypothesis, gravity='free'))
    return (tested, found) if tested.cost(found) <= begin.cost(before) else (begin, before)


def relabelled(seen: Observations, given: Hypothesis) -> Observations:
    """Those in which joint j has signs[j] times the state of joint order[j]."""
    order, signs = list(given.order), np.array(given.signs)
    right = [one.mapped(lambda values: values[:, order] * signs) for one in seen.motions]
    return Observations(seen.torques, right)


def _misfit(seen: Observations) -> float:
    return Hypotheses(seen).solve(Hypothesis.nothing(seen.size)).misfit


def _candidates(given: Hypothesis, joints: list[int]) -> Iterator[Hypothesis]:
    """Each joint turned, and each two joints swapped."""
    for joint in joints:
        signs = list(given.signs)
        signs[joint] *= -1.0
        yield replace(given, signs=tuple(signs))
    for first, second in combinations(joints, 2):
        order = list(given.order)
        order[first], order[second] = order[second], order[first]
        yield replace(given, order=tuple(order))


def _longer(given: Hypothesis) -> Iterator[Hypothesis]:
    """All joints shifted or reversed, and each three joints swapped in a circle."""
    own = list(range(len(given.order)))
    orders = [own[::-1], *(own[shift:] + own[:shift] for shift in own[1:])]
    for first, second, third in permutations(own, 3):
        if first < min(second, third):
            order = own.copy()
            order[first], order[second], order[third] = second, third, first
            orders.append(order)
    for order in orders:
        signs = tuple(given.signs[joint] for joint in order)
        yield Hypothesis(tuple(given.order[joint] for joint in order), signs)
