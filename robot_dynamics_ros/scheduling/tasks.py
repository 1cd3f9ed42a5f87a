"""Many tasks: each gives one outcome, whatever happens to the others."""

from __future__ import annotations

import hashlib
import io
import logging
import multiprocessing
import os
import pickle
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, is_dataclass
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

from robot_dynamics_ros.core.compiler.threads import available_cores
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.written_file import written_file

# A fork would copy the locks of threads that do not exist in the copy.
CONTEXT = multiprocessing.get_context('spawn')
THREADS = 'OPENBLAS_NUM_THREADS'
# [s] for a process to remove what it has begun to write; for a scheduler to answer.
PATIENCE, SCHEDULER_PATIENCE = 5.0, 10.0
# For the process that has started others: Ctrl-C, or the end of the terminal.
SIGNALS = (signal.SIGINT, signal.SIGHUP)
LONGEST_NAME = 80  # of the part of a file name that is there for people
PACKAGE = __name__.partition('.')[0]
# What else results are made of.
OTHERS = {
    *(('numpy', name) for name in ('ndarray', 'dtype', 'scalar', '_reconstruct', '_frombuffer')),
    ('pathlib', 'PosixPath'),
}


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
        kept: whether an earlier run computed the result.
    """

    name: str
    result: Any = None
    error: str = ''
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
        resume: folder of the results, as pickles; what it holds from an earlier run of the same
            source, with the same arguments and files, is not computed again. Errors are.
        report: is called with each outcome as soon as it is known, in this process.

    Raises:
        ParameterError: two tasks have one name, or no scheduler answers.
        OSError: a result cannot be kept.
    """
    names = [task.name for task in tasks]
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise ParameterError(f'{count} tasks have the name {name!r}: give each a name')
    outcomes: dict[str, Outcome] = {}
    files: dict[str, Path] = {}
    if resume is not None:
        resume.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            files[task.name] = file = resume / _file_name(task, common)
            # A damaged file raises anything.
            with suppress(Exception):
                if all(path.exists() for path in task.writes):
                    result = _Reader(io.BytesIO(file.read_bytes())).load()
                    outcomes[task.name] = Outcome(task.name, result, kept=True)
    for outcome in outcomes.values():
        report(outcome)
    missing = [task for task in tasks if task.name not in outcomes]
    # Closed, it ends its processes also where `report` or the writing of a result raises.
    with closing(_computed(missing, common, scheduler, processes)) as computing:
        for outcome in computing:
            if outcome.name in files and not outcome.error:
                with written_file(files[outcome.name]) as new:
                    new.write_bytes(pickle.dumps(outcome.result))
            outcomes[outcome.name] = outcome
            report(outcome)
    return [outcomes[name] for name in names]


class _Reader(pickle.Unpickler):
    """Reads numbers, texts, arrays, and dataclasses of this package; nothing else is called."""

    def find_class(self, module: str, name: str) -> Any:
        package = module.partition('.')[0]
        if package == PACKAGE or (package, name) in OTHERS:
            found = super().find_class(module, name)
            if package != PACKAGE or (isinstance(found, type) and is_dataclass(found)):
                return found
        raise pickle.UnpicklingError(f'{module}.{name} is no part of a result')


def _file_name(task: Task, common: Any) -> str:
    """Of a kept result: by what it follows from, the source of this package too."""
    states = []
    for path in task.reads:
        for file in sorted(path.rglob('*')) if path.is_dir() else [path]:
            with suppress(OSError):
                status = file.stat()
                states.append((str(file), status.st_size, status.st_mtime_ns))
    function = f'{task.function.__module__}.{task.function.__qualname__}'
    key = repr((_source(), common, function, task.arguments, states))
    digest = hashlib.sha256(key.encode(errors='surrogatepass')).hexdigest()[:32]
    shown = re.sub(r'[^A-Za-z0-9.-]+', '_', Path(task.name).name)[:LONGEST_NAME]
    return f'{shown}.{digest}.result'


@cache
def _source() -> str:
    """SHA-256 of this package's modules."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob('*.py')):
        digest.update(file.read_bytes())
    return digest.hexdigest()


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
    missing = yield from _of_processes(tasks, common, count)
    # One ended its process, and with it the pool: what is missing is computed one at a time.
    while missing:
        lost = yield from _of_processes(missing, common, 1)
        if lost:
            why = 'its process was killed twice: look for too little memory, or compute fewer '
            yield Outcome(lost[0].name, error=f'{why}at a time (taskset)')
        missing = lost[1:]


def _outcome(task: Task, common: Any) -> Outcome:
    """Compute a task here: each Exception is an error of this task alone."""
    try:
        return Outcome(task.name, task.function(common, *task.arguments))
    except Exception as error:
        return _of_error(task, error)


def _of_error(task: Task, error: Exception) -> Outcome:
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f'{error.filename}: {error.strerror}' if error.filename else error.strerror
    elif not isinstance(error, RobotDynamicsError):
        text = f'error of the program itself ({type(error).__name__}: {error})'
    return Outcome(task.name, error=' '.join(text.split()))


def _of_processes(
    tasks: Sequence[Task], common: Any, count: int
) -> Generator[Outcome, None, list[Task]]:
    """Outcomes by so many processes; returns the tasks that are missing where one has ended.

    Where this is closed, they end, and remove what they have begun to write.
    """
    pool = ProcessPoolExecutor(count, CONTEXT, initializer=_begin)
    futures: dict[Future[Outcome], Task] = {}
    done: set[str] = set()
    try:
        with _starting(count), suppress(BrokenProcessPool):
            for task in tasks:
                futures[pool.submit(_answer, task, common)] = task
        for future in as_completed(futures):
            task = futures[future]
            try:
                outcome = future.result()
            except BrokenProcessPool:
                continue
            # Such as a result that cannot be pickled.
            except Exception as error:
                outcome = _of_error(task, error)
            done.add(task.name)
            yield outcome
        return [task for task in tasks if task.name not in done]
    finally:
        # Public from Python 3.14 on, as terminate_workers().
        workers = [*(pool._processes or {}).values()]
        pool.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()
        for process in workers:
            process.join(PATIENCE)
            process.kill()
            process.join()


@contextmanager
def _starting(count: int) -> Iterator[None]:
    """Start processes without signals of the terminal, and with their share of threads.

    NumPy reads the environment when it is imported: one thread for each core, in each process, is
    slow.
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


def _begin() -> None:
    """In a new process: SIGTERM removes what was begun, and comes if its parent dies."""

    def leave(*_: object) -> NoReturn:
        # A second one would interrupt the removal.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit

    def end_with_parent() -> None:
        multiprocessing.parent_process().join()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGTERM)
        time.sleep(PATIENCE)
        os._exit(1)

    signal.signal(signal.SIGTERM, leave)
    threading.Thread(target=end_with_parent, daemon=True).start()


def _answer(task: Task, common: Any) -> Outcome:
    """In a process: the outcome of a task."""
    try:
        return _outcome(task, common)
    except SystemExit:
        # The pool would wait for another task.
        os._exit(1)


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
                f'({error}): check the address tcp://HOST:PORT that it printed when it started'
            ) from None
        stack.enter_context(client)
        run = f'robot_dynamics-{uuid4().hex[:12]}'
        # A task too, so that a lost worker does not lose it, and each worker receives it once.
        shared = client.submit(_same, common, key=f'common-{run}', pure=False)
        futures = {
            client.submit(_outcome, task, shared, key=f'{run}-{n}', pure=False): task
            for n, task in enumerate(tasks)
        }
        stack.callback(client.cancel, [*futures, shared])
        for future in distributed.as_completed(list(futures), loop=client.loop):
            task = futures[future]
            try:
                yield future.result()
            except (distributed.scheduler.KilledWorker, CancelledError) as error:
                why = 'lost with its workers or its scheduler, look at their logs, for too little'
                yield Outcome(task.name, error=f'{why} memory first ({error})')
            except Exception as error:
                yield _of_error(task, error)


def _same(common: Any) -> Any:
    return common
