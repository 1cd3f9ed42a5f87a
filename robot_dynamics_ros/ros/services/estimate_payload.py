"""`~/estimate_payload`: what a link carries, from the states of the moving arm."""

from __future__ import annotations

import math
import time as clock
from dataclasses import dataclass, field
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from robot_dynamics_interfaces.action import EstimatePayload
from robot_dynamics_ros.control.payload_estimation.live_payload import LivePayload
from robot_dynamics_ros.control.payload_estimation.payload_estimate import (
    MOMENTS,
    PayloadEstimate,
)
from robot_dynamics_ros.control.payload_estimation.state_buffer import StateBuffer
from robot_dynamics_ros.control.payload_estimation.state_window import GAP, LENGTH
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError, StateError

from ..endpoints import STEADY
from ..loop.state_to_command import StateToCommand
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_holder import RobotHolder

NAME = '~/estimate_payload'
# How often states are taken from the loop, and how often the estimate is computed [s].
PERIOD, ESTIMATE_PERIOD = 0.4, 2.0
# How long a goal waits for its first states [s].
PATIENCE = 3.0
# Longest duration of a goal, and of one that ends when the estimate is exact [s].
LONGEST, LONGEST_UNTIL_EXACT = 600.0, 60.0
# Half of the intervals at which that one ends: share of the mass, and distance [m].
EXACT_MASS, EXACT_CENTER = 0.01, 0.005


@dataclass
class _Goal:
    """A goal that is being estimated."""

    handle: ServerGoalHandle
    robot: CommandedRobot
    payload: LivePayload
    states: StateBuffer
    rejected: int
    started: float = field(default_factory=clock.monotonic)
    estimated: float = field(default_factory=clock.monotonic)


class PayloadAction:
    """Estimates one payload at a time; the loop only keeps the states meanwhile.

    A rejection in ROS 2 carries no reason. So a goal that cannot be estimated is accepted and
    aborted at once, with the reason in the result and in the log.
    """

    def __init__(self, node: Node, holder: RobotHolder, loop: StateToCommand) -> None:
        """Offer the action.

        Args:
            node: that offers it.
            holder: of the configured robot.
            loop: that receives the states.
        """
        self._node = node
        self._holder = holder
        self._loop = loop
        self._goal: _Goal | None = None
        self._server = ActionServer(
            node,
            EstimatePayload,
            NAME,
            execute_callback=lambda handle: EstimatePayload.Result(),
            handle_accepted_callback=self._begin,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )
        self._timer = node.create_timer(PERIOD, self._look, clock=STEADY)
        self._timer.cancel()

    def destroy(self) -> None:
        """Withdraw the action."""
        self._timer.cancel()
        self._server.destroy()

    def _begin(self, handle: ServerGoalHandle) -> None:
        try:
            self._goal = self._started(handle)
        except RobotDynamicsError as error:
            self._conclude(handle, _refused(handle, str(error)))
            return
        except Exception as error:
            # A goal that was accepted needs a result.
            self._conclude(handle, _refused(handle, f'{type(error).__name__}: {error}'))
            return
        with self._holder.lock:
            self._loop.kept = self._goal.states
        self._timer.reset()
        self._node.get_logger().info(
            f'estimating the payload of {handle.request.frame}: move the arm'
        )

    def _started(self, handle: ServerGoalHandle) -> _Goal:
        if self._goal is not None:
            raise StateError(
                f'the payload of {self._goal.payload.frame} is being estimated: cancel that goal, '
                'or wait for its end'
            )
        duration = handle.request.duration
        if not 0.0 <= duration <= LONGEST:
            raise ParameterError(
                f'duration is {duration} s, allowed are 0 (until the estimate is exact) to '
                f'{LONGEST:g} s'
            )
        robot = self._holder.require()
        model = robot.dynamics.model
        payload = LivePayload(model, handle.request.frame)
        rejected = self._loop.counters.rejected
        return _Goal(handle, robot, payload, StateBuffer(model.size), rejected)

    def _look(self) -> None:
        """Take the new states, and end the goal where it is due."""
        goal = self._goal
        if goal is None:
            return
        try:
            result = self._progress(goal)
        except RobotDynamicsError as error:
            result = _refused(goal.handle, str(error))
        except Exception as error:
            # No goal may end the node, or be left without a result.
            result = _refused(goal.handle, f'{type(error).__name__}: {error}')
        if result is not None:
            self._goal = None
            self._timer.cancel()
            with self._holder.lock:
                self._loop.kept = None
            self._conclude(goal.handle, result)

    def _progress(self, goal: _Goal) -> EstimatePayload.Result | None:
        robot = self._holder.require()
        if robot.compiled.text != goal.robot.compiled.text:
            raise StateError('the robot has changed: estimate again')
        with self._holder.lock:
            states = goal.states.take_out()
        if len(states):
            goal.payload.push(states, robot.dynamics, robot.feedforward.friction)
        now, handle = clock.monotonic(), goal.handle
        duration = handle.request.duration
        ended = handle.is_cancel_requested or now - goal.started >= (
            duration or LONGEST_UNTIL_EXACT
        )
        if not (ended or now - goal.estimated >= ESTIMATE_PERIOD):
            return None
        goal.estimated = now
        if not goal.payload.samples:
            if ended or now - goal.started >= PATIENCE:
                raise StateError(self._no_states(goal))
            return None
        estimate = goal.payload.estimate()
        if ended or (not duration and _is_exact(estimate)):
            return _result(estimate, self._node.get_fully_qualified_name())
        handle.publish_feedback(_feedback(goal.payload, estimate))
        return None

    def _no_states(self, goal: _Goal) -> str:
        """Why there is nothing to estimate from."""
        rejected = self._loop.counters.rejected - goal.rejected
        if rejected:
            reason = self._loop.counters.last_reason
            return f'{rejected} joint states were rejected and none was used: {reason}'
        return (
            'no joint states come on joint_states that could be used: they must be at most '
            f'{1e3 * GAP * LENGTH:.0f} ms apart'
        )

    def _conclude(self, handle: ServerGoalHandle, result: EstimatePayload.Result) -> None:
        log = self._node.get_logger()
        if result.success:
            log.info(f'payload estimated: {result.message}')
        else:
            log.warning(f'estimate_payload refused: {result.message}')

        def conclude(handle: ServerGoalHandle) -> EstimatePayload.Result:
            if handle.is_cancel_requested:
                handle.canceled()
            elif result.success:
                handle.succeed()
            else:
                handle.abort()
            return result

        handle.execute(conclude)


def _is_exact(estimate: PayloadEstimate) -> bool:
    exact = estimate.mass_interval <= EXACT_MASS * estimate.mass
    return exact and max(estimate.com_interval) <= EXACT_CENTER and not estimate.refusal


def _refused(handle: ServerGoalHandle, reason: str) -> EstimatePayload.Result:
    return _undetermined(handle.request.frame, reason)


def _undetermined(frame: str, message: str) -> EstimatePayload.Result:
    """A result without success, each number NaN: zeros would look like an estimate."""
    result = EstimatePayload.Result(frame=frame, message=message, mass_interval=math.nan)
    result.inertia_interval = [math.nan] * 6
    for name in ('m', *MOMENTS):
        setattr(result.inertia, name, math.nan)
    for vector in (result.inertia.com, result.com_interval):
        _fill(vector, (math.nan,) * 3)
    return result


def _result(estimate: PayloadEstimate, node: str) -> EstimatePayload.Result:
    result = _undetermined(estimate.frame, estimate.sentence())
    if not estimate.determined:
        return result
    result.success = not estimate.refusal
    result.determined = estimate.determined
    result.command = estimate.service_call(node)
    result.mass_interval = estimate.mass_interval
    result.inertia_interval = list(estimate.inertia_interval)
    _fill(result.com_interval, estimate.com_interval)
    result.inertia.m = estimate.mass
    _fill(result.inertia.com, estimate.com)
    for name, value in zip(MOMENTS, estimate.inertia, strict=True):
        setattr(result.inertia, name, value)
    return result


def _feedback(payload: LivePayload, estimate: PayloadEstimate) -> EstimatePayload.Feedback:
    feedback = EstimatePayload.Feedback(
        seconds=payload.seconds,
        samples=payload.samples,
        mass=estimate.mass,
        mass_interval=estimate.mass_interval,
        message=estimate.sentence(),
    )
    _fill(feedback.com, estimate.com)
    _fill(feedback.com_interval, estimate.com_interval)
    return feedback


def _fill(vector: Any, values: tuple[float, ...]) -> None:
    vector.x, vector.y, vector.z = values
