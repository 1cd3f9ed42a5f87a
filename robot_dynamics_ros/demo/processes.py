"""Child processes that end with their parent, also if it is killed, and their ROS domain."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from . import DemoError

DOMAINS = range(1, 61)
"""ROS domains to choose from; tests take those above."""
STOPPING = ((signal.SIGINT, 5.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0))
"""Signals that end a child, and how long to wait after each [s]."""
_PR_SET_PDEATHSIG = 1


class ChildProcess:
    """A Python module that runs as a child process, its output in a log file."""

    def __init__(self, name: str, module: str, arguments: Sequence[str], log: Path) -> None:
        """Start `python -m module arguments`."""
        self.name, self.log = name, log
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
        self.pid = self._process.pid

    def require_alive(self) -> None:
        """Check that it runs.

        Raises:
            DemoError: it has ended; the message holds the end of its log.
        """
        if (code := self._process.poll()) is not None:
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
        """End it, by the signals of `STOPPING` in turn, and wait until it has ended."""
        for number, patience in STOPPING:
            if self._process.poll() is not None:
                return
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)


class Children:
    """The child processes of one run by name, as a context manager that ends them all."""

    def __init__(self, logs: Path) -> None:
        """Write the logs to this folder, one file per child."""
        self._logs = logs
        self._children: dict[str, ChildProcess] = {}

    def start(self, name: str, module: str, arguments: Sequence[str]) -> ChildProcess:
        """Start a module as a child process."""
        child = ChildProcess(name, module, arguments, self._logs / f'{name}.log')
        self._children[name] = child
        return child

    def cpu_seconds(self) -> dict[str, float]:
        """The processor time of each child and of this process so far [s], by name."""
        used = {name: child.cpu_seconds() for name, child in self._children.items()}
        return {**used, 'observer': time.process_time()}

    def log_tail(self, name: str) -> str:
        """The end of a child's log, indented."""
        return self._children[name].log_tail()

    def require_alive(self) -> None:
        """Check that all children run.

        Raises:
            DemoError: one has ended; the message holds the end of its log.
        """
        for child in self._children.values():
            child.require_alive()

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in reversed(self._children.values()):
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


def isolate() -> int:
    """Restrict this process and its children to this machine and one ROS domain.

    Sets environment variables: call it before rclpy starts.

    Returns:
        The domain: that of the environment if it gives one, else a free one.
    """
    if not os.environ.get('ROS_DOMAIN_ID'):
        os.environ['ROS_DOMAIN_ID'] = str(_free_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    for variable in ('ROS_STATIC_PEERS', 'ROS_NAMESPACE'):
        os.environ.pop(variable, None)
    # The FastDDS profile that makes discovery fast: of the repository, else installed.
    places = [Path(__file__).resolve().parents[2] / 'config']
    # ImportError: no ament index; OSError: no workspace is sourced; LookupError: not in it.
    with contextlib.suppress(ImportError, OSError, LookupError):
        from ament_index_python.packages import get_package_share_directory

        places.append(Path(get_package_share_directory('robot_dynamics_ros')) / 'config')
    for profile in (place / 'fastdds.xml' for place in places):
        if profile.is_file():
            os.environ.setdefault(profile_variable(), str(profile))
    return int(os.environ['ROS_DOMAIN_ID'])


def profile_variable() -> str:
    """The variable that names the profile: the Fast DDS of Jazzy has another one than later ones.

    Later ones warn of a variable of the old name.
    """
    distributions = os.environ.get('ROS_DISTRO'), os.environ.get('ROS_WHEELS')
    return f'FAST{"RTPS" if "jazzy" in distributions else "DDS"}_DEFAULT_PROFILES_FILE'


def _free_domain() -> int:
    for domain in random.sample(DOMAINS, 20):
        # The first participant of a DDS domain listens here (RTPS 2.5, 9.6.2.3).
        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with probe, contextlib.suppress(OSError):
            probe.bind(('127.0.0.1', 7400 + 250 * domain + 10))
            return domain
    return random.choice(DOMAINS)
