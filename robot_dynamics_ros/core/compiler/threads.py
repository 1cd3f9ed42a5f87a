"""Work on the rows of a batch, shared among threads of this process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
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


class Chunks:
    """The rows of a batch, in chunks that threads take one after the other.

    After an error no chunk is begun any more. As chunks are taken in order, those before are
    finished: the error of the first row that has one is found, whatever the number of threads.
    """

    def __init__(self, work: Callable[[int, int], None], rows: int, size: int) -> None:
        """Nothing is computed yet.

        Args:
            work: computes the rows from a first one up to, but not with, another.
            rows: of the batch.
            size: of a chunk, in rows.
        """
        self._work = work
        self._rows = rows
        self._size = size
        self._next = 0
        self._stopped = False
        self._lock = threading.Lock()
        self._errors: dict[int, BaseException] = {}

    def run(self, threads: int) -> None:
        """Compute all chunks; returns, or raises, when no thread works on them any more."""
        helpers = min(threads, -(-self._rows // self._size)) - 1
        futures = _started(self._take_all, helpers)
        try:
            self._take_all()
        finally:
            # An interruption from the keyboard arrives here too.
            self._stopped = True
            wait([future for future in futures if not future.cancel()])
        if self._errors:
            raise self._errors[min(self._errors)]

    def _take_all(self) -> None:
        while (first := self._take()) is not None:
            self._compute(first)

    def _compute(self, first: int) -> None:
        try:
            self._work(first, min(first + self._size, self._rows))
        except Exception as error:
            self._stopped = True
            self._errors[first] = error

    def _take(self) -> int | None:
        """The first row of a chunk that nobody has taken."""
        with self._lock:
            if self._stopped or self._next >= self._rows:
                return None
            first, self._next = self._next, self._next + self._size
            return first


def _started(work: Callable[[], None], helpers: int) -> list[Future[None]]:
    """Threads that work; fewer, where the system or the end of the process allows no more."""
    futures: list[Future[None]] = []
    with suppress(RuntimeError):
        futures.extend(_pool.submit(work) for _ in range(min(helpers, MOST_HELPERS)))
    return futures


def _new_pool() -> None:
    """A pool without threads; that of a parent process has none in its child."""
    global _pool
    _pool = ThreadPoolExecutor(MOST_HELPERS, 'robot_dynamics_batch')


_pool: ThreadPoolExecutor
_new_pool()
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_new_pool)
