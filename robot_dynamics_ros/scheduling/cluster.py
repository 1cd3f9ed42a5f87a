"""Tasks on an existing Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from robot_dynamics_ros.core.errors import ParameterError

from .task import Outcome, Task, answered, failed

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE = 10.0  # [s] for the scheduler to answer
# What logs lost connections.
LOGGING = ('distributed', 'tornado')
# Of a task with an error that another attempt may not have, such as a file server that is away.
RETRIES = 2


def outcomes_of_cluster(tasks: Sequence[Task], common: Any, address: str) -> Iterator[Outcome]:
    """The outcome of each task, as soon as it is known.

    Dask computes the tasks of a lost worker again, up to its setting
    `distributed.scheduler.allowed-failures`.

    Args:
        tasks: to compute.
        common: first argument of each.
        address: of the scheduler, such as `tcp://host:8786`.

    Raises:
        ParameterError: distributed is not installed, or no scheduler answers.
    """
    distributed = _installed(address)
    with _quiet_loggers(), _connected(distributed, address) as client:
        run = uuid4().hex[:12]
        # A task too, so that a lost worker does not lose it, and each worker receives it once.
        shared = client.submit(_same, common, key=f'robot_dynamics-common-{run}', pure=False)
        futures = {
            client.submit(
                answered, task, shared, key=f'robot_dynamics-{run}-{number}', retries=RETRIES,
                pure=False,
            ): task
            for number, task in enumerate(tasks)
        }  # fmt: skip
        try:
            for future in distributed.as_completed(list(futures), loop=client.loop):
                yield _outcome(distributed, futures.pop(future), future)
                future.release()
        finally:
            client.cancel([*futures, shared])  # type: ignore[no-untyped-call]


def threads_of_cluster(address: str) -> int:
    """How many tasks a cluster computes at a time, as it is now.

    Args:
        address: of the scheduler.

    Raises:
        ParameterError: distributed is not installed, or no scheduler answers.
    """
    distributed = _installed(address)
    with _quiet_loggers(), _connected(distributed, address) as client:
        return sum(client.nthreads().values())  # type: ignore[no-untyped-call]


def _installed(address: str) -> ModuleType:
    try:
        import distributed
    except ImportError:
        raise ParameterError(
            f"scheduler {address}: dask is not installed: pip install 'robot_dynamics_ros[fleet]'"
        ) from None
    return distributed


@contextmanager
def _connected(distributed: ModuleType, address: str) -> Iterator[Client]:
    try:
        client = distributed.Client(
            address, timeout=PATIENCE, set_as_default=False, name='robot_dynamics'
        )
    except (OSError, ValueError) as error:
        raise ParameterError(
            f'scheduler {address}: no Dask scheduler answers within {PATIENCE:g} s ({error}): '
            'check the address that it printed when it started'
        ) from None
    with client:
        yield client


@contextmanager
def _quiet_loggers() -> Iterator[None]:
    """Let Dask log nothing: outcomes say in one line what it logs with tracebacks."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith(LOGGING)]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _outcome(distributed: ModuleType, task: Task, future: Future[Any]) -> Outcome:
    try:
        outcome: Outcome = future.result()
        return outcome
    except distributed.scheduler.KilledWorker as error:
        why = 'look at their logs, for too little memory first, or compute fewer at a time'
        return Outcome(task.name, error=f'each worker that computed it has ended: {why} ({error})')
    except CancelledError:
        return Outcome(task.name, error='its scheduler has ended, or has cancelled it')
    except Exception as error:
        return failed(task.name, error)


def _same(common: Any) -> Any:
    return common
