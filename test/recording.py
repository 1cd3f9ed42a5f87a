"""Every command in its order, and what must hold of all of them."""

import threading

import numpy as np
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.control.limiter import LONGEST_STEP
from robot_dynamics_ros.ros.endpoints import PolledSubscription

# The sums and differences of numbers up to 1e3 round so far.
ROUNDING = 1e-9


class Recording(threading.Thread):
    """Hears the commands in a thread of its own, so that none is lost while an executor waits.

    No time is checked: that commands change no faster than the rates is a law of the limiter,
    whose tests give it the time. Here each step between two commands is one that it allows.

    Attributes:
        limits: (k,) of the commands [N m or N].
        rates: (k,) of their change [N m/s or N/s].
    """

    def __init__(self, node, topic, limits, rates):
        super().__init__(daemon=True)
        self.limits, self.rates = np.array(limits), np.array(rates)
        # The commands, and the number that their publisher gave to each.
        self._entries, self._numbers = [], []
        # The first command that the robot applies, the first that it does not any more, and its
        # torque before.
        self._applied = [(0, None, 0.0)]
        self._ended = threading.Event()
        self._commands = PolledSubscription(node, Float64MultiArray, topic, QoSProfile(depth=5000))
        self.start()

    def run(self):
        while not self._ended.is_set():
            if self._commands.wait(0.02):
                for message, info in self._commands.poll():
                    self._numbers.append(info.get('publication_sequence_number'))
                    self._entries.append(np.array(message.data))

    def stop(self):
        self._ended.set()
        self.join()

    def __len__(self):
        return len(self._entries)

    @property
    def last(self):
        """(k,) the last command; NaN before there is one."""
        return self._entries[-1] if self._entries else np.full(self.limits.size, np.nan)

    @property
    def commands(self):
        """(m, k) all of them."""
        return np.array(self._entries).reshape(-1, self.limits.size)

    def robot_has(self, torque):
        """The robot has this torque when the first command comes; without this, it has none."""
        begin, end, _ = self._applied[-1]
        self._applied[-1] = begin, end, np.array(torque)

    def not_applied(self):
        """From now on the controller is inactive: no command reaches the robot."""
        begin, _, torque = self._applied[-1]
        self._applied[-1] = begin, len(self), torque

    def applied_again(self, torque=0.0):
        """From now on the controller is active, and the robot has this torque."""
        self._applied.append((len(self), None, torque))

    def check(self):
        """What no fault may break, of all commands and of those that the robot applies."""
        assert np.isfinite(self.commands).all()
        assert (np.abs(self.commands) <= self.limits + ROUNDING).all()
        for begin, end, torque in self._applied:
            before = np.zeros_like(self.limits) + torque
            steps = np.abs(np.diff(np.vstack([before, self.commands[begin:end]]), axis=0))
            allowed = np.outer(self._periods()[begin:end], self.rates) * LONGEST_STEP
            assert (steps <= allowed + ROUNDING).all(), steps.max(axis=0)

    def _periods(self):
        """(m,) one for each command, and one for each that was lost before it."""
        if None in self._numbers or not self._numbers:
            return np.ones(len(self))
        return np.maximum(np.diff(self._numbers, prepend=self._numbers[0] - 1), 1)
