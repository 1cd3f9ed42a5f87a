"""How long calls take, compared on a machine that also does other things."""

from __future__ import annotations

import timeit
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCKS = 201
BLOCK_SECONDS = 1e-3
WARM_UP_SECONDS = 0.02


def interleaved(
    statements: Mapping[str, str], namespace: dict[str, Any]
) -> dict[str, npt.NDArray[np.float64]]:
    """Seconds per statement in each of many short blocks, in which all statements take turns.

    Load and clock speed change more slowly than a round of blocks takes, so that the ratio of
    two statements in one round is hardly affected. timeit turns the garbage collector off.
    """
    timers = {
        name: timeit.Timer(statement, globals=namespace) for name, statement in statements.items()
    }
    counts = {name: _executions_per_block(timer) for name, timer in timers.items()}
    seconds = {name: np.zeros(BLOCKS) for name in timers}
    names = list(timers)
    for block in range(BLOCKS):
        # Each is first as often as the others.
        first = block % len(names)
        for name in names[first:] + names[:first]:
            seconds[name][block] = timers[name].timeit(counts[name]) / counts[name]
    return seconds


def _executions_per_block(timer: timeit.Timer) -> int:
    # The first execution may compile, which says nothing about those that follow.
    timer.timeit(1)
    count = 1
    while (seconds := timer.timeit(count)) < WARM_UP_SECONDS:
        count *= 2
    return max(1, round(count * BLOCK_SECONDS / seconds))
