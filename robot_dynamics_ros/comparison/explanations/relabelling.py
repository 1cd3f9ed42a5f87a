"""Joints whose positions, velocities and efforts all belong to another name or direction.

Unlike what `Explanation` describes, this changes the torque of the model at every joint: it is
computed anew for each hypothesis, and only where no explanation is good.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np

from ..evidence.excerpts import Window
from ..evidence.model_torques import ModelTorques
from .explanation import Explanation
from .judge import Judge, is_explained
from .observations import Observations
from .search import search

# Relative error of a joint from which on an explanation is not good, and how many joints have it.
BAD, FEWEST = 0.15, 2
# Most joints turned and pairs exchanged.
MOST = 3
# By how much the misfit must shrink.
WORTH = 3.0


@dataclass(frozen=True)
class Relabelling:
    """The state of joint j is signs[j] times that recorded for joint order[j].

    Attributes:
        order: (n,) indices of joints.
        signs: (n,) 1 or -1.
    """

    order: tuple[int, ...]
    signs: tuple[int, ...]

    @classmethod
    def nothing(cls, size: int) -> Relabelling:
        """Each joint has its own state."""
        return cls(tuple(range(size)), (1,) * size)

    def windows(self, windows: Iterable[Window]) -> list[Window]:
        """The windows with the states of the right joints."""
        names = ('positions', 'velocities', 'accelerations', 'efforts')
        columns, signs = list(self.order), np.array(self.signs)
        return [
            replace(one, **{name: getattr(one, name)[:, columns] * signs for name in names})
            for one in windows
        ]


def explained(
    torques: ModelTorques, windows: list[Window]
) -> tuple[Judge, Explanation, Relabelling]:
    """The explanation of some windows, and the relabelling without which none is good.

    Nothing is returned as explanation and relabelling where the best leaves most of the efforts:
    its parts would be chance.

    Args:
        torques: of the model.
        windows: of consecutive samples.
    """
    nothing = relabelling = Relabelling.nothing(torques.model.size)
    unchanged = Explanation.nothing(torques.model.size)

    def judged(relabelling: Relabelling) -> Judge:
        return Judge(Observations(torques, relabelling.windows(windows)))

    judge = judged(nothing)
    found = search(judge)
    for _ in range(MOST):
        bad = _bad_joints(judge, found)
        if len(bad) < FEWEST:
            break
        candidates = list(_candidates(relabelling, bad))
        if not is_explained(judge, found):
            candidates += _longer_exchanges(relabelling)
        # The misfit alone is kept of each: a judge holds the torques of all samples.
        other = min(candidates, key=lambda one: judged(one).misfit(unchanged))
        best = judged(other)
        explanation = search(best)
        same_joints = best.judged.sum() == judge.judged.sum()
        if not same_joints or best.misfit(explanation) + WORTH > judge.misfit(found):
            break
        judge, found, relabelling = best, explanation, other
    if is_explained(judge, found):
        return judge, found, relabelling
    return judge if relabelling == nothing else judged(nothing), unchanged, nothing


def _bad_joints(judge: Judge, found: Explanation) -> list[int]:
    squares, _ = judge.target_products(Explanation.nothing(judge.observations.size))
    with np.errstate(invalid='ignore', divide='ignore'):
        errors = np.sqrt(judge.errors(found) / squares)
    return np.flatnonzero(judge.loaded & (errors > BAD)).tolist()


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
    size = len(given.order)
    orders = {tuple(reversed(range(size)))}
    orders |= {tuple((joint + shift) % size for joint in range(size)) for shift in range(size)}
    for first, second, third in permutations(range(size), 3):
        if first < min(second, third):
            order = list(range(size))
            order[first], order[second], order[third] = second, third, first
            orders.add(tuple(order))
    for order in sorted(orders - {tuple(range(size))}):
        yield replace(
            given,
            order=tuple(given.order[joint] for joint in order),
            signs=tuple(given.signs[joint] for joint in order),
        )
