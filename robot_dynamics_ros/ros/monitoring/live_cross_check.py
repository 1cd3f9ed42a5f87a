"""While the robot runs: is the live torque what Pinocchio computes?"""

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
from ..robot.robot_in_use import RobotInUse


class LiveCrossCheck:
    """Compares what the last state was answered with, in the executor's thread.

    Attributes:
        report: of the last comparison; None before there is one.
        worst: relative error of all since the node was configured [-].
        checks: how many there were.
        rate: at which it compares [Hz]; 0: it does not.
    """

    def __init__(self, node: Node, in_use: RobotInUse) -> None:
        """Prepare; `begin` compares."""
        self._node = node
        self._in_use = in_use
        self._timer = node.create_timer(1.0, self._check, clock=STEADY, autostart=False)
        self.report: Report | None = None
        self.worst, self.checks, self.rate = 0.0, 0, 0.0
        self._last = 0.0
        node.add_post_set_parameters_callback(self._apply)

    @property
    def age(self) -> float:
        """Of the last comparison [s]."""
        return clock.monotonic() - self._last

    def begin(self) -> None:
        """Forget what was, and compare at parameter cross_check_rate: a robot is configured."""
        self.report, self.worst, self.checks = None, 0.0, 0
        self.set_rate(float(self._node.get_parameter('cross_check_rate').value))

    def set_rate(self, rate: float) -> None:
        """Compare so often [Hz]; 0: never."""
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
        with self._in_use.lock:
            commanded = self._in_use.present
            if commanded is None or commanded.robot.oracle is None:
                return
            if commanded.guard.mode not in (Mode.FOLLOW, Mode.HOLD):
                return
            used = commanded.feedforward
            if not used.current:
                return
            state = State(used.q.copy(), used.v.copy(), used.a.copy())
            terms, gravity = used.terms.copy(), commanded.robot.dynamics.gravity
        tolerance = float(self._node.get_parameter('cross_check_tolerance').value)
        report = commanded.robot.oracle.compare_torques(terms, state, gravity, tolerance=tolerance)
        self.report = report
        self.checks += 1
        self._last = clock.monotonic()
        # np.maximum keeps a NaN, max would lose it.
        self.worst = float(np.maximum(self.worst, report.worst.worst_relative))
        if not report.agrees:
            self._react(commanded.guard, str(report))

    def _react(self, guard: GuardedFeedforward, report: str) -> None:
        stops = self._node.get_parameter('on_disagreement').value == 'stop'
        with self._in_use.lock:
            if stops and not guard.fault:
                guard.fault = report
        remedy = 'stopped, until ~/enable' if stops else 'commanded all the same'
        self._node.get_logger().error(
            f'live torque: {report}; {remedy}', throttle_duration_sec=WARNING_PERIOD
        )
