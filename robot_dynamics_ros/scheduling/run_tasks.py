"""Many tasks: each gives one outcome, whatever happens to the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.compiler.threads import available_cores
from robot_dynamics_ros.core.errors import ParameterError

from .kept_results import KeptResults
from .local_processes import outcomes_of_processes
from .task import Outcome, Task, computed, joined


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
        report: is called with each outcome as soon as it is known, in this process; of a divided
            task, with those of its parts, unless its own is kept.

    Raises:
        ParameterError: an argument has another form, two tasks have one name, or no scheduler
            answers.
        OSError: a result cannot be kept.
    """
    _check(tasks, scheduler, processes)
    outcomes: dict[str, Outcome] = {}
    divided = {task.name for task in tasks if task.parts}

    def take(found: Iterable[Outcome]) -> None:
        for outcome in found:
            outcomes[outcome.name] = outcome
            if outcome.kept or outcome.name not in divided:
                report(outcome)

    results = None if resume is None else KeptResults(resume, common)
    if results is not None:
        take(results.found(tasks))
    missing = [task for task in tasks if task.name not in outcomes]
    parts = [part for task in missing for part in task.parts or (task,)]
    # Closed, it ends its processes also where `report` or the writing of a result raises.
    with closing(_computed(parts, common, scheduler, processes)) as computing:
        whole = _joined(missing, computing, report)
        take(whole if results is None else results.keeping(missing, whole))
    return [outcomes[task.name] for task in tasks]


def worker_count(scheduler: str | None = None, processes: int | None = None) -> int:
    """How many tasks `run` computes at a time.

    Args:
        scheduler: see `run`.
        processes: see `run`.

    Raises:
        ParameterError: an argument has another form, or no scheduler answers.
    """
    _check([], scheduler, processes)
    if scheduler is None:
        return processes or available_cores()
    from .cluster import threads_of_cluster

    return threads_of_cluster(scheduler)


def _joined(
    tasks: Sequence[Task], outcomes: Iterable[Outcome], report: Callable[[Outcome], object]
) -> Iterator[Outcome]:
    """The outcome of each task, as soon as those of all its parts are known."""
    whole = {part.name: task for task in tasks for part in task.parts}
    found: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.name not in whole:
            yield outcome
            continue
        report(outcome)
        found[outcome.name] = outcome
        task = whole[outcome.name]
        if all(part.name in found for part in task.parts):
            yield joined(task, [found.pop(part.name) for part in task.parts])


def _check(tasks: Sequence[Task], scheduler: str | None, processes: int | None) -> None:
    names = (each.name for task in tasks for each in (task, *task.parts))
    for name, count in Counter(names).items():
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
