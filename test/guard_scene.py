"""A node with its guards at work: who drives it, who watches it, who records it."""

import re
import time
from dataclasses import dataclass, field

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from driver import Driver
from rclpy.parameter import Parameter
from recording import Recording

from robot_dynamics_ros.ros.node import DynamicsNode

# What the machine may add to a time that the node keeps by construction [s].
MACHINE = 0.25


@dataclass
class Scene:
    """What a test of a guard works with."""

    node: DynamicsNode
    observer: object
    driver: Driver
    recording: Recording
    reports: list = field(default_factory=list)

    def __post_init__(self):
        self.observer.node.create_subscription(
            DiagnosticArray, '/diagnostics', self.reports.append, 10
        )

    @property
    def guard(self):
        return self.node.robot_holder.require().guard

    def settle(self, torque, what='torque'):
        """Wait until this is commanded."""
        self.observer.until(
            lambda: np.allclose(self.recording.last, torque, rtol=1e-12, atol=1e-12),
            f'{what} {np.asarray(torque)}',
        )

    def wait_for_states(self, count=5):
        """Wait until the node has answered or refused so many more states."""
        counters = self.node.topic_counters['joint_states']
        before = counters.used + counters.rejected
        self.observer.until(lambda: counters.used + counters.rejected >= before + count, 'states')

    def check_silent(self):
        """That states come, are heard, and are not answered."""
        start = time.monotonic()
        self.wait_for_states(10)
        assert len(self.recording.since(start)[0]) == 0

    def watch(self, seconds):
        """Let it run for a while."""
        end = time.monotonic() + seconds
        self.observer.until(lambda: time.monotonic() > end, f'{seconds} s')

    def set(self, **values):
        """Set parameters, all at once."""
        changes = [Parameter(name, value=value) for name, value in values.items()]
        if changes:
            result = self.node.set_parameters_atomically(changes)
            assert result.successful, result.reason

    def status(self, concern, text):
        """The first status of a concern, from now on, that holds a text."""
        self.reports.clear()

        def found():
            statuses = [s for r in self.reports for s in r.status]
            # "0 rejected" is not part of "10 rejected".
            pattern = rf'(?<!\d){re.escape(text)}'
            return [
                s
                for s in statuses
                if s.name.endswith(f': {concern}') and re.search(pattern, s.message)
            ]

        self.observer.until(found, f'{concern}: {text!r} in diagnostics')
        return found()[0]


def figures(status):
    """The values of a status, by key."""
    return {pair.key: pair.value for pair in status.values}
