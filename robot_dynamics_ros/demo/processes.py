"""Child processes that end with their parent, also if it is killed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from . import DemoError

_PR_SET_PDEATHSIG = 1
_STOPPING = ((signal.SIGINT, 5.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))


class ChildProcess:
    """A Python module that runs as a child process, its output in a log file."""

    def __init__(self, name: str, module: str, arguments: Sequence[str], log: Path) -> None:
        """Start `python -m module arguments`."""
        self.name = name
        self.log = log
        # In a session of its own it does not receive a Ctrl-C at the terminal: the parent does,
        # and stops the children in order.
        with log.open('wb') as output:
            self._process = subprocess.Popen(
                [sys.executable, '-m', module, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent(),
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def require_alive(self) -> None:
        """Check that it runs.

        Raises:
            DemoError: it has ended; the message holds the end of its log.
        """
        code = self._process.poll()
        if code is not None:
            raise DemoError(f'the {self.name} ended with exit code {code}\n{self.log_tail()}')

    def log_tail(self, lines: int = 12) -> str:
        """The end of its log, indented."""
        text = self.log.read_text(errors='replace').splitlines()[-lines:]
        return '\n'.join(f'  {self.name}| {line[:500]}' for line in text) or '  (no output)'

    def cpu_seconds(self) -> float:
        """Its processor time so far [s]; 0.0 where the system does not report it."""
        try:
            fields = Path(f'/proc/{self.pid}/stat').read_text().rpartition(')')[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def stop(self) -> None:
        """End it, by SIGINT, SIGTERM and SIGKILL in turn, and wait until it has ended."""
        for number, patience in _STOPPING:
            if self._process.poll() is not None:
                return
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)


class Children:
    """The child processes of one run, as a context manager that ends them all."""

    def __init__(self, logs: Path) -> None:
        """Write the logs to this folder, one file per child."""
        self._logs = logs
        self._children: list[ChildProcess] = []

    def start(self, name: str, module: str, arguments: Sequence[str]) -> ChildProcess:
        """Start a module as a child process."""
        child = ChildProcess(name, module, arguments, self._logs / f'{name}.log')
        self._children.append(child)
        return child

    def cpu_seconds(self) -> dict[str, float]:
        """The processor time of each child and of this process so far [s], by name."""
        used = {child.name: child.cpu_seconds() for child in self._children}
        return {**used, 'observer': time.process_time()}

    def log_tail(self, name: str) -> str:
        """The end of a child's log, indented."""
        return next(child.log_tail() for child in self._children if child.name == name)

    def require_alive(self) -> None:
        """Check that all children run.

        Raises:
            DemoError: one has ended; the message holds the end of its log.
        """
        for child in self._children:
            child.require_alive()

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in reversed(self._children):
            child.stop()


@contextlib.contextmanager
def interrupts_between_calls() -> Iterator[list[int]]:
    """The signals to end the demo, as they come, until the end of the block.

    Raised inside rclpy, KeyboardInterrupt leaves a Future half made, or is lost in its `__del__`.
    """
    received: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda came, _: received.append(came)) for number in numbers]
    try:
        yield received
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def die_with_parent() -> Callable[[], object] | None:
    """On Linux, a function that has the kernel end the child when its parent is killed."""
    if not sys.platform.startswith('linux'):
        return None
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
