"""The health of the node: which conditions of a table hold, for log and /diagnostics (REP-107).

The table is in `conditions`. A condition is logged when it begins, when more than numbers
change in its sentence, and when it ends.
"""

from __future__ import annotations

import math
import re
import time as clock
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.core.checks import Array

from .controller import Controller
from .description import Description
from .endpoints import OVERRIDABLE, STEADY, TopicCounters
from .loop import Loop
from .robot import CommandedRobot, RobotHolder

OK, WARN = DiagnosticStatus.OK, DiagnosticStatus.WARN
ERROR, STALE = DiagnosticStatus.ERROR, DiagnosticStatus.STALE
STATUSES = (
    *('model', 'robot_description', 'joint_states', 'reference', 'commands', 'driver gravity'),
    *('external forces', 'cross-check', 'timing'),
)

# Between two looks, and between two messages of diagnostics [s].
PERIOD, DIAGNOSTICS_PERIOD = 0.2, 1.0
# After the start and after activation, what may still be discovered is not logged for so long [s].
PATIENCE = 2.0
# A condition has ended when it was absent for that long, and is logged at most that often [s].
FLICKER = 1.0
# The time of "in the last second" [s].
RECENT = 1.0
NUMBER = re.compile(r'(?<![\w.])-?\d+(\.\d+)?(e[-+]?\d+)?(?!\w)')


@dataclass(frozen=True)
class Row:
    """A row of the table, of one condition.

    Attributes:
        status: of /diagnostics that shows it.
        level: of that status while the condition holds; OK: worth knowing.
        over: for the log when it has ended; empty for no line.
        after: how long it must have been found until it holds [s].
        blocks: whether it is a reason why nothing is commanded.
        waits: whether discovery, some time after the start, may still end it.
        logged: whether it has lines of its own in the log.
    """

    status: str
    level: bytes
    over: str = ''
    after: float = 0.0
    blocks: bool = False
    waits: bool = False
    logged: bool = True


@dataclass
class _Line:
    """What is known of a row.

    Attributes:
        logged: the sentence that was logged, without numbers; empty if the condition has ended.
        at: when a line was logged last [s].
        began: since when the condition holds that was logged [s].
        since: since when it has been found without a break [s]; infinite if it is absent.
        seen: when it was found last [s].
    """

    logged: str = ''
    at: float = -math.inf
    began: float = 0.0
    since: float = math.inf
    seen: float = 0.0


@dataclass
class Health:
    """Looks at these parts of a node a few times a second, and publishes /diagnostics.

    Attributes:
        now: time of the last look [s], on the monotonic clock, for the log.
        time: the same on the clock of the node, for what ages.
        found: sentences of the conditions that held then, by code.
        active: whether torque was wanted then, with ~/enable.
    """

    node: Node
    holder: RobotHolder
    counters: Mapping[str, TopicCounters]
    description: Description
    loop: Loop
    controller: Controller
    table: Mapping[str, Row]
    sentences: Callable[[Health], Mapping[str, str]]

    def __post_init__(self) -> None:
        """Look, and publish, on timers of the node."""
        self.found: dict[str, str] = {}
        self.now = self._changed = clock.monotonic()
        self.time = self.holder.clock.now()
        self._robot: CommandedRobot | None = None
        self.active = False
        self._forget()
        self._publisher = self.node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, qos_overriding_options=OVERRIDABLE
        )
        self.node.create_timer(PERIOD, self.update, clock=STEADY)
        self.node.create_timer(DIAGNOSTICS_PERIOD, self._publish, clock=STEADY)

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
        return not self.guard.silent

    def growth(self, name: str, total: object, window: float) -> tuple[Array, float]:
        """How much a count, or an array of counts, has grown, and in which time [s].

        Args:
            name: of the count.
            total: its present value.
            window: over which to look back, if the count has been known for so long [s].
        """
        present, now = np.array(total), self.time
        totals = self._totals.setdefault(name, deque())
        if totals and (
            present.shape != totals[-1][1].shape
            or (present < totals[-1][1]).any()
            or now < totals[-1][0]
        ):
            totals.clear()
        # While simulated time stands still.
        if len(totals) > 1 and totals[-1][0] == now:
            totals.pop()
        totals.append((now, present))
        while totals[0][0] < now - window and totals[1][0] <= now - window:
            totals.popleft()
        return present - totals[0][1], now - totals[0][0]

    def recent(self, name: str, total: object) -> int:
        """How much a count has grown in the last second."""
        return int(self.growth(name, total, RECENT)[0].sum())

    @property
    def configured(self) -> bool:
        """Whether there is a robot."""
        return self._robot is not None

    def update(self) -> None:
        """Find the conditions that hold, and log what has changed."""
        before, self._robot = self._robot, self.holder.current
        self.now, self.time, self.found = clock.monotonic(), self.holder.clock.now(), {}
        if self.configured is not (before is not None):
            self._forget()
        active = self.configured and self.guard.supervisor.active
        if active is not self.active:
            self.active, self._changed = active, self.now
        present = self.sentences(self)
        for code, row in self.table.items():
            text, line = present.get(code, ''), self._lines[code]
            if text:
                line.seen = self.now
                line.since = min(line.since, self.now)
                if self.now >= line.since + row.after:
                    self.found[code] = text
            else:
                line.since = math.inf
            if row.logged and self.now >= line.at + FLICKER:
                self._log(row, line, self.found.get(code, ''))

    def _log(self, row: Row, line: _Line, text: str) -> None:
        """Log that a condition begins, changes or ends."""
        log = self.node.get_logger()
        if not text:
            # What must be acknowledged ends by that, and may begin again at once.
            if line.logged and self.now >= line.seen + (0.0 if row.level == ERROR else FLICKER):
                line.logged, line.at = '', self.now
                if row.over:
                    log.info(f'{row.over}, after {line.seen - line.began:.1f} s')
            return
        logged = NUMBER.sub('#', text)
        # What keeps a node silent is logged with the row `silent`.
        if logged == line.logged or (
            row.blocks and not (self.guard.supervisor.running and self.commanding)
        ):
            return
        if row.waits and self.now < self._changed + PATIENCE:
            return
        line.began = line.began if line.logged else line.since
        line.logged, line.at = logged, self.now
        # A place for each level: rclpy refuses a second level at one place.
        if row.level == OK:
            log.info(text)
        elif row.level == ERROR:
            log.error(text)
        else:
            log.warning(text)

    def _forget(self) -> None:
        """Begin anew: what ends with a robot, or with its absence, needs no line."""
        self._lines = {code: _Line() for code in self.table}
        self._totals: dict[str, deque[tuple[float, Array]]] = {}

    # Diagnostics

    def _publish(self) -> None:
        self.update()
        figures = {} if self._robot is None else self._figures()
        statuses = [self._status(name, *figures.get(name, ('', {}))) for name in STATUSES]
        message = DiagnosticArray(status=statuses)
        message.header.stamp = self.node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _status(self, name: str, usual: str, more: dict[str, object]) -> DiagnosticStatus:
        """The conditions of a status, or what is usual, with figures beside them."""
        found = {
            code: self.table[code].level for code in self.found if self.table[code].status == name
        }
        level = max(found.values(), default=OK)
        # What is worth knowing is shown where nothing is wrong.
        texts = [self.found[code] for code, own in found.items() if own != OK or level == OK]
        figures: dict[str, object] = {}
        if (counters := self.counters.get(name)) is not None:
            figures = {'used': counters.used, 'rejected': counters.rejected}
            figures['last reason'] = counters.last_reason
            if counters.ignored:
                figures['ignored, of other joints'] = counters.ignored
        if self.configured:
            texts = texts or [usual or 'OK']
        elif not texts:
            level, texts = STALE, ['not configured']
        figures |= more | {'conditions': ', '.join(found)}
        return DiagnosticStatus(
            level=level,
            name=f'{self.node.get_fully_qualified_name()}: {name}',
            message='; '.join(texts),
            hardware_id=self.robot.dynamics.model.name if self.configured else '',
            values=[KeyValue(key=key, value=_known(value)) for key, value in figures.items()],
        )

    def _figures(self) -> dict[str, tuple[str, dict[str, object]]]:
        """What each status of a configured node says without a condition, and its figures."""
        robot, guard, dynamics = self.robot, self.guard, self.robot.dynamics
        age, share = self.time - guard.state.time, guard.double_compensation.share
        median, p99 = self.loop.statistics.latencies()
        answered, elapsed = self.growth('answered', self.loop.statistics.answered, RECENT)
        rate = float(answered) / elapsed if elapsed else math.nan
        estimate, report = guard.external, robot.report
        if estimate is None:
            external = 'off: parameter external_observer is false'
        elif estimate.reason:
            external = f'no external torques are estimated: {estimate.reason}'
        elif estimate.settings.thresholds is None:
            external = 'estimated; contacts are not detected: set contact_thresholds'
        else:
            external = 'no contact'
        return {
            'model': ('configured', {
                'robot': dynamics.model.name,
                'state': guard.supervisor.state.name,
                'target': guard.target.value,
                'event': guard.supervisor.event.name.lower(),
                'fade left [s]': f'{guard.fade_left:.1f}',
                'joints': ', '.join(robot.joints),
                'terms': ', '.join(robot.feedforward.selected_terms),
                'gravity [m/s^2]': ', '.join(f'{x:.6g}' for x in dynamics.gravity),
                'payload [kg]': sum(payload.mass for payload in dynamics.model.payloads),
                'back end': dynamics.backend_description,
            }),
            'joint_states': ('OK', {
                'age of the last valid state [s]': f'{age:.4f}' if age < math.inf else 'not known',
            }),
            'reference': (
                'no active reference' if guard.reference is None else 'active reference',
                {'dropped': guard.followed.dropped},
            ),
            'commands': ('within the limits', {
                **{f'saturated {joint}': int(count)
                   for joint, count in zip(robot.joints, guard.limiter.counts, strict=True)},
                'other publishers': self.controller.others,
                'subscribers': len(self.controller.subscribers),
                'controller': self.controller.text(),
            }),
            'driver gravity': (
                'not known' if math.isnan(share) else 'the driver does not appear to add it',
                {'measured excess / gravity [-]': f'{share:.3f}'},
            ),
            'external forces': (external, {'on_collision': guard.settings.on_collision}),
            'cross-check': (
                str(report or 'off: parameter cross_check is false'),
                {'worst relative error [-]': f'{report.worst.worst_relative:.2e}'} if report
                else {},
            ),
            'timing': ('the rate is not known yet' if math.isnan(rate) else f'{rate:.0f} Hz', {
                'rate [Hz]': f'{rate:.1f}',
                'latency p50 [ms]': f'{1e3 * median:.3f}',
                'latency p99 [ms]': f'{1e3 * p99:.3f}',
                'too old to be answered': self.counters['joint_states'].late,
            }),
        }  # fmt: skip


def _known(value: object) -> str:
    """A value as text, which is no number where it is not known."""
    text = str(value)
    return 'not known' if text == 'nan' else text
