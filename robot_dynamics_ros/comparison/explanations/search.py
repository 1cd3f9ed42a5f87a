"""Which hypotheses together explain a recording: the best first, as long as one is worth it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .estimates import best_delay, best_load
from .explanation import Explanation
from .hypotheses import COST, WORTH, candidates
from .judge import Judge

# Most hypotheses that are combined.
MOST = 8
# How often the numbers of an explanation are estimated in turn.
SWEEPS = 2


def search(judge: Judge) -> Explanation:
    """The explanation whose every part is worth it.

    Greedy: the hypothesis that lowers the misfit most is taken, and the numbers of those taken
    before are estimated anew. In the end those that have become superfluous are dropped.
    """
    found = Explanation.nothing(judge.observations.size)
    if not judge.loaded.any():
        return found
    while len(found.steps) < MOST:
        before = judge.misfit(found)
        tried = [
            (before - judge.misfit(one) - cost, one) for _, one, cost in candidates(judge, found)
        ]
        gain, best = max(tried, key=lambda one: one[0], default=(0.0, found))
        if gain < WORTH:
            break
        found = refitted(judge, best)
    return without_superfluous(judge, found)


def refitted(judge: Judge, explanation: Explanation) -> Explanation:
    """The same explanation with numbers that fit best together."""
    for _ in range(SWEEPS):
        if explanation.body is None:
            explanation = _refit_gains(judge, explanation)
        else:
            explanation, _ = best_load(judge, explanation, explanation.body)
        if 'delay' in explanation.steps:
            explanation = replace(explanation, delay=best_delay(judge, explanation))
    return explanation


def _refit_gains(judge: Judge, explanation: Explanation) -> Explanation:
    """Factors that are not 1 or -1."""
    best, _ = judge.match(explanation)
    free = np.abs(np.array(explanation.gains)) != 1.0
    gains = np.where(free & np.isfinite(best), best, explanation.gains)
    return replace(explanation, gains=tuple(gains.tolist()))


def without_superfluous(judge: Judge, explanation: Explanation) -> Explanation:
    """The explanation without the parts that the others make superfluous."""
    for step in explanation.steps:
        smaller = refitted(judge, _without(explanation, step))
        if judge.misfit(smaller) - judge.misfit(explanation) < WORTH + COST[step]:
            return without_superfluous(judge, smaller)
    return explanation


def _without(explanation: Explanation, step: str) -> Explanation:
    steps = tuple(one for one in explanation.steps if one != step)
    smaller = replace(explanation, steps=steps)
    gains = np.array(explanation.gains)
    if step == 'gravity_compensated':
        return replace(smaller, gravity=True)
    if step == 'exchanged':
        return replace(smaller, order=tuple(range(len(gains))))
    if step == 'delay':
        return replace(smaller, delay=0.0)
    if step == 'payload':
        return replace(smaller, body=None, load=())
    if step == 'sign':
        return replace(smaller, gains=tuple(np.abs(gains).tolist()))
    return replace(smaller, gains=tuple(np.sign(gains).tolist()))
