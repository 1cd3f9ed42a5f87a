"""Tasks on processes of this machine, any of which may be killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection as connections
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from robot_dynamics_ros.core.compiler.threads import available_cores

from .interruptions import interruptions_later
from .task import Outcome, Task, computed, failed

# A fork would copy the locks of threads that do not exist in the copy.
CONTEXT = multiprocessing.get_context('spawn')
# Of a task whose process ends.
ATTEMPTS = 2
PATIENCE = 5.0  # [s] for a process to remove what it has begun to write
TERMINATED = 128 + signal.SIGTERM
THREADS = 'OPENBLAS_NUM_THREADS'


def outcomes_of_processes(tasks: Sequence[Task], common: Any, count: int) -> Iterator[Outcome]:
    """The outcome of each task, as soon as it is known.

    A task whose process is killed is computed again, by a new process.

    Args:
        tasks: to compute.
        common: first argument of each.
        count: of processes.
    """
    waiting, lost = deque(tasks), Counter[str]()
    workers: list[Worker] = []
    try:
        while waiting or any(worker.task for worker in workers):
            _assign(waiting, workers, common, count)
            for worker in _answering(workers):
                task, outcome = worker.answer()
                if outcome is not None:
                    yield outcome
                    continue
                workers.remove(worker)
                reason = worker.end()
                lost[task.name] += 1
                if lost[task.name] < ATTEMPTS:
                    waiting.append(task)
                else:
                    yield Outcome(task.name, error=reason)
    finally:
        for worker in workers:
            worker.begin_to_end()
        for worker in workers:
            worker.stop()


def _assign(waiting: deque[Task], workers: list[Worker], common: Any, count: int) -> None:
    """Give tasks to idle workers, and start workers that are missing."""
    for worker in workers:
        if waiting and worker.task is None:
            worker.give(waiting.popleft())
    while waiting and len(workers) < count:
        workers.append(Worker(common, threads=max(1, available_cores() // count)))
        workers[-1].give(waiting.popleft())


def _answering(workers: list[Worker]) -> list[Worker]:
    """Wait for workers that have an outcome, or have ended."""
    busy = {worker.connection: worker for worker in workers if worker.task is not None}
    return [busy[ready] for ready in connections.wait(list(busy))]  # type: ignore[index]


class Worker:
    """A process that computes one task after the other.

    Attributes:
        task: that it computes; None while it is idle.
    """

    def __init__(self, common: Any, threads: int) -> None:
        """Start the process.

        Args:
            common: first argument of each task.
            threads: with which NumPy computes there.
        """
        self.connection, theirs = CONTEXT.Pipe()
        self.task: Task | None = None
        self.process = CONTEXT.Process(target=_work, args=(theirs, common), daemon=True)
        with interruptions_later(), _threads_of_numpy(threads):
            self.process.start()
        # So that the end of the process can be read from this side.
        theirs.close()

    def give(self, task: Task) -> None:
        """Let the process compute a task."""
        self.task = task
        # If the process has ended, `answer` finds it.
        with suppress(OSError):
            self.connection.send(task)

    def answer(self) -> tuple[Task, Outcome | None]:
        """The task, and its outcome: None if the process has ended without one."""
        task, self.task = self.task, None
        assert task is not None
        try:
            return task, self.connection.recv()
        except (EOFError, OSError):
            return task, None

    def end(self) -> str:
        """How the process has ended, in one line."""
        self.begin_to_end()
        self.stop()
        code = self.process.exitcode or 0
        how = f'signal {signal.Signals(-code).name}' if code < 0 else f'exit code {code}'
        return (
            f'its process ended with {how}, {ATTEMPTS} times: look for too little memory, or '
            'compute fewer at a time'
        )

    def begin_to_end(self) -> None:
        """Let the process end: an idle one by itself, others remove what they have begun."""
        if self.task is not None:
            self.process.terminate()
        self.connection.close()

    def stop(self) -> None:
        """Wait for the end of the process; kill it if that takes too long."""
        self.process.join(PATIENCE)
        self.process.kill()
        self.process.join()


@contextmanager
def _threads_of_numpy(count: int) -> Iterator[None]:
    """Processes that are started meanwhile use so many threads for linear algebra.

    NumPy reads the environment when it is imported: one for each core, in each process, is slow.
    """
    before = os.environ.get(THREADS)
    os.environ[THREADS] = before or str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS]


def _work(connection: Connection, common: Any) -> None:
    """Compute tasks until the other side ends.

    Ctrl-C, and SIGHUP of a terminal that is closed, which reach all its processes, are for the
    other side alone.
    """
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        outcome = computed(task, common)
        try:
            connection.send(outcome)
        except OSError:
            return
        except Exception as error:  # the result cannot be pickled
            connection.send(failed(task.name, error))


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(TERMINATED)
