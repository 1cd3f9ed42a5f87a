"""The message of /diagnostics, once a second (REP-107): conditions, and figures beside them."""

from __future__ import annotations

import math
import time as clock
from dataclasses import replace

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from robot_dynamics_ros.control.external.estimate import PASSING, ExternalForceEstimate
from robot_dynamics_ros.control.torque_text import joint_torques, units_of, without_rounding

from .endpoints import OVERRIDABLE, STEADY
from .external import missing_reaction, threshold_text
from .health import OK, RECENT, STALE, WARN, Health
from .robot import CommandedRobot

PERIOD = 1.0
STATUSES = (
    *('model', 'robot_description', 'joint_states', 'reference', 'commands', 'driver gravity'),
    *('external forces', 'cross-check', 'timing'),
)


class Diagnostics:
    """Publishes one status for each concern of the node."""

    def __init__(self, health: Health) -> None:
        """Publish on a timer of the node, as of the last look at it."""
        self._health = health
        self._publisher = health.node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, qos_overriding_options=OVERRIDABLE
        )
        health.node.create_timer(PERIOD, self._publish, clock=STEADY)

    def _publish(self) -> None:
        self._health.update()
        message = DiagnosticArray(status=[self._status(name) for name in STATUSES])
        message.header.stamp = self._health.node.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _status(self, name: str) -> DiagnosticStatus:
        health = self._health
        figures, level, text = self._topic_figures(name), OK, ''
        if health.configured:
            level, text, values = self._figures(name)
            figures |= values
        elif name not in ('model', 'robot_description'):
            level, text = STALE, 'not configured'
        found = [each for each in health.found if each.rule.status == name]
        worst = max([level, *(each.rule.level for each in found)])
        # What is worth knowing is shown where nothing is wrong.
        texts = [each.text for each in found if worst == OK or each.rule.level != OK]
        if text and (level != OK or not texts):
            texts.append(text)
        if found:
            figures['conditions'] = ', '.join(each.rule.code for each in found)
        return DiagnosticStatus(
            level=worst,
            name=f'{health.node.get_fully_qualified_name()}: {name}',
            message='; '.join(texts),
            hardware_id=health.robot.dynamics.model.name if health.configured else '',
            values=[KeyValue(key=key, value=_known(value)) for key, value in figures.items()],
        )

    def _topic_figures(self, name: str) -> dict[str, object]:
        counters = self._health.counters.get(name)
        if counters is None:
            return {}
        figures: dict[str, object] = {
            'used': counters.used,
            'rejected': counters.rejected,
            'last reason': counters.last_reason,
        }
        if counters.ignored:
            figures['ignored, of other joints'] = counters.ignored
        return figures

    def _figures(self, name: str) -> tuple[bytes, str, dict[str, object]]:
        """Level, message and values of a status of a configured node without a condition."""
        health, robot, guard = self._health, self._health.robot, self._health.guard
        now = clock.monotonic()
        if name == 'model':
            return OK, 'configured', self._model_figures()
        if name == 'robot_description':
            return OK, '0 rejected in the last second', {}
        if name == 'joint_states':
            age = guard.age(now)
            text = f'{age:.4f}' if math.isfinite(age) else 'not known'
            return OK, '0 rejected in the last second', {'age of the last valid state [s]': text}
        if name == 'reference':
            active = '' if guard.reference is not None else 'no '
            text = f'{active}active reference; 0 rejected in the last second'
            return OK, text, {'dropped': guard.followed.dropped}
        if name == 'commands':
            counts = zip(robot.joints, guard.limiter.counts, strict=True)
            return (
                OK,
                'within the limits',
                {
                    **{f'saturated {joint}': int(count) for joint, count in counts},
                    'other publishers': health.publishers.others,
                    'subscribers': len(health.controller.subscribers),
                    'controller': health.controller.text(),
                },
            )
        if name == 'driver gravity':
            return self._driver_gravity()
        if name == 'external forces':
            with health.holder.lock:
                return _external_entry(robot)
        if name == 'cross-check':
            if robot.report is None:
                return WARN, 'off: parameter cross_check is false', {}
            worst = f'{robot.report.worst.worst_relative:.2e}'
            return OK, str(robot.report), {'worst relative error [-]': worst}
        return self._timing(now)

    def _model_figures(self) -> dict[str, object]:
        robot, dynamics = self._health.robot, self._health.robot.dynamics
        terms = robot.feedforward.selected_terms
        figures: dict[str, object] = {
            'robot': dynamics.model.name,
            'mode': self._health.guard.mode.value,
            'joints': ', '.join(robot.joints),
            'terms': ', '.join(terms),
            'gravity [m/s^2]': ', '.join(f'{x:.6g}' for x in dynamics.gravity),
            'payload [kg]': sum(payload.mass for payload in dynamics.model.payloads),
            'back end': dynamics.backend_description,
        }
        for number, finding in enumerate(robot.findings, 1):
            if finding.code == 'friction_left_out':
                if 'friction' in terms:
                    continue
                advice = 'add friction to parameter terms where it should count'
                finding = replace(finding, advice=advice)
            figures[f'audit {number} ({finding.severity})'] = finding
        return figures

    def _driver_gravity(self) -> tuple[bytes, str, dict[str, object]]:
        seen = self._health.guard.double_compensation
        if 'gravity' not in self._health.robot.feedforward.selected_terms:
            text = 'not checked: parameter terms does not contain gravity'
        elif math.isnan(seen.share):
            text = 'not known: joint states have no effort, or not for long enough'
        else:
            late = '' if seen.excluded else ', but not for long enough to continue a kept command'
            text = f'driver does not appear to add gravity{late}'
        return OK, text, {'measured excess / gravity [-]': f'{seen.share:.3f}'}

    def _timing(self, now: float) -> tuple[bytes, str, dict[str, object]]:
        statistics = self._health.loop.statistics
        median, p99 = statistics.latencies()
        answered, elapsed = self._health.growth('answered', statistics.answered, RECENT)
        rate = float(answered) / elapsed if elapsed else math.nan
        figures: dict[str, object] = {
            'rate [Hz]': f'{rate:.1f}',
            'latency p50 [ms]': f'{1e3 * median:.3f}',
            'latency p99 [ms]': f'{1e3 * p99:.3f}',
            'lost cycles': 'not known' if statistics.lost is None else statistics.lost,
            'too old to be answered': self._health.counters['joint_states'].late,
        }
        if not self._health.guard.fresh(now):
            return STALE, 'no valid joint state', figures
        known = math.isfinite(rate)
        return OK, f'{rate:.0f} Hz' if known else 'the rate is not known yet', figures


def _external_entry(robot: CommandedRobot) -> tuple[bytes, str, dict[str, object]]:
    """Level, text and values: whether external torques are estimated, and what touches the arm.

    What is wrong with them is said by the table of conditions. The caller holds the lock of the
    robot.
    """
    guard, estimate = robot.guard, robot.guard.external
    if estimate is None:
        return OK, 'off: parameter external_observer is false', {}
    values: dict[str, object] = {'on_collision': guard.settings.on_collision}
    supervisor = guard.supervisor
    if supervisor.collision:
        values['reaction'] = supervisor.policy
    if not guard.fresh(clock.monotonic()):
        return STALE, 'no valid joint state', values
    if estimate.reason:
        passing = (
            f'no external torques are estimated: {estimate.reason}'
            if estimate.reason in PASSING
            else ''
        )
        return (STALE if passing else OK), passing, values
    values |= _external_figures(robot, estimate)
    if supervisor.collision:
        text = (
            f'reaction {supervisor.policy} until ~/enable is called: {supervisor.collision}; now: '
            f'{estimate.touch() or "no contact"}'
        )
        return WARN, text, values
    if estimate.contact.state:
        return WARN, f'{estimate.touch()}{missing_reaction(guard)}', values
    if estimate.settings.thresholds is None:
        return OK, 'estimated; contacts are not detected: set contact_thresholds', values
    return OK, 'no contact', values


def _external_figures(robot: CommandedRobot, estimate: ExternalForceEstimate) -> dict[str, object]:
    figures: dict[str, object] = {}
    limits, units = estimate.contact.limits, units_of(robot.dynamics.model, robot.joints)
    for index, (name, unit) in enumerate(zip(robot.joints, units, strict=True)):
        torque = without_rounding(estimate.torque[index])
        bounds = threshold_text(limits[:, index].tolist())
        text = f'{torque:.3g} (thresholds: {bounds})' if bounds else f'{torque:.3g}'
        figures[f'external torque of {name} [{unit}]'] = text
    if estimate.tare.torque.any():
        taken = estimate.tare.torque.tolist()
        figures['taken off'] = joint_torques(robot.joints, taken, units)
    force = without_rounding(float(np.linalg.norm(estimate.wrench()[:3])))
    figures[f'force at {estimate.frame} [N]'] = f'{force:.3g}'
    remarks = estimate.felt_directions().remarks()
    figures[f'not felt at {estimate.frame}'] = '; '.join(remarks) or 'nothing'
    return figures


def _known(value: object) -> str:
    """A value as text, which is no number where it is not known."""
    text = str(value)
    return 'not known' if text == 'nan' else text
