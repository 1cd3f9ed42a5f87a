"""Work on the rows of a batch, shared among threads of this process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ..errors import ParameterError

# Threads beside the caller's that all batches of a process share; they are started when needed.
MOST_HELPERS = 63


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, 'process_cpu_count'):
        return os.process_cpu_count() or 1
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def checked_threads(threads: int | None) -> int:
    """A number of threads; None for one for each core that the process may use.

    Raises:
        ParameterError: it is not a whole number from 1 on.
    """
    if threads is None:
        return available_cores()
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ParameterError(f'threads is {threads!r}: None or a whole number from 1 on is needed')
    return threads


def share(work: Callable[[int, int], None], rows: int, size: int, threads: int) -> None:
    """Compute all rows in chunks, which threads take one after the other.

    Returns, or raises, when no thread works on them any more. After an error no chunk is begun. As
    chunks are taken in order, those before are finished: the error of the first row that has one
    is raised, whatever the number of threads.

    Args:
        work: computes the rows from a first one up to, but not with, another.
        rows: how many there are.
        size: of a chunk, in rows.
        threads: at most so many, that of the caller included.
    """
    starts = iter(range(0, rows, size))
    errors: dict[int, BaseException] = {}
    changed = threading.Condition()
    working, stopped = 0, False

    def next_start() -> int | None:
        with changed:
            return None if stopped else next(starts, None)

    def take_all() -> None:
        nonlocal stopped
        first: int | None = 0
        try:
            while (first := next_start()) is not None:
                work(first, min(first + size, rows))
        except Exception as error:
            stopped = True
            errors[first or 0] = error

    def help_out() -> None:
        nonlocal working
        with changed:
            working += 1
        # Nothing, where the pool had no thread for it until all was done.
        take_all()
        with changed:
            working -= 1
            changed.notify_all()

    def end() -> None:
        nonlocal stopped
        try:
            with changed:
                stopped = True
                changed.wait_for(lambda: not working)
        except KeyboardInterrupt:
            # It comes to the caller when no thread writes any more.
            end()
            raise

    try:
        # Fewer, where the system or the end of the process allows no more.
        with suppress(RuntimeError):
            for _ in range(min(threads - 1, -(-rows // size) - 1, MOST_HELPERS)):
                _pool.submit(help_out)
        take_all()
    finally:
        end()
    if errors:
        raise errors[min(errors)]


def _new_pool() -> None:
    """A pool without threads; that of a parent process has none in its child."""
    global _pool
    _pool = ThreadPoolExecutor(MOST_HELPERS, 'robot_dynamics_batch')


_pool: ThreadPoolExecutor
_new_pool()
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_new_pool)
