"""What comes in on a topic: how much of it is used, how much refused, and why."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from rclpy.impl.rcutils_logger import RcutilsLogger

# Between two warnings about the same topic for the same reason [s].
WARNING_PERIOD = 5.0
# Between any two of them.
SHORTEST_PERIOD = 0.5


@dataclass
class TopicCounters:
    """Messages of one topic; a refusal is logged, but not each one of many.

    Attributes:
        topic: its name.
        logger: told of refusals.
        used: how many messages were used.
        refused: how many were not.
        last_reason: why the last of these was not.
        foreign: how many were about other joints, and no business of ours.
        foreign_joints: those of the last of these.
        standing: whether the last message was refused.
    """

    topic: str
    logger: RcutilsLogger
    used: int = 0
    refused: int = 0
    last_reason: str = ''
    foreign: int = 0
    foreign_joints: Sequence[str] = ()
    standing: bool = False
    _last_warning: float = -math.inf

    def use(self) -> None:
        """Count a message that was used."""
        self.used += 1
        self.standing = False

    def pass_by(self, joints: Sequence[str]) -> None:
        """Count a message about other joints."""
        self.foreign += 1
        self.foreign_joints = joints

    def refuse(self, reason: object) -> None:
        """Count a message that was refused, and warn of it if it is time to."""
        self.refused += 1
        self.standing = True
        same = str(reason) == self.last_reason
        self.last_reason = str(reason)
        now = time.monotonic()
        if now - self._last_warning >= (WARNING_PERIOD if same else SHORTEST_PERIOD):
            self._last_warning = now
            self.logger.warning(f'{self.topic} refused ({self.refused} so far): {reason}')
