"""Hypotheses about what lies between model and measurement, each with its best numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .estimates import best_delay, best_load
from .explanation import Explanation
from .judge import Judge
from .load_certainty import LoadCertainty

# How much the misfit must shrink for each number that a hypothesis takes from the data. Sums of
# logarithms of errors: 1.0 means that the RMS of one joint shrinks to 61 %.
COST = {
    'gravity_compensated': 0.5,
    'sign': 0.5,
    'exchanged': 1.0,
    'delay': 1.0,
    'factor': 1.0,
    'payload': 3.0,
}
# What a wrong position of a joint that was not recorded looks like.
OF_THE_POSE = ('gravity_compensated', 'payload')
# By how much a hypothesis must be better than that.
WORTH = 1.0
# The same for each joint of a hypothesis about several.
WORTH_JOINT = 0.3
# Factors nearer to 1 are an inaccurate model. Below that correlation a factor means nothing.
FACTOR, CORRELATION = 0.05, 0.5
# Smallest mass and delay that are told [kg], [s].
MASS, DELAY = 0.05, 1e-3
# Costs of a delay for each joint.
DELAY_JOINT = 0.15
# Standard deviations of the mass that it must have: some 99 % of Student's distribution, as the
# deviation is known from few parts.
CERTAIN = 5.0
# Of the mass of the described body: what may be missing of it.
MISSING = 1.1
# A centre of mass farther from the last link is not that of a tool [m].
FARTHEST = 1.0

Candidate = tuple[str, Explanation, float]


def candidates(judge: Judge, given: Explanation) -> Iterator[Candidate]:
    """Code, explanation and cost of each hypothesis that could be added to an explanation."""
    unknown_pose = bool(judge.observations.torques.missing)
    for code, hypothesis in HYPOTHESES.items():
        if unknown_pose and code in OF_THE_POSE:
            continue
        if code not in given.steps or code == 'exchanged':
            for explanation, count in hypothesis(judge, given):
                added = replace(explanation, steps=(*explanation.steps, code))
                yield code, added, COST[code] * count


def _gravity(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    bare = replace(given, gravity=False)
    yield bare, 1
    # What the driver does not know that the arm carries stays in the efforts, and hides the rest.
    if given.body is None:
        for loaded, count in _payload(judge, bare):
            costs = COST['payload'] / COST['gravity_compensated']
            yield replace(loaded, steps=(*given.steps, 'payload')), 1 + count * costs


def _sign(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    turned = tuple(-gain for gain in given.gains)
    yield from _for_some_joints(judge, given, turned, COST['sign'])


def _factor(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    gains, correlation = judge.match(given)
    meant = (np.abs(np.abs(gains) - 1.0) > FACTOR) & (np.abs(correlation) > CORRELATION)
    tried = np.where(meant, gains, given.gains)
    yield from _for_some_joints(judge, given, tuple(tried.tolist()), COST['factor'])


def scales_shown(judge: Judge, found: Explanation) -> npt.NDArray[np.bool_]:
    """Whether the torque of each joint (n,) shows in its effort, so that a factor would, too.

    Args:
        judge: has the observations.
        found: the explanation.
    """
    _, correlation = judge.match(found)
    shown: npt.NDArray[np.bool_] = judge.loaded & (np.abs(correlation) > CORRELATION)
    return shown


def _for_some_joints(
    judge: Judge, given: Explanation, gains: tuple[float, ...], cost: float
) -> Iterator[tuple[Explanation, float]]:
    """Other gains for the joints where they are worth it."""
    before, after = judge.errors(given), judge.errors(replace(given, gains=gains))
    chosen = judge.loaded & (np.log(before / after) > cost + WORTH_JOINT)
    if chosen.any():
        mixed = np.where(chosen, gains, given.gains)
        yield replace(given, gains=tuple(mixed.tolist())), int(chosen.sum())


def _exchanged(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    """The two joints whose efforts fit best when they are exchanged."""
    joints = np.flatnonzero(judge.loaded)
    if len(joints) < 2:
        return
    order = np.array(given.order)
    # Error of joint i with the effort that joint j has now.
    errors = np.log(judge.errors_of_pairs(given)[np.ix_(joints, order[joints])])
    own = np.diag(errors)
    gains = own[:, None] + own - errors - errors.T
    first, second = joints[list(np.unravel_index(np.argmax(gains), gains.shape))]
    if first != second:
        order[[first, second]] = order[[second, first]]
        yield replace(given, order=tuple(order.tolist())), 1


def _delay(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    delay = best_delay(judge, given)
    if abs(delay) >= DELAY:
        # Interpolation lowers noise a little: over many joints that adds up.
        yield replace(given, delay=delay), max(1.0, DELAY_JOINT * judge.judged.sum())


def _payload(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    joints = judge.observations.torques.model.joints
    for body in last_bodies(judge):
        loaded, deviation = best_load(judge, given, body)
        mass = joints[body].inertia.mass
        if loaded.load and _is_plausible(loaded.load, deviation, mass):
            deviation = LoadCertainty(judge).mass_deviation(given, body)
            if _is_plausible(loaded.load, deviation, mass):
                yield loaded, 1


def _is_plausible(load: tuple[float, ...], deviation: float, described: float) -> bool:
    """Whether a load is that of a tool, or of one that is missing.

    Args:
        load: its inertial parameters.
        deviation: of its mass [kg].
        described: mass of the body that carries it [kg].
    """
    mass = load[0]
    certain = abs(mass) >= max(MASS, CERTAIN * deviation)
    # A tool that is missing cannot be heavier than the body that it is part of.
    possible = mass + MISSING * described >= 0.0
    return certain and possible and math.hypot(*load[1:4]) <= FARTHEST * abs(mass)


def last_bodies(judge: Judge) -> list[int]:
    """Indices of the joints that carry no other joint."""
    joints = judge.observations.torques.model.joints
    parents = {joint.parent for joint in joints}
    return [index for index in range(len(joints)) if index not in parents]


HYPOTHESES: dict[str, Callable[[Judge, Explanation], Iterator[tuple[Explanation, float]]]] = {
    'gravity_compensated': _gravity,
    'exchanged': _exchanged,
    'sign': _sign,
    'delay': _delay,
    'factor': _factor,
    'payload': _payload,
}
