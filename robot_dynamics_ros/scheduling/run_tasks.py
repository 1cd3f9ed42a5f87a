"""Many tasks: each gives one outcome, whatever happens to the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.codegen.threads import available_cores
from robot_dynamics_ros.core.errors import ParameterError

from .kept_results import KeptResults
from .local_processes import outcomes_of_processes
from .task import Outcome, Task, computed


def run(
    tasks: Sequence[Task],
    *,
    common: Any = None,
    scheduler: str | None = None,
    processes: int | None = None,
    resume: Path | None = None,
    report: Callable[[Outcome], object] = lambda outcome: None,
) -> list[Outcome]:
    """The outcomes of tasks, in their order.

    An error of a task, or the end of the process that computes it, is the outcome of that task.
    After KeyboardInterrupt no process of this function goes on.

    Args:
        tasks: to compute.
        common: plain data (see `Task`) that each task takes as its first argument, such as the
            text of a URDF; a worker receives them once.
        scheduler: address of a Dask scheduler, such as `tcp://host:8786`; None for processes of
            this machine.
        processes: of this machine; None for one for each core that this process may use. One
            process is this one.
        resume: folder of the results; what it holds from an earlier run is not computed again.
        report: is called with each outcome as soon as it is known, in this process.

    Raises:
        ParameterError: an argument has another form, two tasks have one name, or no scheduler
            answers.
        OSError: a result cannot be kept.
    """
    _check(tasks, scheduler, processes)
    outcomes: dict[str, Outcome] = {}

    def take(found: Iterable[Outcome]) -> None:
        for outcome in found:
            outcomes[outcome.name] = outcome
            report(outcome)

    results = None if resume is None else KeptResults(resume, common)
    if results is not None:
        take(results.found(tasks))
    missing = [task for task in tasks if task.name not in outcomes]
    # Closed, it ends its processes also where `report` or the writing of a result raises.
    with closing(_computed(missing, common, scheduler, processes)) as computing:
        take(computing if results is None else results.keeping(missing, computing))
    return [outcomes[task.name] for task in tasks]


def _check(tasks: Sequence[Task], scheduler: str | None, processes: int | None) -> None:
    for name, count in Counter(task.name for task in tasks).items():
        if count > 1:
            raise ParameterError(f'{count} tasks have the name {name!r}: give each a name')
    if scheduler is not None and '://' not in scheduler:
        raise ParameterError(f'scheduler {scheduler!r}: an address tcp://HOST:PORT is needed')
    if scheduler is not None and processes is not None:
        raise ParameterError('processes are those of this machine: leave them out, or scheduler')
    if processes is not None and processes < 1:
        raise ParameterError(f'processes is {processes}: a whole number from 1 on is needed')


def _computed(
    tasks: Sequence[Task], common: Any, scheduler: str | None, processes: int | None
) -> Generator[Outcome, None, None]:
    """The outcomes, as soon as each is known."""
    if scheduler is not None:
        from .cluster import outcomes_of_cluster

        yield from outcomes_of_cluster(tasks, common, scheduler)
        return
    count = min(len(tasks), processes or available_cores())
    if count > 1:
        yield from outcomes_of_processes(tasks, common, count)
        return
    for task in tasks:
        yield computed(task, common)
