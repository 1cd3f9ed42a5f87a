"""A task, its outcome, and how a worker computes it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.errors import RobotDynamicsError


@dataclass(frozen=True)
class Task:
    """A call `function(common, *arguments)`, which any process may execute, also more than once.

    Attributes:
        name: of the task, such as the path of a recording; no other task has it.
        function: of a module; each worker imports it by its name.
        arguments: plain data: None, bool, numbers, str, Path, NumPy arrays, dataclasses of this
            package, and lists, tuples and dicts of them. They are small; large data are named by
            a path that each worker can read.
        reads: files or folders whose content decides the result, with absolute paths.
        writes: files that the task writes as a whole; a kept result counts while they exist.
        parts: tasks that are computed instead of this one, which is too large for one process;
            none of them is divided. Results of parts are not kept.
        join: makes the result of this task, the same as `function` gives, of those of its parts in
            their order. It is called in the process that calls `run`.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    parts: tuple[Task, ...] = ()
    join: Callable[[list[Any]], Any] | None = None


@dataclass(frozen=True)
class Outcome:
    """What a task has given: a result, or an error.

    Attributes:
        name: of the task.
        result: what the function returned; None after an error.
        error: why there is no result, in one line; empty if there is one.
        traceback: of an error that nobody has foreseen; else empty.
        kept: whether an earlier run computed the result.
    """

    name: str
    result: Any = None
    error: str = ''
    traceback: str = ''
    kept: bool = False


def computed(task: Task, common: Any) -> Outcome:
    """The outcome of a task: each Exception is an error of this task alone."""
    try:
        return answered(task, common)
    except Exception as error:
        return failed(task.name, error)


def answered(task: Task, common: Any) -> Outcome:
    """The outcome of a task, where an error of the package is the same at each attempt.

    Raises:
        Exception: another error, which a second attempt may not have.
    """
    try:
        return Outcome(task.name, task.function(common, *task.arguments))
    except RobotDynamicsError as error:
        return Outcome(task.name, error=_in_one_line(str(error)))


def joined(task: Task, parts: Sequence[Outcome]) -> Outcome:
    """The outcome of a task from those of its parts, in their order; the first error of these."""
    assert task.join is not None
    for part in parts:
        if part.error:
            return Outcome(task.name, error=part.error, traceback=part.traceback)
    try:
        return Outcome(task.name, task.join([part.result for part in parts]))
    except RobotDynamicsError as error:
        return Outcome(task.name, error=_in_one_line(str(error)))
    except Exception as error:
        return failed(task.name, error)


def failed(name: str, error: BaseException) -> Outcome:
    """The outcome of a task that ended with an unexpected error."""
    if isinstance(error, OSError) and error.strerror:
        text = f'{error.filename}: {error.strerror}' if error.filename else error.strerror
        return Outcome(name, error=_in_one_line(text))
    text = f'{type(error).__name__}: {error}'
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return Outcome(name, error=_in_one_line(text), traceback=''.join(lines))


def _in_one_line(text: str) -> str:
    return ' '.join(text.split())
