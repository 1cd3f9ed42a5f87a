"""Counts the messages of a topic: used, rejected with the reason, ignored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Shortest time between two warnings for the same reason [s].
WARNING_PERIOD = 5.0
# Shortest time between two warnings about one thing [s].
SHORTEST_PERIOD = 0.5


@dataclass
class TopicCounters:
    """Counters of one topic, which the table of conditions reads.

    Attributes:
        topic: name of the topic.
        used: number of messages that were used.
        rejected: number of messages that could not be used.
        last_reason: why the last of these was rejected.
        last_rejected: whether the last message that was not ignored was rejected.
        late: number of messages that were too old when the node came to read them.
        ignored: number of messages that name other joints only.
        ignored_joints: the joints of the last of these.
    """

    topic: str
    used: int = 0
    rejected: int = 0
    last_reason: str = ''
    last_rejected: bool = False
    late: int = 0
    ignored: int = 0
    ignored_joints: Sequence[str] = ()

    def use(self) -> None:
        """Count a message that was used."""
        self.used += 1
        self.last_rejected = False

    def ignore(self, joints: Sequence[str]) -> None:
        """Count a message that names other joints only."""
        self.ignored += 1
        self.ignored_joints = joints

    def reject(self, reason: object) -> None:
        """Count a message that cannot be used."""
        self.rejected += 1
        self.last_rejected = True
        self.last_reason = str(reason)
