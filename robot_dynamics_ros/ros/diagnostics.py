"""What the node knows of itself, once a second on /diagnostics (REP-107)."""

from __future__ import annotations

import math
import time as clock

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from robot_dynamics_ros.core.guards.supervisor import Mode

from .command_topic import CommandTopic
from .commander import Commander
from .controller import Controller
from .cross_checker import CrossChecker
from .intake import Intake
from .qos import OVERRIDABLE
from .robot_in_use import RobotInUse
from .steady import STEADY

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
        intakes: dict[str, Intake],
        commander: Commander,
        command_topic: CommandTopic,
        cross_checker: CrossChecker,
    ) -> None:
        """Start publishing."""
        self._node = node
        self._in_use = in_use
        self._intakes = intakes
        self._commander = commander
        self._command_topic = command_topic
        self._cross_checker = cross_checker
        # What the last report knew of.
        self._reported = dict.fromkeys(intakes, 0)
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
        controller = self._in_use.present
        entries = {topic: self._of_intake(intake) for topic, intake in self._intakes.items()}
        if controller is None:
            refusal = self._in_use.refusal
            text = f'not configured: {refusal}' if refusal else 'not configured'
            entries['model'] = (ERROR if refusal else WARN, text, {})
            for concern in ('joint_states', 'reference', *CONCERNS):
                _, _, values = entries.get(concern, (OK, '', {}))
                entries[concern] = STALE, 'not configured', values
        else:
            entries['model'] = self._of_model(controller)
            entries['joint_states'] = self._of_state(controller, entries['joint_states'])
            entries['reference'] = self._of_reference(controller, entries['reference'])
            entries['commands'] = self._of_commands(controller)
            entries['driver gravity'] = self._of_driver(controller)
            entries['cross-check'] = self._of_cross_check(controller)
            entries['timing'] = self._of_timing(controller)
        message.status = [self._status(concern, entry) for concern, entry in entries.items()]
        self._publisher.publish(message)

    def _of_intake(self, intake: Intake) -> Entry:
        new = intake.refused - self._reported[intake.topic]
        self._reported[intake.topic] = intake.refused
        values: dict[str, object] = {
            'used': intake.used,
            'refused': intake.refused,
            'last reason': intake.last_reason,
        }
        if intake.foreign:
            values['of other joints'] = intake.foreign
        if new:
            return ERROR, f'{new} refused in the last second: {intake.last_reason}', values
        if intake.standing:
            return WARN, f'the last one was refused: {intake.last_reason}', values
        return OK, 'none refused in the last second', values

    def _of_model(self, controller: Controller) -> Entry:
        guard, robot = controller.guard, controller.robot
        model = robot.dynamics.model
        values: dict[str, object] = {
            'robot': model.name,
            'joints': ', '.join(controller.joints),
            'terms': ', '.join(controller.feedforward.chosen),
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
            reason = 'another publisher' if guard.hindered else 'no good joint state'
            return WARN, f'active, but silent: {reason}', values
        if not controller.feedforward.chosen:
            return WARN, 'parameter terms is empty: every command is zero', values
        return OK, f'commanding, mode {guard.mode.value}', values

    def _of_state(self, controller: Controller, entry: Entry) -> Entry:
        level, text, values = entry
        foreign = self._intakes['joint_states'].foreign
        new, self._foreign = foreign - self._foreign, foreign
        age = controller.guard.age(clock.monotonic())
        values['age of the last good one [s]'] = f'{age:.4f}'
        if controller.guard.fresh(clock.monotonic()):
            beyond = controller.beyond_limits()
            if level == OK and beyond:
                return WARN, f'outside the position limits: {beyond}', values
            return level, text, values
        text = text if level == ERROR else self._why_none_comes(controller, strangers=new > 0)
        reason = f': {text}' if text else ''
        if math.isinf(age):
            if reason:
                log = self._node.get_logger()
                log.warning(f'no good joint state yet{reason}', throttle_duration_sec=5.0)
            return STALE, f'no good joint state yet{reason}', values
        on_stale = controller.guard.settings.on_stale
        return STALE, f'stale for {age:.2f} s, {on_stale}{reason}', values

    def _why_none_comes(self, controller: Controller, *, strangers: bool) -> str:
        """Why no joint state of ours is heard, in words; empty if that cannot be told."""
        if unheard := self._commander.unheard():
            return f'quality of service, {unheard}'
        if not strangers:
            return ''
        theirs = ', '.join(self._intakes['joint_states'].foreign_joints)
        ours = ', '.join(controller.robot.dynamics.model.joint_names)
        return f'messages name {theirs}, and none of {ours}'

    def _of_reference(self, controller: Controller, entry: Entry) -> Entry:
        level, text, values = entry
        follows = controller.guard.reference is not None
        values['dropped'] = controller.guard.dropped_references
        return level, f'{"following one" if follows else "none to follow"}; {text}', values

    def _of_commands(self, controller: Controller) -> Entry:
        guard = controller.guard
        counts = guard.limiter.counts
        values: dict[str, object] = {
            f'saturated {name}': int(count)
            for name, count in zip(controller.joints, counts, strict=True)
        }
        values['other publishers'] = self._command_topic.others
        new = int(counts.sum()) - self._saturations
        self._saturations += new
        if self._command_topic.others:
            waits = guard.mode is Mode.SILENT and guard.hindered
            text = f'others publish on {self._command_topic.topic}'
            return ERROR, text + (', and we do not begin' if waits else ''), values
        if new > 0:
            return WARN, 'limited in the last second', values
        return OK, 'within the limits', values

    def _of_driver(self, controller: Controller) -> Entry:
        seen = controller.guard.double_compensation
        values: dict[str, object] = {'share of gravity in excess [-]': f'{seen.share:.3f}'}
        if not self._node.get_parameter('driver_gravity_check').value:
            return OK, 'not looked at', values
        if 'gravity' not in controller.feedforward.chosen:
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

    def _of_cross_check(self, controller: Controller) -> Entry:
        checker = self._cross_checker
        values: dict[str, object] = {
            'comparisons': checker.checks,
            'worst relative error [-]': f'{checker.worst:.2e}',
        }
        if controller.robot.oracle is None:
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

    def _of_timing(self, controller: Controller) -> Entry:
        summary = controller.statistics.summary(clock.monotonic())
        values: dict[str, object] = {
            'rate [Hz]': f'{summary.rate:.1f}',
            'latency p50 [ms]': f'{1e3 * summary.median_latency:.3f}',
            'latency p99 [ms]': f'{1e3 * summary.late_latency:.3f}',
            'lost cycles': 'not known' if summary.lost is None else summary.lost,
        }
        estimate = controller.guard.acceleration
        if estimate.cutoff:
            values['delay of the acceleration [ms]'] = f'{1e3 * estimate.delay:.2f}'
        lost = summary.lost or 0
        new, self._lost = lost - self._lost, lost
        if not controller.guard.fresh(clock.monotonic()):
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
