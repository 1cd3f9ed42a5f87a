"""What the node knows of itself, once a second on /diagnostics (REP-107)."""

from __future__ import annotations

import math
import time as clock

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from robot_dynamics_ros.control.guards.supervisor import Mode

from ..endpoints.defaults import OVERRIDABLE, STEADY
from ..endpoints.topic_counters import TopicCounters
from ..loop.state_to_command import StateToCommand
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_in_use import RobotInUse
from .command_publishers import CommandPublishers
from .live_cross_check import LiveCrossCheck

OK, WARN = DiagnosticStatus.OK, DiagnosticStatus.WARN
ERROR, STALE = DiagnosticStatus.ERROR, DiagnosticStatus.STALE

# Of a robot that is configured, beside those of the topics.
CONCERNS = ('commands', 'driver gravity', 'cross-check', 'timing')
# A concern: its level, a line about it, and figures.
Entry = tuple[bytes, str, dict[str, object]]
PERIOD = 1.0


class Diagnostics:
    """Publishes one status for each concern."""

    def __init__(
        self,
        node: Node,
        in_use: RobotInUse,
        counters_by_topic: dict[str, TopicCounters],
        loop: StateToCommand,
        command_publishers: CommandPublishers,
        live_cross_check: LiveCrossCheck,
    ) -> None:
        """Start publishing."""
        self._node = node
        self._in_use = in_use
        self._counters_by_topic = counters_by_topic
        self._loop = loop
        self._command_publishers = command_publishers
        self._live_cross_check = live_cross_check
        # What the last report knew of.
        self._reported = dict.fromkeys(counters_by_topic, 0)
        self._saturations = 0
        self._foreign = 0
        self._lost = 0
        self._publisher = node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, qos_overriding_options=OVERRIDABLE
        )
        self._due = 0.0
        node.create_timer(PERIOD, self._publish, clock=STEADY)

    def publish_if_due(self) -> None:
        """Publish where the timer cannot: while a transition waits for a fade."""
        if clock.monotonic() >= self._due:
            self._publish()

    def _publish(self) -> None:
        self._due = clock.monotonic() + PERIOD
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        commanded = self._in_use.present
        entries = {
            topic: self._of_counters(counters)
            for topic, counters in self._counters_by_topic.items()
        }
        if commanded is None:
            refusal = self._in_use.refusal
            text = f'not configured: {refusal}' if refusal else 'not configured'
            entries['model'] = (ERROR if refusal else WARN, text, {})
            for concern in ('joint_states', 'reference', *CONCERNS):
                _, _, values = entries.get(concern, (OK, '', {}))
                entries[concern] = STALE, 'not configured', values
        else:
            entries['model'] = self._of_model(commanded)
            entries['joint_states'] = self._of_state(commanded, entries['joint_states'])
            entries['reference'] = self._of_reference(commanded, entries['reference'])
            entries['commands'] = self._of_commands(commanded)
            entries['driver gravity'] = self._of_driver(commanded)
            entries['cross-check'] = self._of_cross_check(commanded)
            entries['timing'] = self._of_timing(commanded)
        message.status = [self._status(concern, entry) for concern, entry in entries.items()]
        self._publisher.publish(message)

    def _of_counters(self, counters: TopicCounters) -> Entry:
        new = counters.refused - self._reported[counters.topic]
        self._reported[counters.topic] = counters.refused
        values: dict[str, object] = {
            'used': counters.used,
            'refused': counters.refused,
            'last reason': counters.last_reason,
        }
        if counters.foreign:
            values['of other joints'] = counters.foreign
        if new:
            return ERROR, f'{new} refused in the last second: {counters.last_reason}', values
        if counters.standing:
            return WARN, f'the last one was refused: {counters.last_reason}', values
        return OK, 'none refused in the last second', values

    def _of_model(self, commanded: CommandedRobot) -> Entry:
        guard, robot = commanded.guard, commanded.robot
        model = robot.dynamics.model
        values: dict[str, object] = {
            'robot': model.name,
            'joints': ', '.join(commanded.joints),
            'terms': ', '.join(commanded.feedforward.selected_terms),
            'gravity [m/s^2]': ', '.join(f'{x:.6g}' for x in robot.dynamics.gravity),
            'payload [kg]': sum(payload.mass for payload in model.payloads),
            'back end': robot.dynamics.backend_description,
            'check on configure': robot.report or 'none',
        }
        if guard.fault:
            return ERROR, f'stopped, until ~/enable: {guard.fault}', values
        if not guard.active:
            return WARN, 'inactive', values
        if not guard.enabled:
            return WARN, 'disabled', values
        if guard.mode is Mode.SILENT:
            reason = 'another publisher' if guard.start_inhibited else 'no good joint state'
            return WARN, f'active, but silent: {reason}', values
        if not commanded.feedforward.selected_terms:
            return WARN, 'parameter terms is empty: every command is zero', values
        return OK, f'commanding, mode {guard.mode.value}', values

    def _of_state(self, commanded: CommandedRobot, entry: Entry) -> Entry:
        level, text, values = entry
        foreign = self._counters_by_topic['joint_states'].foreign
        new, self._foreign = foreign - self._foreign, foreign
        age = commanded.guard.age(clock.monotonic())
        values['age of the last good one [s]'] = f'{age:.4f}'
        if commanded.guard.fresh(clock.monotonic()):
            beyond = commanded.beyond_limits()
            if level == OK and beyond:
                return WARN, f'outside the position limits: {beyond}', values
            return level, text, values
        text = text if level == ERROR else self._why_none_comes(commanded, strangers=new > 0)
        reason = f': {text}' if text else ''
        if math.isinf(age):
            if reason:
                log = self._node.get_logger()
                log.warning(f'no good joint state yet{reason}', throttle_duration_sec=5.0)
            return STALE, f'no good joint state yet{reason}', values
        on_stale = commanded.guard.settings.on_stale
        return STALE, f'stale for {age:.2f} s, {on_stale}{reason}', values

    def _why_none_comes(self, commanded: CommandedRobot, *, strangers: bool) -> str:
        """Why no joint state of ours is heard, in words; empty if that cannot be told."""
        if unheard := self._loop.unheard():
            return f'quality of service, {unheard}'
        if not strangers:
            return ''
        theirs = ', '.join(self._counters_by_topic['joint_states'].foreign_joints)
        ours = ', '.join(commanded.robot.dynamics.model.joint_names)
        return f'messages name {theirs}, and none of {ours}'

    def _of_reference(self, commanded: CommandedRobot, entry: Entry) -> Entry:
        level, text, values = entry
        follows = commanded.guard.reference is not None
        values['dropped'] = commanded.guard.dropped_references
        return level, f'{"following one" if follows else "none to follow"}; {text}', values

    def _of_commands(self, commanded: CommandedRobot) -> Entry:
        guard = commanded.guard
        counts = guard.limiter.counts
        values: dict[str, object] = {
            f'saturated {name}': int(count)
            for name, count in zip(commanded.joints, counts, strict=True)
        }
        values['other publishers'] = self._command_publishers.others
        new = int(counts.sum()) - self._saturations
        self._saturations += new
        if self._command_publishers.others:
            waits = guard.mode is Mode.SILENT and guard.start_inhibited
            text = f'others publish on {self._command_publishers.topic}'
            return ERROR, text + (', and we do not begin' if waits else ''), values
        if new > 0:
            return WARN, 'limited in the last second', values
        return OK, 'within the limits', values

    def _of_driver(self, commanded: CommandedRobot) -> Entry:
        seen = commanded.guard.double_compensation
        values: dict[str, object] = {'share of gravity in excess [-]': f'{seen.share:.3f}'}
        if not self._node.get_parameter('driver_gravity_check').value:
            return OK, 'not looked at', values
        if 'gravity' not in commanded.feedforward.selected_terms:
            return OK, 'gravity is not among the terms', values
        if math.isnan(seen.share):
            return OK, 'cannot tell: joint_states carry no effort, or not for long enough', values
        if seen.suspected:
            text = (
                f'the measured effort exceeds the command by {seen.share:.2f} times gravity: the '
                'driver seems to add it too; leave gravity out of parameter terms'
            )
            self._node.get_logger().warning(text, throttle_duration_sec=5.0)
            return WARN, text, values
        return OK, 'no sign of gravity from elsewhere', values

    def _of_cross_check(self, commanded: CommandedRobot) -> Entry:
        checker = self._live_cross_check
        values: dict[str, object] = {
            'comparisons': checker.checks,
            'worst relative error [-]': f'{checker.worst:.2e}',
        }
        if commanded.robot.oracle is None:
            return WARN, 'off: parameter cross_check is false', values
        if not checker.rate:
            return WARN, 'off: parameter cross_check_rate is zero', values
        if checker.report is None:
            return STALE, 'nothing to compare yet', values
        if not checker.report.agrees:
            return ERROR, str(checker.report), values
        # Two periods, and what a compilation in between may take.
        if checker.age > 2.0 / checker.rate + 1.0:
            return STALE, f'no comparison for {checker.age:.1f} s; then: {checker.report}', values
        return OK, str(checker.report), values

    def _of_timing(self, commanded: CommandedRobot) -> Entry:
        summary = commanded.statistics.summary(clock.monotonic())
        values: dict[str, object] = {
            'rate [Hz]': f'{summary.rate:.1f}',
            'latency p50 [ms]': f'{1e3 * summary.median_latency:.3f}',
            'latency p99 [ms]': f'{1e3 * summary.late_latency:.3f}',
            'lost cycles': 'not known' if summary.lost is None else summary.lost,
        }
        estimate = commanded.guard.acceleration
        if estimate.cutoff:
            values['delay of the acceleration [ms]'] = f'{1e3 * estimate.delay:.2f}'
        lost = summary.lost or 0
        new, self._lost = lost - self._lost, lost
        if not commanded.guard.fresh(clock.monotonic()):
            return STALE, 'no good joint state comes', values
        if new > 0:
            return WARN, f'{new} states were sent and never came in the last second', values
        return OK, f'{summary.rate:.0f} Hz', values

    def _status(self, concern: str, entry: Entry) -> DiagnosticStatus:
        level, text, values = entry
        return DiagnosticStatus(
            level=level,
            name=f'{self._node.get_name()}: {concern}',
            message=text,
            hardware_id=self._node.get_fully_qualified_name(),
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
