"""A node with its guards at work: who drives it, who watches it, who records it."""

import re
from dataclasses import dataclass, field

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from driver import Driver
from rclpy.parameter import Parameter
from recording import Recording

from robot_dynamics_ros.ros.node import DynamicsNode


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

    def next_commands(self, count=5):
        """(count, k) the next commands, once they have come."""
        before = len(self.recording)
        self.observer.until(lambda: len(self.recording) >= before + count, 'commands')
        return self.recording.commands[before : before + count]

    def until_taken(self):
        """Wait until the node has taken each state of a reliable driver, which has paused."""
        self.observer.until(
            lambda: int(figures(self.status('joint_states', ''))['used']) >= self.driver.sent,
            'the last state',
        )

    def until_silent(self):
        """Wait until the node says that it is silent, and no command comes between two reports."""

        def silent():
            before = len(self.recording)
            modes = {figures(self.status('model', '')).get('mode') for _ in range(2)}
            return not modes - {'silent', None} and len(self.recording) == before

        self.observer.until(silent, 'silence')

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
