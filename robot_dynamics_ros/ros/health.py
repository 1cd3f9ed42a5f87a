"""The health of the node: which conditions of a table hold, for log and diagnostics.

The table is in `conditions`. A condition is logged when it begins, when more than numbers
change in its sentence, and when it ends.
"""

from __future__ import annotations

import math
import re
import time as clock
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.core.checks import Array

from .controller import CommandPublishers, Controller
from .description import Description
from .endpoints import STEADY, TopicCounters
from .loop import Loop
from .robot import CommandedRobot, RobotHolder

OK, WARN = DiagnosticStatus.OK, DiagnosticStatus.WARN
ERROR, STALE = DiagnosticStatus.ERROR, DiagnosticStatus.STALE

# Between two looks [s].
PERIOD = 0.2
# After the start and after activation, what may still be discovered is not logged for so long [s].
PATIENCE = 2.0
# A condition has ended when it was absent for that long, and is logged at most that often [s].
FLICKER = 1.0
# The time of "in the last second" [s].
RECENT = 1.0
# Rates are averaged over this time [s].
AVERAGED = 2.0
NUMBER = re.compile(r'(?<![\w.])-?\d+(\.\d+)?(e[-+]?\d+)?(?!\w)')


@dataclass(frozen=True)
class Rule:
    """A row of the table.

    Attributes:
        code: stable name of the condition.
        status: of /diagnostics that shows it; empty for the log alone.
        level: of that status while the condition holds; OK: worth knowing.
        sentence: of the condition; empty if it does not hold.
        over: for the log when it has ended; empty for no line.
        after: how long it must have been found until it holds [s].
        blocks: whether it is a reason why nothing is commanded.
        waits: whether discovery, some time after the start, may still end it.
        logged: whether it has lines of its own in the log.
        configured: whether it is looked at with a robot (True), without (False), or always (None).
    """

    code: str
    status: str
    level: bytes
    sentence: Callable[[Health], str]
    over: str = ''
    after: float = 0.0
    blocks: bool = False
    waits: bool = False
    logged: bool = True
    configured: bool | None = True


@dataclass(frozen=True)
class Condition:
    """A row of the table that holds, with its sentence."""

    rule: Rule
    text: str


@dataclass
class _Line:
    """What is known of a row.

    Attributes:
        logged: the sentence that was logged, without numbers; empty if the condition has ended.
        at: when a line was logged last [s].
        began: since when the condition holds that was logged [s].
        since: since when the condition has been found without a break [s]; None if it is absent.
        seen: when it was found last [s].
    """

    logged: str = ''
    at: float = -np.inf
    began: float = 0.0
    since: float | None = None
    seen: float = 0.0


@dataclass
class Health:
    """Looks at these parts of a node a few times a second.

    Attributes:
        now: time of the last look [s], on the monotonic clock.
        found: the conditions that held then, in the order of the table.
        slowest: the commanded joint that is measured least often.
        active: whether torque was wanted then, with ~/enable.
        rate: of its measurements [Hz]; NaN if it is not known.
    """

    node: Node
    holder: RobotHolder
    counters: Mapping[str, TopicCounters]
    description: Description
    loop: Loop
    publishers: CommandPublishers
    controller: Controller
    rules: Sequence[Rule]

    def __post_init__(self) -> None:
        """Look on a timer of the node."""
        self.found: list[Condition] = []
        self.now = self._changed = clock.monotonic()
        self.slowest, self.rate = '', math.nan
        self._robot: CommandedRobot | None = None
        self.active = False
        self._forget()
        self.node.create_timer(PERIOD, self.update, clock=STEADY)

    @property
    def configured(self) -> bool:
        """Whether there was a robot at the last look."""
        return self._robot is not None

    @property
    def robot(self) -> CommandedRobot:
        """The robot of the last look; only a configured node has one."""
        assert self._robot is not None
        return self._robot

    @property
    def guard(self) -> GuardedFeedforward:
        """The guard of this robot."""
        return self.robot.guard

    @property
    def commanding(self) -> bool:
        """Whether torque is commanded."""
        return self.guard.mode is not Mode.SILENT

    def growth(self, name: str, total: object, window: float) -> tuple[Array, float]:
        """How much a count, or an array of counts, has grown, and in which time [s].

        Args:
            name: of the count.
            total: its present value.
            window: over which to look back, if the count has been known for so long [s].
        """
        present = np.array(total)
        totals = self._totals.setdefault(name, deque())
        if totals and (present.shape != totals[-1][1].shape or (present < totals[-1][1]).any()):
            totals.clear()
        totals.append((self.now, present))
        while totals[0][0] < self.now - window and totals[1][0] <= self.now - window:
            totals.popleft()
        return present - totals[0][1], self.now - totals[0][0]

    def recent(self, name: str, total: object) -> int:
        """How much a count has grown in the last second."""
        return int(self.growth(name, total, RECENT)[0].sum())

    def update(self) -> None:
        """Find the conditions that hold, and log what has changed."""
        before, self._robot = self._robot, self.holder.current
        self.now, self.found = clock.monotonic(), []
        if self.configured is not (before is not None):
            self._forget()
        active = self.configured and self.guard.supervisor.active
        if active is not self.active:
            self.active, self._changed = active, self.now
        if self.configured:
            self._measure()
        for rule in self.rules:
            text = rule.sentence(self) if rule.configured in (None, self.configured) else ''
            line = self._lines[rule.code]
            if not text:
                line.since = None
            else:
                line.seen = self.now
                line.since = self.now if line.since is None else line.since
            holds = bool(text) and self.now >= (line.since or 0.0) + rule.after
            if holds:
                self.found.append(Condition(rule, text))
            if rule.logged and self.now >= line.at + FLICKER:
                self._log(rule, line, text if holds else '')

    def _measure(self) -> None:
        """Find the rate of the states; one that begins within the window has none yet."""
        counts = self.guard.state.counts[self.robot.feedforward.indices]
        new, elapsed = self.growth('states', counts, AVERAGED)
        slowest = int(new.argmin())
        self.slowest = self.robot.joints[slowest]
        known = elapsed >= 0.9 * AVERAGED and 0 < new[slowest] < counts[slowest]
        self.rate = float(new[slowest] / elapsed) if known else math.nan

    def _log(self, rule: Rule, line: _Line, text: str) -> None:
        """Log that a condition begins, changes or ends."""
        log = self.node.get_logger()
        if not text:
            # What must be acknowledged ends by that, and may begin again at once.
            if line.logged and self.now >= line.seen + (0.0 if rule.level == ERROR else FLICKER):
                line.logged, line.at = '', self.now
                if rule.over:
                    log.info(f'{rule.over}, after {line.seen - line.began:.1f} s')
            return
        logged = NUMBER.sub('#', text)
        # What keeps a node silent is logged with the row `silent`.
        if logged == line.logged or (
            rule.blocks and not (self.guard.supervisor.running and self.commanding)
        ):
            return
        if rule.waits and self.now < self._changed + PATIENCE:
            return
        line.began = line.began if line.logged else line.since or self.now
        line.logged, line.at = logged, self.now
        # A place for each level: rclpy refuses a second level at one place.
        if rule.level == OK:
            log.info(text)
        elif rule.level == ERROR:
            log.error(text)
        else:
            log.warning(text)

    def _forget(self) -> None:
        """Begin anew: what ends with a robot, or with its absence, needs no line."""
        self._lines = {rule.code: _Line() for rule in self.rules}
        self._totals: dict[str, deque[tuple[float, Array]]] = {}
