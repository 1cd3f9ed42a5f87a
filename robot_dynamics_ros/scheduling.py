"""Many calls: each gives a result or an error, on processes of this machine or a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from typing import Any

from robot_dynamics_ros.core.compiler.threads import available_cores
from robot_dynamics_ros.core.errors import ParameterError, error_line

PATIENCE = 10.0  # [s] for a scheduler to answer
KILLED = 'its process was killed twice: look for too little memory, compute fewer (taskset)'


@dataclass(frozen=True)
class Outcome:
    """The result of a call, or why there is none, in one line."""

    result: Any = None
    error: str = ''


def outcomes(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    scheduler: str | None = None,
    done: Callable[[Any], object] = lambda future: None,
) -> list[Outcome]:
    """The outcomes of `function(item)`, in the order of the items.

    Args:
        function: of a module, or a `functools.partial` of one: other processes import it.
        items: small ones; large data are named by a path that each process can read.
        scheduler: address of a Dask scheduler, such as `tcp://host:8786`; None for a process on
            each core of this machine.
        done: is called when an item is done, from any thread.

    Raises:
        ParameterError: no scheduler answers, or Dask is not installed.
    """
    call, given = partial(_outcome, function), list(items)
    count = min(len(given), available_cores())
    if scheduler is None and count < 2:
        return [call(item) for item in given]
    found = _computed(call, given, _cluster(scheduler) if scheduler else _processes(count), done)
    # A process that was killed takes the pool with it: what is missing is computed one at a time.
    for index in [index for index, one in enumerate(found) if one is None]:
        (one,) = _computed(call, [given[index]], _processes(1), done)
        found[index] = one or Outcome(error=KILLED)
    return found


def _computed(call: Any, items: list[Any], engine: Any, done: Any) -> list[Any]:
    """The outcome of each item; None where the pool has lost its process."""
    with engine as executor:
        # A process that begins would show Ctrl-C as a traceback; SIGTERM ends it.
        resource_tracker.ensure_running()
        signals = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP))
        try:
            futures = [executor.submit(call, item) for item in items]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        for future in futures:
            future.add_done_callback(done)
        return [_collected(future) for future in futures]


def _collected(future: Any) -> Outcome | None:
    try:
        return future.result()
    except BrokenProcessPool:
        return None
    except Exception as error:  # of pickle, or of Dask, such as KilledWorker
        return Outcome(error=error_line(error))


@contextmanager
def _processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """New processes, which end with the block; a fork would copy locks of other threads."""
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')  # not one for each core in each process
    pool = ProcessPoolExecutor(count, multiprocessing.get_context('spawn'), initializer=_begin)
    try:
        yield pool
    finally:
        workers = [*pool._processes.values()]  # Python 3.14: terminate_workers()
        pool.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()


def _begin() -> None:
    """In a new process: SIGTERM removes what was begun; it ends with its parent."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    parent: Any = multiprocessing.parent_process()
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


def _outcome(function: Callable[[Any], Any], item: Any) -> Outcome:
    try:
        return Outcome(function(item))
    except SystemExit:
        os._exit(1)  # the pool would wait for another item
    except Exception as error:
        return Outcome(error=error_line(error))


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    try:
        import distributed

        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except ImportError:
        raise ParameterError(
            f"scheduler {address}: dask is not installed: pip install 'robot_dynamics_ros[fleet]'"
        ) from None
    except (OSError, ValueError) as error:
        raise ParameterError(f'no Dask scheduler answers at {address}: {error}') from None
    with client:
        yield client.get_executor()
