"""Joints whose positions, velocities and efforts all belong to another name or direction.

Unlike what a hypothesis says, this changes the torque of the model at every joint: it is looked
for only where no hypothesis is good, by the torques alone. Labels (n,) say whose state a joint
has: that of joint k under its own sign is k + 1, under the other sign -(k + 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from .hypotheses import MAX_STEPS, NOTHING, WORTH, Part, Solution, angle, best_solution
from .observations import Observations

Labels = npt.NDArray[np.int_]
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


def _best(seen: Observations) -> Solution:
    """The best solution, observed under the gravity that it has."""
    begin = found = best_solution(seen)
    for _ in range(MAX_TURNS if Part('gravity') in begin.given else 0):
        if angle(found.seen.gravity, found.gravity) < SETTLED:
            break
        turned = best_solution(seen.under(found.gravity, found.payload))
        found = Solution(turned.seen, turned.given | {Part('gravity')})
    return found if found.cost <= begin.cost else begin


def _residual(seen: Observations, labels: Labels) -> float:
    """What a rotor, friction and an offset leave of the efforts, where nothing else differs."""
    names = ('positions', 'velocities', 'accelerations', 'measured')
    q, v, a, efforts = (
        _relabelled(labels, getattr(seen.samples, name)[seen.at]) for name in names
    )
    torques = seen.torques.dynamics.inverse_dynamics(q, v, a)
    columns = np.stack([a, v, np.sign(v), np.ones_like(v)], axis=2).swapaxes(0, 1)
    left = np.nan_to_num(efforts - torques).T[..., None]
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
        if circle[0] != min(circle):
            continue
        change = own.copy()
        change[list(circle)] = np.roll(change[list(circle)], 1) if circle[1:] else -own[circle]
        yield change
