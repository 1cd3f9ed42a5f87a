"""Round trips of joint states to commands at 1 kHz, in blocks that alternate between two nodes."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.ros.loop import STATES

PERIOD = 1e-3
BLOCK = 1000
# A command that has not come after this many periods is lost.
LOST_AFTER = 200


class Driver:
    """Sends a joint state to nodes under test, and asks them for changes.

    Attributes:
        message: the state; it may be changed.
    """

    # [s] for discovery, and for an answer.
    LIMIT = 20.0

    def __init__(self, message: JointState) -> None:
        rclpy.init()
        self.node, self.message = rclpy.create_node('driver'), message
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)

    def destroy(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def peer(self, states: str, commands: str, process: int) -> Peer:
        """A node under test that answers: discovery of both directions is complete."""
        peer = Peer(self, states, commands, process)
        limit = time.monotonic() + self.LIMIT
        while not peer.exchange(0.1):
            if time.monotonic() > limit:
                raise TimeoutError(f'no {commands} within {self.LIMIT:g} s')
        return peer

    def alternate(self, peers: list[Peer], seconds: float) -> None:
        """Blocks of one second for each peer in turn, until each has had its time."""
        for peer in peers:
            peer.measure(BLOCK)
            peer.reset()
        for _ in range(round(seconds / (BLOCK * PERIOD))):
            for peer in peers:
                peer.measure(BLOCK)

    def client(self, kind: Any, name: str) -> Any:
        client = self.node.create_client(kind, name)
        if not client.wait_for_service(self.LIMIT):
            raise TimeoutError(f'no service {name}')
        return client

    def result(self, future: Future) -> Any:
        self.executor.spin_until_future_complete(future, self.LIMIT)
        if not future.done():
            raise TimeoutError(f'no answer within {self.LIMIT:g} s')
        return future.result()


class Peer:
    """One node under test, seen from outside: where its states go in and its commands come out.

    Attributes:
        round_trips: of the states that were answered [s].
        lost: states that were not.
        processor_time: of the node meanwhile [s].
    """

    def __init__(self, driver: Driver, states: str, commands: str, process: int) -> None:
        self._driver, self._process, self._answered = driver, process, False
        self._publisher = driver.node.create_publisher(JointState, states, STATES)
        driver.node.create_subscription(Float64MultiArray, commands, self._on_command, 10)
        self.reset()

    def reset(self) -> None:
        self.round_trips: list[float] = []
        self.lost, self.processor_time = 0, 0.0

    @property
    def states(self) -> int:
        return len(self.round_trips) + self.lost

    def measure(self, count: int, change: Callable[[], object] = lambda: None) -> list[float]:
        """That many round trips, one each period; those that were answered [s].

        Args:
            count: of round trips.
            change: is called before each; it may change the message.
        """
        before, used = len(self.round_trips), processor_time(self._process)
        due = time.perf_counter()
        for _ in range(count):
            due = max(due + PERIOD, time.perf_counter())
            change()
            time.sleep(max(0.0, due - time.perf_counter()))
            start = time.perf_counter()
            if self.exchange(LOST_AFTER * PERIOD):
                self.round_trips.append(time.perf_counter() - start)
            else:
                self.lost += 1
        self.processor_time += processor_time(self._process) - used
        return self.round_trips[before:]

    def longest(self, count: int) -> float:
        """The longest of that many round trips [s]."""
        return max(self.measure(count), default=LOST_AFTER * PERIOD)

    def until(self, future: Future) -> float:
        """The longest round trip until there is an answer [s]."""
        longest = 0.0
        while not future.done():
            longest = max(longest, self.longest(1))
        return longest

    def exchange(self, limit: float) -> bool:
        """Whether a state is answered within a limit [s]."""
        self._answered = False
        end = time.perf_counter() + limit
        self._publisher.publish(self._driver.message)
        while not self._answered and time.perf_counter() < end:
            self._driver.executor.spin_once(timeout_sec=limit)
        return self._answered

    def _on_command(self, _: Float64MultiArray) -> None:
        self._answered = True


def processor_time(process: int) -> float:
    """What all threads of a process have used [s].

    Raises:
        OSError: there is no such process.
    """
    clock = ctypes.c_int()
    # The ticks of /proc/PID/stat, 10 ms, are longer than a thousand estimates take.
    if error := ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(clock)):
        raise OSError(error, os.strerror(error))
    return time.clock_gettime(clock.value)
