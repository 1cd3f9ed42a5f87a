"""What the node knows of itself, once a second on /diagnostics (REP-107)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

# Between two warnings about the same topic [s].
WARNING_PERIOD = 5.0


@dataclass
class Intake:
    """Messages of one topic: how many were used, how many refused, and why the last one was."""

    used: int = 0
    refused: int = 0
    last_reason: str = ''
    _last_warning: float = -math.inf

    def refuse(self, reason: object) -> bool:
        """Count a message that was refused; whether it is time to warn of it again."""
        self.refused += 1
        self.last_reason = str(reason)
        now = time.monotonic()
        if now - self._last_warning < WARNING_PERIOD:
            return False
        self._last_warning = now
        return True


class Diagnostics:
    """Publishes a status for the model and one for each topic that comes in."""

    def __init__(
        self, node: Node, intakes: dict[str, Intake], model: Callable[[], tuple[bool, str]]
    ) -> None:
        """Start publishing.

        Args:
            node: that publishes.
            intakes: by topic.
            model: gives whether there is one in use, and a line about it.
        """
        self._node = node
        self._intakes = intakes
        self._model = model
        # The refusals that the last report knew of.
        self._reported = dict.fromkeys(intakes, 0)
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        node.create_timer(1.0, self._publish)

    def _publish(self) -> None:
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        usable, line = self._model()
        level = DiagnosticStatus.OK if usable else DiagnosticStatus.WARN
        message.status = [self._status('model', level, line)]
        for topic, intake in self._intakes.items():
            new = intake.refused - self._reported[topic]
            self._reported[topic] = intake.refused
            values = {
                'used': str(intake.used),
                'refused': str(intake.refused),
                'last reason': intake.last_reason,
            }
            if new:
                text = f'{new} refused since the last report: {intake.last_reason}'
                status = self._status(topic, DiagnosticStatus.ERROR, text, values)
            else:
                status = self._status(topic, DiagnosticStatus.OK, 'as it should be', values)
            message.status.append(status)
        self._publisher.publish(message)

    def _status(
        self, concern: str, level: bytes, text: str, values: dict[str, str] | None = None
    ) -> DiagnosticStatus:
        return DiagnosticStatus(
            level=level,
            name=f'{self._node.get_name()}: {concern}',
            message=text,
            hardware_id=self._node.get_fully_qualified_name(),
            values=[KeyValue(key=key, value=value) for key, value in (values or {}).items()],
        )
