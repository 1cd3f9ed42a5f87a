"""Stands for a driver: joint states at a rate, whatever the rest of the process is about.

Stamps advance evenly, as those of a device: a machine that stands still makes no gap in them.
"""

import threading
import time

import numpy as np
from rclpy.duration import Duration
from three_joints import state


class Driver(threading.Thread):
    """Publishes joint states of the robot of `three_joints` until it is stopped.

    Attributes:
        q, v: what it says of the robot.
        period: between two states [s].
        step: between two stamps [s]; None: stamps are those of the clock.
        effort: gives the measured effort (3,), or None for none.
        change: is given every message before it is sent.
        sent: how many were sent.
    """

    def __init__(self, publisher, clock, q, v):
        super().__init__(daemon=True)
        self.q, self.v = np.array(q), np.array(v)
        self.period = self.step = 0.01
        self._stamp = clock.now()
        self.effort = lambda: None
        self.change = lambda message: None
        self.sent = 0
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
        if self.step is None:
            self._stamp = self._clock.now()
        else:
            self._stamp += Duration(seconds=self.step)
        message.header.stamp = self._stamp.to_msg()
        effort = self.effort()
        if effort is not None:
            message.effort = [0.0, *(float(x) for x in reversed(effort))]
        self.change(message)
        self._publisher.publish(message)
        self.sent += 1

    def pause(self):
        """Send no more."""
        with self._sending:
            self._going.clear()

    def resume(self):
        self._going.set()

    def stop(self):
        self._ended.set()
        self._going.set()
        self.join()
