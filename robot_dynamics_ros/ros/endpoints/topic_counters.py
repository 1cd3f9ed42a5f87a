"""Counts the messages of a topic: used, rejected with the reason, ignored."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from rclpy.impl.rcutils_logger import RcutilsLogger

# Shortest time between two warnings about a topic for the same reason [s].
WARNING_PERIOD = 5.0
# Shortest time between two warnings about a topic [s].
SHORTEST_PERIOD = 0.5


@dataclass
class TopicCounters:
    """Counters of one topic; rejected messages are logged, at a limited rate.

    Attributes:
        topic: name of the topic.
        logger: for the warnings.
        used: number of messages that were used.
        rejected: number of messages that could not be used.
        last_reason: why the last of these was rejected.
        last_rejected: whether the last message that was not ignored was rejected.
        late: number of messages that were too old when the node came to read them.
        ignored: number of messages that name other joints only.
        ignored_joints: the joints of the last of these.
    """

    topic: str
    logger: RcutilsLogger
    used: int = 0
    rejected: int = 0
    last_reason: str = ''
    last_rejected: bool = False
    late: int = 0
    ignored: int = 0
    ignored_joints: Sequence[str] = ()
    _last_warning: float = -math.inf

    def use(self) -> None:
        """Count a message that was used."""
        self.used += 1
        self.last_rejected = False

    def ignore(self, joints: Sequence[str]) -> None:
        """Count a message that names other joints only."""
        self.ignored += 1
        self.ignored_joints = joints

    def reject(self, reason: object) -> None:
        """Count a message that cannot be used, and log a warning at a limited rate."""
        self.rejected += 1
        self.last_rejected = True
        same = str(reason) == self.last_reason
        self.last_reason = str(reason)
        self._warn(f'rejected ({self.rejected} so far): {reason}', same=same)

    def drop(self, reason: str) -> None:
        """Count a message that is too old, and log a warning at a limited rate."""
        self.late += 1
        self._warn(f'not answered ({self.late} so far): {reason}', same=True)

    def _warn(self, text: str, *, same: bool) -> None:
        now = time.monotonic()
        if now - self._last_warning >= (WARNING_PERIOD if same else SHORTEST_PERIOD):
            self._last_warning = now
            self.logger.warning(f'message on {self.topic} {text}')
