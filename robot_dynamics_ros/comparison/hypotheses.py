"""Hypotheses about what lies between model and measurement, and those that explain it together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .delay import least_delay
from .judge import PARTS, Explanation, Judge
from .recorded_joints import Flags

# By how much a hypothesis must be better than that; one about several joints, for each of them.
WORTH, WORTH_JOINT = 1.0, 0.3
# Most hypotheses that are combined, and how often their numbers are estimated in turn.
MOST_STEPS, SWEEPS = 8, 2
# Factors nearer to 1 are an inaccurate model. Below that correlation a factor means nothing.
FACTOR, CORRELATION = 0.05, 0.5
# Smallest delay that is reported [s], and its costs for each joint.
DELAY, DELAY_JOINT = 1e-3, 0.15
# Smallest mass that is reported [kg], and its standard deviations: some 99 % of Student's
# distribution, as the deviation is known from few parts.
MASS, CERTAIN = 0.05, 5.0
# Of the mass of the body in the URDF: what may be missing of it.
MISSING = 1.1
# A centre of mass farther from the last link is not that of a tool [m].
FARTHEST = 1.0
# Numbers of parts of the recordings: whichever shows the larger deviation counts.
DIVISIONS = (2, 4)
# Rounds in which the weights of the joints are adapted to their errors.
ROUNDS = 6
# Directions of the parameters of a load in which the torque is this much weaker than in the
# strongest are not determined.
RANK = 1e-4


def search(judge: Judge) -> Explanation:
    """The explanation whose every part is worth it.

    Greedy: the hypothesis that lowers the misfit most is taken, and the numbers of those taken
    before are estimated anew. In the end those that have become superfluous are dropped.
    """
    found = Explanation.nothing(judge.observations.size)
    while len(found.steps) < MOST_STEPS and judge.loaded.any():
        before = judge.misfit(found)
        tried = _candidates(judge, found)
        gains = [(before - judge.misfit(one) - cost, one) for one, cost in tried]
        gain, best = max(gains, key=lambda one: one[0], default=(0.0, found))
        if gain < WORTH:
            break
        found = _refitted(judge, best)
    return _without_superfluous(judge, found)


def _candidates(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    """Explanation and cost of each hypothesis that could be added to an explanation."""
    unknown_pose = bool(judge.observations.torques.dependent)
    for code, hypothesis in HYPOTHESES.items():
        if unknown_pose and hypothesis.of_the_pose:
            continue
        if code not in given.steps or code == 'exchanged':
            for explanation, count in hypothesis.candidates(judge, given):
                steps = (*explanation.steps, code)
                yield replace(explanation, steps=steps), hypothesis.cost * count


def _refitted(judge: Judge, explanation: Explanation) -> Explanation:
    """The same explanation with numbers that fit best together."""
    for _ in range(SWEEPS):
        if explanation.body is None:
            # Factors that are not 1 or -1.
            best, _ = judge.match(explanation)
            gains = np.array(explanation.gains)
            gains = np.where((np.abs(gains) != 1.0) & np.isfinite(best), best, gains)
            explanation = replace(explanation, gains=tuple(gains.tolist()))
        else:
            explanation, _ = best_load(judge, explanation, explanation.body)
        if 'delay' in explanation.steps:
            explanation = replace(explanation, delay=best_delay(judge, explanation))
    return explanation


def _without_superfluous(judge: Judge, explanation: Explanation) -> Explanation:
    """The explanation without the parts that the others make superfluous."""
    for step in explanation.steps:
        steps = tuple(one for one in explanation.steps if one != step)
        nothing = HYPOTHESES[step].without(np.array(explanation.gains))
        smaller = _refitted(judge, replace(explanation, steps=steps, **nothing))
        if judge.misfit(smaller) - judge.misfit(explanation) < WORTH + HYPOTHESES[step].cost:
            return _without_superfluous(judge, smaller)
    return explanation


def _gravity(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    bare = replace(given, gravity=False)
    yield bare, 1
    # What the driver does not know that the arm carries stays in the efforts, and hides the rest.
    if given.body is None:
        for loaded, count in _payload(judge, bare):
            costs = HYPOTHESES['payload'].cost / HYPOTHESES['gravity_compensated'].cost
            yield replace(loaded, steps=(*given.steps, 'payload')), 1 + count * costs


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


def _sign(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    yield from _for_some_joints(judge, given, -np.array(given.gains), HYPOTHESES['sign'].cost)


def _factor(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    gains, correlation = judge.match(given)
    meant = (np.abs(np.abs(gains) - 1.0) > FACTOR) & (np.abs(correlation) > CORRELATION)
    gains = np.where(meant, gains, given.gains)
    yield from _for_some_joints(judge, given, gains, HYPOTHESES['factor'].cost)


def _for_some_joints(
    judge: Judge, given: Explanation, gains: Array, cost: float
) -> Iterator[tuple[Explanation, float]]:
    """Other gains (n,) for the joints where they are worth it."""
    other = replace(given, gains=tuple(gains.tolist()))
    shrinks = np.log(judge.errors(given) / judge.errors(other))
    chosen = judge.loaded & (shrinks > cost + WORTH_JOINT)
    if chosen.any():
        mixed = np.where(chosen, gains, given.gains)
        yield replace(given, gains=tuple(mixed.tolist())), int(chosen.sum())


def _delay(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    delay = best_delay(judge, given)
    if abs(delay) >= DELAY:
        # Interpolation lowers noise a little: over many joints that adds up.
        yield replace(given, delay=delay), max(1.0, DELAY_JOINT * judge.judged.sum())


def best_delay(judge: Judge, given: Explanation) -> float:
    """The delay of all efforts with the smallest misfit [s]."""
    delay, _, _ = least_delay(lambda delay: judge.misfit(replace(given, delay=delay)))
    return delay


def _payload(judge: Judge, given: Explanation) -> Iterator[tuple[Explanation, float]]:
    joints = judge.observations.torques.model.joints
    parents, whole = {one.parent for one in joints}, sum(one.inertia.mass for one in joints)
    for body in sorted(set(range(len(joints))) - parents):
        loaded, deviation = best_load(judge, given, body)
        # A tool that is missing cannot be heavier than the body that it is part of; one that is
        # heavier than all links is an effort in another unit.
        least, most = -MISSING * joints[body].inertia.mass, whole
        if not loaded.load or not least <= loaded.load[0] <= most:
            continue
        mass = abs(loaded.load[0])
        if mass < MASS or math.hypot(*loaded.load[1:4]) > FARTHEST * mass:
            continue
        if mass >= CERTAIN * deviation and mass >= CERTAIN * mass_deviation(judge, given, body):
            yield loaded, 1


class Hypothesis(NamedTuple):
    """What may be added to an explanation.

    Attributes:
        cost: by how much the misfit must shrink for each number that it takes from the data. Sums
            of logarithms of errors: 1.0 means that the RMS of one joint shrinks to 61 %.
        candidates: explanations with it, each with its count of numbers.
        without: fields of an explanation without it, by its gains (n,).
        of_the_pose: whether a wrong position of a joint that was not recorded looks like it.
    """

    cost: float
    candidates: Callable[[Judge, Explanation], Iterator[tuple[Explanation, float]]]
    without: Callable[[Array], dict[str, Any]]
    of_the_pose: bool = False


HYPOTHESES = {
    'gravity_compensated': Hypothesis(0.5, _gravity, lambda gains: {'gravity': True}, True),
    'exchanged': Hypothesis(1.0, _exchanged, lambda gains: {'order': tuple(range(len(gains)))}),
    'sign': Hypothesis(0.5, _sign, lambda gains: {'gains': tuple(np.abs(gains).tolist())}),
    'delay': Hypothesis(1.0, _delay, lambda gains: {'delay': 0.0}),
    'factor': Hypothesis(1.0, _factor, lambda gains: {'gains': tuple(np.sign(gains).tolist())},
                         True),
    'payload': Hypothesis(3.0, _payload, lambda gains: {'body': None, 'load': ()}, True),
}  # fmt: skip


def scales_shown(judge: Judge, found: Explanation) -> Flags:
    """Whether the torque of each joint (n,) shows in its effort, so that a factor would, too."""
    _, correlation = judge.match(found)
    return judge.loaded & (np.abs(correlation) > CORRELATION)


def best_load(judge: Judge, given: Explanation, body: int) -> tuple[Explanation, float]:
    """The explanation with the inertial parameters that something on a body adds.

    Factors of the efforts are estimated with them: they would hide a load in part. With u the
    inverse of the gain, the equations u measured - columns load = gravity + motion are linear in
    both. Weighted least squares over all joints; the weights follow from the errors of each joint.

    Args:
        judge: has the observations.
        given: explanation whose other parts hold.
        body: index of the joint that carries it.

    Returns:
        The explanation with load and factors, and the standard deviation of the mass [kg].
    """
    fitted, deviation = replace(given, body=body, load=(0.0,) * 10), np.inf
    free = np.flatnonzero(judge.judged & (np.abs(np.array(given.gains)) != 1.0))
    for _ in range(ROUNDS):
        normal, wanted = _equations(judge, fitted, free)
        solution, variance = _solution(normal, wanted, mass=len(free))
        gains = np.array(given.gains)
        if (solution[: len(free)] == 0.0).any():
            return given, math.inf
        gains[free] = 1.0 / solution[: len(free)]
        load = tuple(solution[len(free) :].tolist())
        fitted = replace(fitted, gains=tuple(gains.tolist()), load=load)
        # Each joint has an error of 1 then, which counts for its independent samples.
        deviation = np.sqrt(variance / max(judge.observations.independent, 1.0))
    return fitted, float(deviation)


def _equations(
    judge: Judge, given: Explanation, free: npt.NDArray[np.intp]
) -> tuple[Array, Array]:
    """Normal equations of 1 / gain of the free joints, and of the load."""
    size = len(free)
    squares, mixed = judge.target_products(given)
    products, gains = judge.products(given.body), np.array(given.gains)
    # Where efforts have factors, a joint that is too light to show its scale says nothing.
    telling = judge.judged & judge.loaded if size else judge.judged
    weights = telling * gains**2 / judge.errors(given)
    base = given.coefficients[:PARTS]
    modelled = products[:, :, :PARTS] @ base
    normal, wanted = np.zeros((size + 10, size + 10)), np.zeros(size + 10)
    normal[size:, size:] = np.einsum('j,jik->ik', weights, products[:, PARTS:, PARTS:])
    fixed = np.setdiff1d(np.arange(len(gains)), free)
    wanted[size:] = (weights[fixed] / gains[fixed]) @ mixed[fixed, PARTS:]
    wanted[size:] -= weights @ modelled[:, PARTS:]
    for row, joint in enumerate(free):
        normal[row, row] = weights[joint] * squares[joint]
        normal[row, size:] = normal[size:, row] = -weights[joint] * mixed[joint, PARTS:]
        wanted[row] = weights[joint] * (mixed[joint, :PARTS] @ base)
    return normal, wanted


def _solution(normal: Array, wanted: Array, mass: int) -> tuple[Array, float]:
    """The solution of normal equations, and the variance of the parameter with index `mass`."""
    scale = np.sqrt(np.diag(normal))
    scale[scale <= 1e-9 * scale.max()] = np.inf
    sizes, directions = np.linalg.eigh(normal / np.outer(scale, scale))
    kept = sizes > RANK**2 * sizes.max()
    inverse = (directions[:, kept] / sizes[kept]) @ directions[:, kept].T
    solution = inverse @ (wanted / scale) / scale
    if not np.allclose(directions[mass, ~kept], 0.0, atol=0.1):
        return solution, math.inf
    return solution, float(inverse[mass, mass] / scale[mass] ** 2)


def mass_deviation(judge: Judge, given: Explanation, body: int) -> float:
    """Standard deviation of the mass of a load [kg]; infinite where parts differ in its sign.

    What a model leaves of real torques is correlated in time: the least-squares deviation is too
    small. Estimates from parts that are longer than the correlation show it (batch means). Errors
    that all parts share, such as those of the URDF, are not in it.
    """
    _, white = best_load(judge, given, body)
    groups = [_masses(judge.divided(count), given, body) for count in DIVISIONS]
    if len(groups[0]) < 2 or any(np.ptp(np.sign(masses)) > 0.0 for masses in groups):
        return math.inf
    known = [masses for masses in groups if len(masses) > 1]
    return max(white, *(float(np.std(one, ddof=1)) / len(one) ** 0.5 for one in known))


def _masses(judges: Sequence[Judge], given: Explanation, body: int) -> Array:
    """The masses [kg] that parts give, those that determine one."""
    found = [best_load(judge, given, body) for judge in judges if judge.judged.any()]
    return np.array([one.load[0] for one, deviation in found if np.isfinite(deviation)])
