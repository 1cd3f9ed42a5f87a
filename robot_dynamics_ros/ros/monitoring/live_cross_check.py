"""Compares the commanded torque with Pinocchio while the robot runs."""

from __future__ import annotations

import time as clock

import numpy as np
from rclpy.node import Node
from rclpy.parameter import Parameter

from robot_dynamics_ros.control.guards.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.guards.supervisor import Mode
from robot_dynamics_ros.core.model.sampling import State
from robot_dynamics_ros.oracle.report import Report

from ..endpoints.defaults import STEADY
from ..endpoints.topic_counters import WARNING_PERIOD
from ..robot.robot_holder import RobotHolder


class LiveCrossCheck:
    """Compares the torque that answered the last state, in the thread of the executor.

    Attributes:
        report: of the last comparison; None before the first.
        worst: largest relative error since the node was configured [-].
        checks: number of comparisons since then.
        rate: of the comparisons [Hz]; 0 for none.
    """

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Create the timer; `begin` starts it."""
        self._node = node
        self._holder = holder
        self._timer = node.create_timer(1.0, self._check, clock=STEADY, autostart=False)
        self.report: Report | None = None
        self.worst, self.checks, self.rate = 0.0, 0, 0.0
        self._last = 0.0
        node.add_post_set_parameters_callback(self._apply)

    @property
    def age(self) -> float:
        """Time since the last comparison [s]."""
        return clock.monotonic() - self._last

    def begin(self) -> None:
        """Start for a robot that was configured, at parameter cross_check_rate."""
        self.report, self.worst, self.checks = None, 0.0, 0
        self.set_rate(float(self._node.get_parameter('cross_check_rate').value))

    def set_rate(self, rate: float) -> None:
        """Compare at this rate [Hz]; 0: never."""
        self.rate = rate
        if rate > 0.0:
            self._timer.timer_period_ns = round(1e9 / rate)
            self._timer.reset()
        else:
            self._timer.cancel()

    def _apply(self, changes: list[Parameter]) -> None:
        for change in changes:
            if change.name == 'cross_check_rate':
                self.set_rate(float(change.value))

    def _check(self) -> None:
        with self._holder.lock:
            robot = self._holder.current
            if robot is None or robot.compiled.pinocchio is None:
                return
            if robot.guard.mode not in (Mode.FOLLOW, Mode.HOLD):
                return
            used = robot.feedforward
            if not used.current:
                return
            state = State(used.q.copy(), used.v.copy(), used.a.copy())
            terms, gravity = used.terms.copy(), robot.dynamics.gravity
        tolerance = float(self._node.get_parameter('cross_check_tolerance').value)
        report = robot.compiled.pinocchio.compare_torques(
            terms, state, gravity, tolerance=tolerance
        )
        self.report = report
        self.checks += 1
        self._last = clock.monotonic()
        # np.maximum keeps a NaN, max would lose it.
        self.worst = float(np.maximum(self.worst, report.worst.worst_relative))
        if not report.agrees:
            self._react(robot.guard, str(report))

    def _react(self, guard: GuardedFeedforward, report: str) -> None:
        stops = self._node.get_parameter('on_disagreement').value == 'stop'
        with self._holder.lock:
            if stops and not guard.fault:
                guard.fault = report
        reaction = (
            'stopped: find the cause, then call ~/enable (on_disagreement=stop)'
            if stops
            else 'still commanded (on_disagreement=warn)'
        )
        self._node.get_logger().error(
            f'commanded torque: {report}; {reaction}', throttle_duration_sec=WARNING_PERIOD
        )
