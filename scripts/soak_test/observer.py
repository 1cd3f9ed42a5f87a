"""What the node says: commands, torques and diagnostics, read as they come."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from ledger import Array, Ledger
from machine import SimulatedTime
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rules import Rules
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.ros.endpoints import PolledSubscription

NODE = 'robot_dynamics'
QUEUE = QoSProfile(depth=2000)
# How many seconds of commands and diagnostics faults can look back on.
MEMORY = 20.0


@dataclass(frozen=True)
class Command:
    """A command: when it was sent [ns], and its torques (n,) [N m]."""

    time: int
    torque: Array


@dataclass(frozen=True)
class Answer:
    """What `~/torques` said about a good state."""

    stamp: int
    q: Array
    v: Array
    effort: Array
    parts: dict[str, Array]


@dataclass(frozen=True)
class Report:
    """A status of `/diagnostics` that is not OK."""

    time: int
    concern: str
    text: str


class Observer:
    """Reads the node's topics.

    Attributes:
        rules: what the commands kept to.
        commands: the latest ones, oldest first.
        answer: to the latest good state that was answered.
        during: the fault that is being injected, for the examples.
    """

    def __init__(
        self, node: Node, rules: Rules, ledger: Ledger, clock: SimulatedTime, rate: float
    ) -> None:
        """Subscribe; rate of the cycles [Hz]."""
        self.rules, self._ledger, self._clock = rules, ledger, clock
        self.commands: deque[Command] = deque(maxlen=int(MEMORY * rate))
        self.answer: Answer | None = None
        self.during = 'start'
        self._reports: deque[Report] = deque(maxlen=1000)
        self.concerns: set[str] = set()
        self._commands, self._torques, self._diagnostics = (
            PolledSubscription(node, kind, topic, QUEUE)
            for kind, topic in (
                (Float64MultiArray, f'{NODE}/commands'),
                (JointTorques, f'{NODE}/torques'),
                (DiagnosticArray, '/diagnostics'),
            )
        )

    def poll(self) -> None:
        """Read what has come."""
        sent = self._clock.now
        for message, _ in self._commands.poll():
            torque = np.array(message.data)
            self.rules.judge(self._clock.seconds, torque, f'during {self.during}')
            self.commands.append(Command(sent, torque))
        for message, _ in self._torques.poll():
            self._read_torques(message)
        for message, _ in self._diagnostics.poll():
            self._read_diagnostics(message, sent)

    def since(self, time: int) -> list[Command]:
        """The commands that were sent after a time [ns], oldest first."""
        found = []
        for command in reversed(self.commands):
            if command.time <= time:
                break
            found.append(command)
        return found[::-1]

    def reported(self, since: int, concern: str, words: str) -> bool:
        """Whether a status that is not OK came after a time [ns]: concern and text by pattern."""
        return any(
            report.time > since
            and re.search(concern, report.concern)
            and re.search(words, report.text, re.IGNORECASE)
            for report in self._reports
        )

    def _read_torques(self, message: JointTorques) -> None:
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        sent = self._ledger.answer(stamp)
        if sent is not None:
            parts = {
                name: np.array(getattr(message, name))
                for name in ('gravity', 'coriolis', 'inertial')
            }
            self.answer = Answer(stamp, sent.q, sent.v, np.array(message.effort), parts)

    def _read_diagnostics(self, message: DiagnosticArray, time: int) -> None:
        for status in message.status:
            node, _, concern = status.name.partition(': ')
            if not node.endswith(NODE):
                continue
            self.concerns.add(concern)
            if status.level != DiagnosticStatus.OK:
                values = ' '.join(f'{value.key}: {value.value}' for value in status.values)
                self._reports.append(Report(time, concern, f'{status.message} {values}'))
