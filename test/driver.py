"""Stands for a driver: joint states at a rate, whatever the rest of the process is about."""

import threading
import time

import numpy as np
from three_joints import state


class Driver(threading.Thread):
    """Publishes joint states of the robot of `three_joints` until it is stopped.

    Attributes:
        q, v: what it says of the robot.
        period: between two states [s].
        effort: gives the measured effort (3,), or None for none.
        change: is given every message before it is sent.
        sent: how many were sent.
        last_sent: when the last one was [s], monotonic.
    """

    def __init__(self, publisher, clock, q, v):
        super().__init__(daemon=True)
        self.q, self.v = np.array(q), np.array(v)
        self.period = 0.01
        self.effort = lambda: None
        self.change = lambda message: None
        self.sent, self.last_sent = 0, time.monotonic()
        self._publisher, self._clock = publisher, clock
        self._going, self._ended = threading.Event(), threading.Event()
        self._sending = threading.Lock()
        self._going.set()

    def run(self):
        due = time.monotonic()
        while not self._ended.is_set():
            self._going.wait()
            with self._sending:
                if self._going.is_set():
                    self.send()
            due = max(due + self.period, time.monotonic() - self.period)
            self._ended.wait(max(due - time.monotonic(), 0.0))

    def send(self):
        message = state(self.q, self.v)
        message.header.stamp = self._clock.now().to_msg()
        effort = self.effort()
        if effort is not None:
            message.effort = [0.0, *(float(x) for x in reversed(effort))]
        self.change(message)
        self._publisher.publish(message)
        self.sent, self.last_sent = self.sent + 1, time.monotonic()

    def pause(self):
        """Send no more; the time of the last one [s], monotonic."""
        with self._sending:
            self._going.clear()
            return self.last_sent

    def resume(self):
        self._going.set()

    def stop(self):
        self._ended.set()
        self._going.set()
        self.join()
