"""Many tasks: each gives one outcome, whatever happens to the others."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

from robot_dynamics_ros.core.compiler.threads import available_cores
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError

from .kept_results import checked_folder, read_result, result_file, write_result

# A fork would copy the locks of threads that do not exist in the copy.
CONTEXT = multiprocessing.get_context('spawn')
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
THREADS = 'OPENBLAS_NUM_THREADS'
# [s] for a process to remove what it has begun to write; for a scheduler to answer.
PATIENCE, SCHEDULER_PATIENCE = 5.0, 10.0
# By Dask, after an error that another attempt may not have, as of a file server that is away.
RETRIES = 2


@dataclass(frozen=True)
class Task:
    """A call `function(common, *arguments)`, which any process may execute, also more than once.

    Attributes:
        name: of the task, such as the path of a recording; no other task has it.
        function: of a module; each worker imports it by its name.
        arguments: numbers, texts, paths, and tuples and dataclasses of them: what `repr` gives in
            full. They are small; large data are named by a path that each worker can read.
        reads: files or folders whose content decides the result, with absolute paths.
        writes: files that the task writes as a whole; a kept result counts while they exist.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()


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
        common: what each task takes as its first argument, such as the text of a URDF; of the
            same kinds as `Task.arguments`.
        scheduler: address of a Dask scheduler, such as `tcp://host:8786`; None for processes of
            this machine.
        processes: of this machine; None for one for each core that this process may use. One
            process is this one.
        resume: folder of the results; what it holds from an earlier run of the same source, with
            the same arguments and files, is not computed again. Errors are.
        report: is called with each outcome as soon as it is known, in this process.

    Raises:
        ParameterError: an argument has another form, two tasks have one name, or no scheduler
            answers.
        OSError: a result cannot be kept.
    """
    names = [task.name for task in tasks]
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise ParameterError(f'{count} tasks have the name {name!r}: give each a name')
    if scheduler is not None and '://' not in scheduler:
        raise ParameterError(f'scheduler {scheduler!r}: an address tcp://HOST:PORT is needed')
    outcomes: dict[str, Outcome] = {}
    files: dict[str, Path] = {}
    if resume is not None:
        folder = checked_folder(resume)
        for task in tasks:
            function = f'{task.function.__module__}.{task.function.__qualname__}'
            decides = (common, function, task.arguments)
            files[task.name] = file = result_file(folder, task.name, decides, task.reads)
            # A damaged file raises anything.
            with suppress(Exception):
                if all(path.exists() for path in task.writes):
                    outcomes[task.name] = Outcome(task.name, read_result(file), kept=True)
    for outcome in outcomes.values():
        report(outcome)
    missing = [task for task in tasks if task.name not in outcomes]
    # Closed, it ends its processes also where `report` or the writing of a result raises.
    with closing(_computed(missing, common, scheduler, processes)) as computing:
        for outcome in computing:
            if outcome.name in files and not outcome.error:
                write_result(files[outcome.name], outcome.result)
            outcomes[outcome.name] = outcome
            report(outcome)
    return [outcomes[name] for name in names]


def _computed(
    tasks: Sequence[Task], common: Any, scheduler: str | None, processes: int | None
) -> Generator[Outcome, None, None]:
    """The outcome of each task, as soon as it is known."""
    if scheduler is not None:
        yield from _of_cluster(tasks, common, scheduler)
        return
    count = min(len(tasks), processes or available_cores())
    if count < 2:
        yield from (_outcome(task, common) for task in tasks)
        return
    waiting = deque(tasks)
    while waiting:
        ended = yield from _of_processes(waiting, common, count)
        # One of these ended its process, and with it the pool: each has a second one for itself.
        for task in ended:
            if (yield from _of_processes(deque([task]), common, 1)):
                why = 'its process was killed twice: look for too little memory, or compute fewer '
                yield Outcome(task.name, error=f'{why}at a time (taskset)')


def _outcome(task: Task, common: Any) -> Outcome:
    """Compute a task here: each Exception is an error of this task alone."""
    try:
        return _outcome_or_retry(task, common)
    except Exception as error:
        return _of_error(task, error)


def _outcome_or_retry(task: Task, common: Any) -> Outcome:
    """The same, but raise what a second attempt may not have: no error of this package."""
    try:
        return Outcome(task.name, task.function(common, *task.arguments))
    except RobotDynamicsError as error:
        return Outcome(task.name, error=_in_one_line(str(error)))


def _of_error(task: Task, error: BaseException) -> Outcome:
    if isinstance(error, OSError) and error.strerror:
        text = f'{error.filename}: {error.strerror}' if error.filename else error.strerror
        return Outcome(task.name, error=_in_one_line(text))
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    text = _in_one_line(f'{type(error).__name__}: {error}')
    return Outcome(task.name, error=text, traceback=''.join(lines))


def _in_one_line(text: str) -> str:
    return ' '.join(text.split())


def _of_processes(
    waiting: deque[Task], common: Any, count: int
) -> Generator[Outcome, None, list[Task]]:
    """Outcomes by so many processes; returns the tasks in the work of which one has ended.

    All end as soon as this side of a pipe is closed, or has died; they remove what they have
    begun to write.
    """
    ending, held = CONTEXT.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, CONTEXT, initializer=_begin, initargs=(ending,))
    running: dict[Future[Outcome], Task] = {}
    ended: list[Task] = []
    try:
        with _starting(count):
            # A pool watches the processes that it had when it was last called.
            for _ in range(count):
                pool.submit(int)
        while (waiting or running) and not ended:
            # No more than are computed: all others can go on with another pool.
            with suppress(BrokenProcessPool), _starting(count):
                while waiting and len(running) < count:
                    future = pool.submit(_answer, waiting[0], common)
                    running[future] = waiting.popleft()
            if not running:
                break
            for future in wait(running, return_when='FIRST_COMPLETED').done:
                task = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    ended.append(task)
                # Such as a result that cannot be pickled.
                except Exception as error:
                    yield _of_error(task, error)
        return [*ended, *running.values()]
    finally:
        held.close()
        pool.shutdown(cancel_futures=True)
        ending.close()


@contextmanager
def _starting(count: int) -> Iterator[None]:
    """Start processes with blocked signals, and their share of threads for linear algebra.

    Ctrl-C on a terminal is for this process alone. NumPy reads the environment when it is
    imported: one thread for each core, in each process, is slow.
    """
    # It unblocks SIGINT when it starts, which it does with the first process.
    resource_tracker.ensure_running()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    before = os.environ.get(THREADS)
    os.environ[THREADS] = before or str(max(1, available_cores() // count))
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS]
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _begin(ending: Connection) -> None:
    """In a new process: let it end with the process that has started it."""
    # That of a terminal that is closed reaches all its processes.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    threading.Thread(target=_end_later, args=(ending,), daemon=True).start()


def _end_later(ending: Connection) -> None:
    with suppress(EOFError, OSError):
        ending.recv()
    # One that comes before a call that waits would end this call only when it returns.
    for _ in range(100):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        time.sleep(0.01 * PATIENCE)
    os._exit(1)


def _answer(task: Task, common: Any) -> Outcome:
    """In a process: the outcome of a task. SIGTERM meanwhile removes what was begun."""

    def leave(*_: object) -> NoReturn:
        # A second one would interrupt the removal.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit

    signal.signal(signal.SIGTERM, leave)
    try:
        return _outcome(task, common)
    except SystemExit:
        # The pool would wait for another task.
        os._exit(1)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _of_cluster(tasks: Sequence[Task], common: Any, address: str) -> Iterator[Outcome]:
    """Outcomes by Dask, which computes the tasks of a lost worker again.

    How often: up to its setting `distributed.scheduler.allowed-failures`.
    """
    try:
        import distributed
    except ImportError:
        raise ParameterError(
            f"scheduler {address}: dask is not installed: pip install 'robot_dynamics_ros[fleet]'"
        ) from None
    with ExitStack() as stack:
        # Outcomes say in one line what it logs with tracebacks.
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable()
        try:
            client = distributed.Client(
                address, timeout=SCHEDULER_PATIENCE, set_as_default=False, name='robot_dynamics'
            )
        except (OSError, ValueError) as error:
            raise ParameterError(
                f'scheduler {address}: no Dask scheduler answers within {SCHEDULER_PATIENCE:g} s '
                f'({error}): check the address that it printed when it started'
            ) from None
        stack.enter_context(client)
        run = f'robot_dynamics-{uuid4().hex[:12]}'
        # A task too, so that a lost worker does not lose it, and each worker receives it once.
        shared = client.submit(_same, common, key=f'common-{run}', pure=False)
        futures = {
            client.submit(
                _outcome_or_retry, task, shared, key=f'{run}-{n}', retries=RETRIES, pure=False
            ): task
            for n, task in enumerate(tasks)
        }
        stack.callback(client.cancel, [*futures, shared])
        for future in distributed.as_completed(list(futures), loop=client.loop):
            task = futures[future]
            try:
                yield future.result()
            except distributed.scheduler.KilledWorker as error:
                why = 'look at their logs, for too little memory first, or compute fewer at a time'
                text = f'each worker that computed it has ended: {why} ({error})'
                yield Outcome(task.name, error=text)
            except CancelledError:
                text = 'its scheduler has ended, or has cancelled it'
                yield Outcome(task.name, error=text)
            except Exception as error:
                yield _of_error(task, error)


def _same(common: Any) -> Any:
    return common
