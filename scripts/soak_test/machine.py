"""The memory of the node, and the time that waits for it."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from robot_dynamics_ros.demo import DemoError

# Memory is looked at once a second, and averaged; until then it need not be steady [s].
PERIOD, SETTLED, WINDOW = 1.0, 60.0, 10.0
MIB = 2**20
# Between two looks [s]: who looks all the time takes the processor from the node.
LOOK = 5e-5
# Looks in a row that find every thread asleep: what one has sent wakes the other at once.
QUIET = 2
# Cycles between two lists of threads; how long a cycle may take, however busy a machine is [s].
RELISTED, SETTLE_LIMIT = 50, 60.0


class Memory:
    """Samples the resident memory of a process.

    Attributes:
        settled: whether what is loaded at need has been loaded; the first minute counts as not.
    """

    def __init__(self, pid: int) -> None:
        self._statm, self._begin = Path(f'/proc/{pid}/statm'), time.monotonic()
        self._samples: list[tuple[float, float]] = []
        self._first: float | None = None
        self.settled = False

    def sample(self) -> None:
        """Look, if it is time to."""
        age = time.monotonic() - self._begin
        if self._samples and age - self._samples[-1][0] < PERIOD:
            return
        if self._first is None and self.settled and age >= SETTLED:
            self._first = age
        pages = int(self._statm.read_text().split()[1])
        self._samples.append((age, pages * os.sysconf('SC_PAGE_SIZE') / MIB))

    @property
    def last(self) -> float:
        """The latest sample [MiB]."""
        return self._samples[-1][1]

    @property
    def growth(self) -> float | None:
        """From when it had settled to the end [MiB]; None where that was too short."""
        end = self._samples[-1][0]
        if self._first is None or end < self._first + 2 * WINDOW:
            return None
        first, last = (
            [size for age, size in self._samples if begin <= age <= begin + WINDOW]
            for begin in (self._first, end - WINDOW)
        )
        return sum(last) / len(last) - sum(first) / len(first)


class SimulatedTime:
    """The time of states and node, which stands still while one of two processes is at work.

    How busy a machine is then changes how long a cycle takes, and nothing that the node sees.

    Attributes:
        now: [ns].
    """

    def __init__(self, node: Node, pid: int, rate: float) -> None:
        """Begin at a time from which stamps may go back.

        Args:
            node: of this process, which publishes `/clock`.
            pid: of the process of the node under test.
            rate: of the cycles [Hz].
        """
        self.now, self._step = 1000 * 10**9, round(1e9 / rate)
        self._clock = node.create_publisher(Clock, '/clock', 10)
        self._pids, self._cycle = (pid, os.getpid()), 0
        self._threads: list[int] = []

    @property
    def seconds(self) -> float:
        """[s]."""
        return 1e-9 * self.now

    def advance(self) -> None:
        """Go on by a cycle."""
        self.now += self._step
        stamp = Time(sec=self.now // 10**9, nanosec=self.now % 10**9)
        self._clock.publish(Clock(clock=stamp))

    def settle(self) -> None:
        """Wait until all other threads of both processes sleep: nothing is under way.

        Raises:
            DemoError: they do not.
        """
        if self._cycle % RELISTED == 0:
            self._list()
        self._cycle += 1
        end, quiet = time.monotonic() + SETTLE_LIMIT, 0
        while quiet < QUIET:
            quiet = quiet + 1 if all(map(sleeps, self._threads)) else 0
            if not quiet:
                time.sleep(LOOK)
                if time.monotonic() > end:
                    raise DemoError(f'the node was at work for {SETTLE_LIMIT:g} s')

    def _list(self) -> None:
        """Open the states of all threads, as Linux tells them."""
        for one in self._threads:
            os.close(one)
        own, self._threads = threading.get_native_id(), []
        for pid in self._pids:
            for task in Path(f'/proc/{pid}/task').iterdir():
                # It may end while we look.
                with contextlib.suppress(OSError):
                    if int(task.name) != own:
                        self._threads.append(os.open(task / 'stat', os.O_RDONLY))


def sleeps(thread: int) -> bool:
    """Whether a thread waits for something; one that has ended does, too."""
    try:
        text = os.pread(thread, 64, 0)
    except OSError:
        return True
    return text[text.rindex(b')') + 2 : text.rindex(b')') + 3] not in b'RD'
