"""What a worker computes once, such as a compiled robot, for all its tasks."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar('Result')

# Robots that a worker keeps: several runs on one cluster may alternate.
KEPT = 4


def once(function: Callable[..., Result]) -> Callable[..., Result]:
    """A function that computes each of its last results once in a process.

    Threads that ask for the same result wait for the one that computes it.

    Args:
        function: of hashable arguments.
    """
    lock = threading.Lock()
    cached = functools.lru_cache(maxsize=KEPT)(function)

    @functools.wraps(function)
    def one_at_a_time(*arguments: object) -> Result:
        with lock:
            return cached(*arguments)

    return one_at_a_time
