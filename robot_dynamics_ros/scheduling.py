"""Many calls: each gives a result or an error, on processes of this machine or a Dask cluster."""

import os
import signal
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple

from robot_dynamics_ros.core.compiler.threads import available_cores
from robot_dynamics_ros.core.errors import ParameterError, error_line
from robot_dynamics_ros.extra import required


class Outcome(NamedTuple):
    """The result of a call, or why there is none, in one line that names the item."""

    result: Any = None
    error: str = ''


def outcome(function: Any, item: Any) -> Outcome:
    """The outcome of `function(item)`, which may be one itself."""
    try:
        result = function(item)
    except SystemExit:
        os._exit(1)  # the pool would wait for another item
    except Exception as error:
        line = error_line(error)
        return Outcome(error=line if str(item) in line else f'{item}: {line}')
    return result if isinstance(result, Outcome) else Outcome(result)


def outcomes(function: Any, items: Sequence[Any], scheduler: str | None = None) -> list[Outcome]:
    """The outcomes of `function(item)`, in the order of the items, by a process on each core.

    Other processes import the function, one of a module. With a scheduler, such as
    `tcp://host:8786`, they are those of a Dask cluster; ParameterError: it does not answer.
    """
    call, count = partial(outcome, function), min(len(items), available_cores())

    def results(futures: Iterable[Any]) -> list[Outcome]:
        # A process that ended without a result is an error too.
        return list(map(lambda one, item: outcome(lambda _: one.result(), item), futures, items))

    if scheduler is not None:
        try:
            client = required('distributed', 'fleet').Client(scheduler, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ParameterError(f'no Dask scheduler answers at {scheduler}: {error}') from None
        with client:
            return results(client.map(call, items, pure=False))
    if count < 2:
        return [call(item) for item in items]
    with ProcessPoolExecutor(count, get_context('spawn'), initializer=_begin) as pool:
        try:
            return results([pool.submit(call, one) for one in items])
        finally:
            for process in list(pool._processes.values()):  # Python 3.14: terminate_workers()
                process.terminate()


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # what was begun is removed
