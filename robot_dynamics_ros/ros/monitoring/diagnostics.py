"""The state of the node, once a second on /diagnostics (REP-107)."""

from __future__ import annotations

import math
import time as clock

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from robot_dynamics_ros.control.supervisor import Mode

from ..description import Description
from ..endpoints import OVERRIDABLE, STEADY, WARNING_PERIOD, TopicCounters
from ..external_report import external_entry
from ..loop.state_to_command import StateToCommand
from ..robot.commanded_robot import CommandedRobot
from ..robot.missing_states import never_measured, stale_text
from ..robot.robot_holder import RobotHolder
from .check_entries import ERROR, OK, STALE, WARN, Entry, cross_check_entry, driver_gravity_entry
from .command_publishers import CommandPublishers
from .controller import Controller
from .described_findings import described_findings
from .missing_efforts import MissingEfforts
from .saturation import Saturation
from .state_periods import StatePeriods

# The concerns of a configured robot, besides those of the topics.
CONCERNS = ('commands', 'driver gravity', 'external forces', 'cross-check', 'timing')
PERIOD = 1.0
NO_WAIT = (
    'states that have waited longer than state_timeout are not detected: the middleware gives no '
    'time of reception, and header.stamp is not of the clock of this node'
)


class Diagnostics:
    """Publishes one status for each topic and each concern of the robot."""

    def __init__(
        self,
        node: Node,
        holder: RobotHolder,
        topic_counters: dict[str, TopicCounters],
        description: Description,
        loop: StateToCommand,
        command_publishers: CommandPublishers,
        controller: Controller,
        saturation: Saturation,
    ) -> None:
        """Publish on a timer of the node, about these parts of it."""
        self._node = node
        self._holder = holder
        self._topic_counters = topic_counters
        self._description = description
        self._loop = loop
        self._command_publishers = command_publishers
        self._controller = controller
        self._saturation = saturation
        # The totals of the last report, for what is new since then.
        self._rejected = dict.fromkeys(topic_counters, 0)
        self._saturations = 0
        self._ignored = 0
        self._lost = self._late = 0
        self._state_periods = StatePeriods()
        self._missing_efforts = MissingEfforts()
        self._publisher = node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, qos_overriding_options=OVERRIDABLE
        )
        node.create_timer(PERIOD, self._publish, clock=STEADY)

    def _publish(self) -> None:
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        robot = self._holder.current
        entries = {
            topic: self._of_counters(counters) for topic, counters in self._topic_counters.items()
        }
        if robot is None:
            refusal = self._holder.refusal
            text = f'not configured: {refusal}' if refusal else 'not configured'
            entries['model'] = (ERROR if refusal else WARN, text, {})
            for concern in ('joint_states', 'reference', *CONCERNS):
                _, _, values = entries.get(concern, (OK, '', {}))
                entries[concern] = STALE, 'not configured', values
        else:
            entries['model'] = self._of_model(robot)
            topic = 'robot_description'
            entries[topic] = self._of_description(entries[topic])
            entries['joint_states'] = self._of_state(robot, entries['joint_states'])
            entries['reference'] = self._of_reference(robot, entries['reference'])
            entries['commands'] = self._of_commands(robot)
            entries['driver gravity'] = driver_gravity_entry(robot, self._node)
            entries['external forces'] = self._of_external(robot)
            entries['cross-check'] = cross_check_entry(robot)
            entries['timing'] = self._of_timing(robot)
        message.status = [self._status(concern, entry) for concern, entry in entries.items()]
        self._publisher.publish(message)

    def _of_counters(self, counters: TopicCounters) -> Entry:
        new = counters.rejected - self._rejected[counters.topic]
        self._rejected[counters.topic] = counters.rejected
        values: dict[str, object] = {
            'used': counters.used,
            'rejected': counters.rejected,
            'last reason': counters.last_reason,
        }
        if counters.ignored:
            values['ignored, of other joints'] = counters.ignored
        if new:
            return ERROR, f'{new} rejected in the last second: {counters.last_reason}', values
        if counters.last_rejected:
            return WARN, f'last message rejected: {counters.last_reason}', values
        return OK, '0 rejected in the last second', values

    def _of_model(self, robot: CommandedRobot) -> Entry:
        guard, dynamics = robot.guard, robot.dynamics
        values: dict[str, object] = {
            'robot': dynamics.model.name,
            'joints': ', '.join(robot.joints),
            'terms': ', '.join(robot.feedforward.selected_terms),
            'gravity [m/s^2]': ', '.join(f'{x:.6g}' for x in dynamics.gravity),
            'payload [kg]': sum(payload.mass for payload in dynamics.model.payloads),
            'back end': dynamics.backend_description,
        }
        findings = described_findings(robot.findings, robot.feedforward.selected_terms)
        for number, finding in enumerate(findings, 1):
            values[f'audit {number} ({finding.severity})'] = finding
        if guard.supervisor.fault:
            return ERROR, f'stopped until ~/enable is called: {guard.supervisor.fault}', values
        if guard.supervisor.collision:
            mode = f'mode {guard.mode.value} until ~/enable is called'
            return ERROR, f'{mode}: {guard.supervisor.collision}', values
        if not guard.supervisor.active and (missing := robot.missing_limits()):
            return ERROR, f'configured, cannot be activated: {missing}', values
        if not guard.supervisor.active:
            return WARN, 'configured, not active: no torque is commanded', values
        if not guard.supervisor.enabled:
            return WARN, 'torque disabled: call ~/enable', values
        if guard.mode is Mode.SILENT:
            inhibition = guard.supervisor.inhibitions.first()
            no_state = never_measured(robot) or 'no valid joint state'
            reason = inhibition.reason if inhibition else no_state
            return WARN, f'active, no commands: {reason}', values
        if not robot.feedforward.selected_terms:
            return WARN, 'parameter terms is empty: every command is zero', values
        return OK, f'commanding, mode {guard.mode.value}', values

    def _of_description(self, entry: Entry) -> Entry:
        level, _, values = entry
        unused = self._description.unused()
        return (WARN, unused, values) if level == OK and unused else entry

    def _of_state(self, robot: CommandedRobot, entry: Entry) -> Entry:
        level, text, values = entry
        ignored = self._topic_counters['joint_states'].ignored
        new, self._ignored = ignored - self._ignored, ignored
        now = clock.monotonic()
        age = robot.guard.age(now)
        known = math.isfinite(age)
        values['age of the last valid state [s]'] = f'{age:.4f}' if known else 'not known'
        if robot.guard.fresh(now):
            beyond = robot.beyond_limits()
            if level == OK and beyond:
                return WARN, f'outside the position limits: {beyond}; is the unit rad?', values
            return level, text, values
        if level != ERROR and (missing := never_measured(robot)):
            return STALE, missing, values
        text = text if level == ERROR else self._reason_for_no_state(robot, others=new > 0)
        if not known:
            if not text:
                return STALE, 'no valid joint state yet', values
            text = f'no valid joint state yet: {text}'
            self._node.get_logger().warning(text, throttle_duration_sec=5.0)
            return STALE, text, values
        reason = f': {text}' if text else ''
        return STALE, f'{stale_text(robot, now)}{reason}', values

    def _reason_for_no_state(self, robot: CommandedRobot, *, others: bool) -> str:
        """Why no joint state of the robot is received; empty if that is not known.

        Args:
            robot: whose joint states are expected.
            others: whether states of other joints are received.
        """
        if publishers := self._loop.incompatible_publishers():
            return f'incompatible quality of service of {publishers}'
        if not others:
            return ''
        named = ', '.join(self._topic_counters['joint_states'].ignored_joints)
        needed = ', '.join(robot.dynamics.model.joint_names)
        return f'messages name only {named}, needed are {needed}'

    def _of_reference(self, robot: CommandedRobot, entry: Entry) -> Entry:
        level, text, values = entry
        active = robot.guard.reference is not None
        values['dropped'] = robot.guard.followed.dropped
        if left := robot.guard.followed.left:
            return max(level, WARN), f'dropped: {left}; {text}', values
        return level, f'{"" if active else "no "}active reference; {text}', values

    def _of_commands(self, robot: CommandedRobot) -> Entry:
        guard = robot.guard
        counts = guard.limiter.counts
        values: dict[str, object] = {
            f'saturated {name}': int(count)
            for name, count in zip(robot.joints, counts, strict=True)
        }
        others = self._command_publishers.others
        values['other publishers'] = others
        values['subscribers'] = len(self._controller.subscribers)
        values['controller'] = self._controller.text()
        new = int(counts.sum()) - self._saturations
        self._saturations += new
        if others:
            waits = guard.mode is Mode.SILENT and 'publishers' in guard.supervisor.inhibitions
            text = f'{others} other publisher(s) on {self._command_publishers.topic}'
            if waits:
                text += ': no commands until they have left'
            return ERROR, text, values
        if inhibition := guard.supervisor.inhibitions.first():
            return (WARN if inhibition.interrupts else ERROR), inhibition.reason, values
        if not self._controller.subscribers:
            return WARN, f'nobody subscribes to {self._command_publishers.topic}', values
        if text := self._saturation.text:
            return WARN, text, values
        if new > 0:
            return WARN, 'limited in the last second: see the counts of saturated joints', values
        return OK, 'within the limits', values

    def _of_external(self, robot: CommandedRobot) -> Entry:
        with self._holder.lock:
            self._missing_efforts.update(robot, clock.monotonic())
            missing = self._missing_efforts.text
            entry = external_entry(robot, self._state_periods.rate, missing)
        if missing and missing in entry[1]:
            self._node.get_logger().warning(missing, throttle_duration_sec=WARNING_PERIOD)
        return entry

    def _of_timing(self, robot: CommandedRobot) -> Entry:
        summary = robot.statistics.summary(clock.monotonic())
        values: dict[str, object] = {
            'rate [Hz]': f'{summary.rate:.1f}',
            'latency p50 [ms]': f'{1e3 * summary.median_latency:.3f}',
            'latency p99 [ms]': f'{1e3 * summary.p99_latency:.3f}',
            'lost cycles': 'not known' if summary.lost is None else summary.lost,
            'too old to be answered': self._topic_counters['joint_states'].late,
        }
        lost = summary.lost or 0
        new, self._lost = lost - self._lost, lost
        late = self._topic_counters['joint_states'].late
        new_late, self._late = late - self._late, late
        self._state_periods.update(robot, clock.monotonic())
        if proposal := self._state_periods.proposal:
            self._node.get_logger().warning(proposal, throttle_duration_sec=WARNING_PERIOD)
            return WARN, proposal, values
        if not robot.guard.fresh(clock.monotonic()):
            return STALE, 'no valid joint state', values
        if not robot.knows_wait:
            return WARN, NO_WAIT, values
        if new_late > 0:
            return WARN, f'{new_late} joint states waited longer than state_timeout', values
        if new > 0:
            return WARN, f'{new} joint states were lost in the last second', values
        known = math.isfinite(summary.rate)
        return OK, f'{summary.rate:.0f} Hz' if known else 'the rate is not known yet', values

    def _status(self, concern: str, entry: Entry) -> DiagnosticStatus:
        level, text, values = entry
        robot = self._holder.current
        return DiagnosticStatus(
            level=level,
            name=f'{self._node.get_fully_qualified_name()}: {concern}',
            message=text,
            hardware_id='' if robot is None else robot.dynamics.model.name,
            values=[KeyValue(key=key, value=_known(value)) for key, value in values.items()],
        )


def _known(value: object) -> str:
    """A value as text, which is no number where it is not known."""
    text = str(value)
    return 'not known' if text == 'nan' else text
