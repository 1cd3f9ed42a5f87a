"""The best hypothesis about a recording, and whose state each joint has.

Joints whose positions, velocities and efforts all belong to another name or direction change the
torque of the model at every joint. They are looked for only where no hypothesis is good, by the
torques alone. Labels (n,) say whose state a joint has: that of joint k under its own sign is
k + 1, under the other sign -(k + 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.extra import required

from .hypotheses import NOTHING, WORTH, Hypothesis, Part, Solution, angle, parts, without
from .observations import DELAYS, Observations

Labels = npt.NDArray[np.int_]
Solve = Callable[[Hypothesis], Solution]
# Most hypotheses in a row.
MAX_STEPS = 8
# A joint is explained well if at most this share of the RMS of its effort is residual: a rotor may
# hide in part that it has the state of another joint.
GOOD = 0.15
# Most times that gravity is turned anew, and the angle at which it is settled [rad].
MAX_TURNS, SETTLED = 10, 1e-3


def best_labels(seen: Observations) -> tuple[Solution, Labels | None]:
    """What explains a recording best, and the labels with which it does.

    Where nothing explains it, the solution that nothing differs, and None.
    """
    labels: Labels = np.arange(1, seen.size + 1)
    found = _best(seen)
    for _ in range(0 if seen.torques.dependent else MAX_STEPS):
        bad = np.flatnonzero(found.seen.loaded & ~found.explained(GOOD)).tolist()
        if len(bad) < 2:
            break
        change = min(_changes(seen.size, bad), key=partial(_residual, found.seen))
        right = [one.mapped(partial(_relabelled, change)) for one in found.seen.motions]
        other = _best(Observations(seen.torques, right))
        same = other.seen.judged.sum() == found.seen.judged.sum()
        # A label says as much as two parts: of the state, and of the effort.
        if not same or other.cost + 2.0 * WORTH > found.cost:
            break
        found, labels = other, _relabelled(change, labels)
    judged = found.seen.judged
    if 2 * found.explained()[judged].sum() >= judged.sum():
        return found, labels
    return Solution(seen, NOTHING), None


def _relabelled(labels: Labels, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values (..., n) of the joints whose states others have."""
    return np.asarray(values[..., np.abs(labels) - 1] * np.sign(labels))


def _residual(seen: Observations, labels: Labels) -> float:
    """What a rotor, friction and an offset leave of the efforts, where nothing else differs."""
    names = ('positions', 'velocities', 'accelerations', 'measured')
    q, v, a, efforts = (
        _relabelled(labels, getattr(seen.samples, name)[seen.at]) for name in names
    )
    left = np.nan_to_num(efforts - seen.torques.dynamics.inverse_dynamics(q, v, a)).T[..., None]
    columns = np.stack([a, v, np.sign(v), np.ones_like(v)], axis=2).swapaxes(0, 1)
    left = left - columns @ (np.linalg.pinv(columns) @ left)
    order, floor = np.abs(labels) - 1, seen.floor / np.maximum(seen.counts, 1)
    squares = (left**2).mean(axis=(1, 2)) + floor[order]
    return float(np.log(squares[seen.judged[order]]).sum())


def _changes(size: int, joints: Sequence[int]) -> Iterator[Labels]:
    """Each joint turned; each two swapped, each three in a circle, all shifted or reversed."""
    own = np.arange(1, size + 1)
    yield own[::-1]
    yield from (np.roll(own, shift) for shift in range(1, size))
    for circle in (one for count in (1, 2, 3) for one in permutations(joints, count)):
        if circle[0] == min(circle):
            change = own.copy()
            change[[*circle]] = np.roll(own[[*circle]], 1) if circle[1:] else -own[circle]
            yield change


def _best(seen: Observations) -> Solution:
    """The best solution, observed under the gravity that it has."""
    begin = found = best_solution(seen)
    for _ in range(MAX_TURNS if Part('gravity') in begin.given else 0):
        if angle(found.seen.gravity, found.gravity) < SETTLED:
            break
        turned = best_solution(seen.under(found.gravity, found.payload))
        found = Solution(turned.seen, turned.given | {Part('gravity')})
    return found if found.cost <= begin.cost else begin


def best_solution(seen: Observations) -> Solution:
    """That of the hypothesis whose every part is worth it.

    That which lowers the cost most is taken, and what it makes superfluous is dropped.
    """
    solve: Solve = cache(partial(Solution, seen))
    found = solve(NOTHING)
    for _ in range(MAX_STEPS if seen.loaded.any() else 0):
        others = [_pruned(solve, one) for one in map(solve, _next(solve, found))]
        other = min(others, key=lambda one: one.cost)
        if other.cost >= found.cost:
            break
        found = other
    return found


def _pruned(solve: Solve, found: Solution) -> Solution:
    """The same without parts that are not worth their numbers, or not meant."""
    given = found.given
    smaller = [without(given, one.kind) for one in given] + [given - {one} for one in given]
    best = min(map(solve, smaller), key=lambda one: one.cost, default=found)
    if best is found or (all(map(found.is_meant, given)) and found.cost <= best.cost):
        return found
    return _pruned(solve, best)


def _next(solve: Solve, found: Solution) -> Iterator[Hypothesis]:
    """Hypotheses with one part more, or with another one of the same kind."""
    given, seen, kinds = found.given, found.seen, {one.kind for one in found.given}
    yield without(given, 'order') | _order(found)
    unscaled, scaled = without(given, 'scale'), parts('scale', seen.loaded)
    yield unscaled | scaled
    yield unscaled | parts('scale', seen.loaded & (solve(unscaled | scaled).scales < 0.0))
    if 'delay' not in kinds:
        yield given | {_delay(solve, given)}
    # A joint that was not recorded looks like what follows. With gravity the weight of a payload
    # turns, which these columns do not: see `_best`.
    if seen.torques.dependent or 'gravity' in kinds:
        return
    if 'no gravity' not in kinds:
        yield given | {Part('no gravity')}
        yield given | {Part('gravity')}
        yield given | parts('mass', seen.bodies[:, 0] > 0.0)
    if 'load' not in kinds:
        joints = seen.model.joints
        for body in sorted({*range(len(joints))} - {one.parent for one in joints}):
            yield given | {Part('load', body)}
            # What the driver does not know that the arm carries stays in the efforts.
            yield given | {Part('load', body), Part('no gravity')}


def _order(found: Solution) -> Hypothesis:
    """The order of efforts in which each joint is explained best, with columns of its own."""
    seen, joints = found.seen, np.flatnonzero(found.seen.loaded)
    left = np.log(seen.unexplained(found.delay) + seen.floor)
    assign = required('scipy.optimize', 'recordings').linear_sum_assignment
    order, (rows, others) = np.arange(seen.size), assign(left[np.ix_(joints, joints)])
    order[joints[rows]] = joints[others]
    moved = (rows != others).any()
    return frozenset({Part('order', (*order.tolist(),))} if moved else ())


def _delay(solve: Solve, given: Hypothesis) -> Part:
    """The delay with the smallest residual: the best of a grid, and near it."""

    def residual(delay: float) -> float:
        return solve(given | {Part('delay', round(delay, 6))}).residual

    step, best = float(DELAYS[1] - DELAYS[0]), min(DELAYS[1:-1].tolist(), key=residual)
    near = required('scipy.optimize', 'recordings').minimize_scalar(
        residual, bounds=(best - step, best + step), method='bounded', options={'xatol': 1e-4}
    )
    return Part('delay', round(float(near.x), 6))
