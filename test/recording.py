"""Every command with its time, and what must hold of all of them."""

import math
import threading
import time

import numpy as np
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.control.limiter import LONGEST_STEP
from robot_dynamics_ros.ros.polling import PolledSubscription

# Between computing and receiving a command, on a loaded machine [s].
LATENESS = 0.05
# The sums and differences of numbers up to 1e3 round so far.
ROUNDING = 1e-9


class Recording(threading.Thread):
    """Hears the commands in a thread of its own: what an executor delays is timed all the same.

    Attributes:
        limits: (k,) of the commands [N m or N].
        rates: (k,) of their change [N m/s or N/s].
    """

    def __init__(self, node, topic, limits, rates):
        super().__init__(daemon=True)
        self.limits, self.rates = np.array(limits), np.array(rates)
        # The middleware notes the time of reception on the system's clock.
        self._offset = time.monotonic_ns() - time.time_ns()
        self._entries = []
        # From when on the robot applies the commands, and its torque before the first of them.
        self._applied = [(0.0, math.inf, 0.0)]
        self._ended = threading.Event()
        self._commands = PolledSubscription(node, Float64MultiArray, topic, QoSProfile(depth=5000))
        self.start()

    def run(self):
        while not self._ended.is_set():
            if self._commands.wait(0.02):
                for message, info in self._commands.poll():
                    at = 1e-9 * (info['received_timestamp'] + self._offset)
                    self._entries.append((at, np.array(message.data)))

    def stop(self):
        self._ended.set()
        self.join()

    def __len__(self):
        return len(self._entries)

    @property
    def last(self):
        """(k,) the last command; NaN before there is one."""
        return self._entries[-1][1] if self._entries else np.full(self.limits.size, np.nan)

    def since(self, at):
        """Times (m,) and commands (m, k) from a monotonic time on [s]."""
        found = [entry for entry in self._entries if entry[0] >= at]
        times = np.array([at for at, _ in found])
        return times, np.array([c for _, c in found]).reshape(-1, self.limits.size)

    def robot_has(self, torque):
        """The robot has this torque when the first command comes; without this, it has none."""
        begin, end, _ = self._applied[-1]
        self._applied[-1] = begin, end, np.array(torque)

    def not_applied(self):
        """From now on the controller is inactive: no command reaches the robot."""
        begin, _, torque = self._applied[-1]
        self._applied[-1] = begin, time.monotonic(), torque

    def applied_again(self, torque=0.0):
        """From now on the controller is active, and the robot has this torque."""
        self._applied.append((time.monotonic(), math.inf, torque))

    def check(self):
        """What no fault may break, of all commands and of those that the robot applies."""
        times, commands = self.since(0.0)
        assert np.isfinite(commands).all()
        assert (np.abs(commands) <= self.limits + ROUNDING).all()
        for begin, end, torque in self._applied:
            applied = (times >= begin) & (times < end)
            self._check_rates(times[applied], commands[applied], torque)

    def _check_rates(self, times, commands, torque):
        """Of commands to a robot that has this torque before the first of them."""
        steps = np.abs(np.diff(np.vstack([np.zeros_like(self.limits) + torque, commands]), axis=0))
        assert (steps <= self.rates * LONGEST_STEP + ROUNDING).all(), steps.max(axis=0)
        for first in range(len(times)):
            window = times[first:] - times[first]
            change = np.abs(commands[first:] - commands[first])
            allowed = np.outer(window + LATENESS, self.rates) + ROUNDING
            assert (change <= allowed)[window >= 0.1].all()
