"""`~/estimate_payload`: what a link carries, from the states of the moving arm."""

from __future__ import annotations

import math
import threading
import time as clock
from functools import partial
from typing import TYPE_CHECKING

from geometry_msgs.msg import Inertia, Vector3
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from robot_dynamics_interfaces.action import EstimatePayload
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError, StateError

from ..loop import Loop
from ..robot import RobotHolder

if TYPE_CHECKING:
    from robot_dynamics_ros.identification.payload import PayloadEstimate

NAME = '~/estimate_payload'
# How often a goal looks whether it has ended, and how often the estimate is computed [s].
PERIOD, ESTIMATE_PERIOD = 0.1, 2.0
# How long a goal waits for its first state, and for the end of the one before [s].
PATIENCE, GRACE = 3.0, 0.5
# Longest duration of a goal, and of one that ends when the estimate is exact [s].
LONGEST, LONGEST_UNTIL_EXACT = 600.0, 60.0
# Half of the intervals at which that one ends: share of the mass, and distance [m].
EXACT_MASS, EXACT_CENTER = 0.01, 0.005
# Of the low pass [Hz].
CUTOFF = 10.0
MOMENTS = ('ixx', 'ixy', 'iyy', 'ixz', 'iyz', 'izz')


class PayloadAction:
    """Estimates one payload at a time, in a thread of its own; the loop gives it the states.

    A rejection in ROS 2 carries no reason. So a goal that cannot be estimated is accepted and
    aborted, with the reason in the result and in the log.
    """

    def __init__(self, node: Node, holder: RobotHolder, loop: Loop) -> None:
        """Offer the action.

        Args:
            node: that offers it.
            holder: of the configured robot.
            loop: that receives the states.
        """
        self._node, self._holder, self._loop = node, holder, loop
        self._estimating, self._withdrawn = threading.Lock(), threading.Event()
        self._server = ActionServer(
            node,
            EstimatePayload,
            NAME,
            execute_callback=lambda handle: EstimatePayload.Result(),
            handle_accepted_callback=lambda handle: threading.Thread(
                target=self._answer, args=(handle,), name=NAME, daemon=True
            ).start(),
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )

    def end(self) -> None:
        """End the goal without a result: nobody will send it any more."""
        self._withdrawn.set()

    def destroy(self) -> None:
        """Withdraw the action."""
        self.end()
        with self._estimating:
            self._server.destroy()

    def _answer(self, handle: ServerGoalHandle) -> None:
        # A goal that follows another one at once waits for its end.
        first = self._estimating.acquire(timeout=GRACE)
        try:
            if not first:
                raise StateError(
                    'another payload is being estimated: cancel that goal, or wait for its end'
                )
            result = self._estimated(handle)
        except Exception as error:
            # No goal may end the node, or be left without a result.
            expected = isinstance(error, RobotDynamicsError)
            reason = str(error) if expected else f'{type(error).__name__}: {error}'
            result = _result(handle.request.frame, reason)
            self._node.get_logger().warning(f'estimate_payload refused: {reason}')
        if not self._withdrawn.is_set():
            handle.execute(partial(_concluded, result=result))
        if first:
            with self._holder.lock:
                self._loop.kept = None
            self._estimating.release()

    def _estimated(self, handle: ServerGoalHandle) -> EstimatePayload.Result:
        """The result at the end of the goal."""
        # Only where somebody asks: it is a fifth of all modules.
        from robot_dynamics_ros.identification.payload import PayloadEstimator
        from robot_dynamics_ros.recordings import LiveMotion

        frame, duration = handle.request.frame, handle.request.duration
        if not 0.0 <= duration <= LONGEST:
            raise ParameterError(
                f'duration is {duration} s, allowed are 0 (until the estimate is exact) to '
                f'{LONGEST:g} s'
            )
        robot, rejected = self._holder.require(), self._loop.counters.rejected
        estimator = PayloadEstimator(robot.dynamics, frame, robot.feedforward.friction.torque)
        states = LiveMotion(robot.dynamics.model.joint_names, CUTOFF)
        with self._holder.lock:
            self._loop.kept = states.put
        self._node.get_logger().info(f'estimating the payload of {frame}: move the arm')
        begun = estimated = clock.monotonic()
        while not self._withdrawn.wait(PERIOD):
            present, now = self._holder.require(), clock.monotonic()
            if present.compiled.text != robot.compiled.text:
                raise StateError('the robot has changed: estimate again')
            ended = handle.is_cancel_requested or now - begun >= (duration or LONGEST_UNTIL_EXACT)
            if not ended and now - estimated < ESTIMATE_PERIOD:
                continue
            estimated = now
            estimator.dynamics.gravity = present.dynamics.gravity
            for motion in states.take():
                estimator.add(motion)
            if not estimator.samples:
                if ended or (not states.received and now - begun >= PATIENCE):
                    doubt = states.doubt if states.received else self._no_states(rejected)
                    raise StateError(doubt)
                continue
            estimate = estimator.estimate()
            if ended or (not duration and _is_exact(estimate)):
                result = _result(frame, estimate.sentence(), estimate)
                self._node.get_logger().info(f'payload estimated: {result.message}')
                result.command = estimate.service_call(self._node.get_fully_qualified_name())
                return result
            handle.publish_feedback(
                EstimatePayload.Feedback(
                    seconds=estimator.seconds,
                    samples=estimator.samples,
                    mass=estimate.mass,
                    mass_interval=estimate.mass_interval,
                    com=_vector(estimate.com),
                    com_interval=_vector(estimate.com_interval),
                    message=estimate.sentence(),
                )
            )
        raise StateError('the node ends')

    def _no_states(self, rejected: int) -> str:
        """That no state came, with the reason; so many were rejected before."""
        counters = self._loop.counters
        if new := counters.rejected - rejected:
            return f'{new} joint states were rejected and none was used: {counters.last_reason}'
        return 'no joint states come on joint_states'


def _concluded(handle: ServerGoalHandle, result: EstimatePayload.Result) -> EstimatePayload.Result:
    ended = handle.succeed if result.success else handle.abort
    (handle.canceled if handle.is_cancel_requested else ended)()
    return result


def _is_exact(estimate: PayloadEstimate) -> bool:
    exact = estimate.mass_interval <= EXACT_MASS * estimate.mass
    return exact and max(estimate.com_interval) <= EXACT_CENTER and not estimate.refusal


def _result(
    frame: str, message: str, estimate: PayloadEstimate | None = None
) -> EstimatePayload.Result:
    """The result of an estimate; else each number is NaN: zeros would look like an estimate."""
    result = EstimatePayload.Result(frame=frame, message=message)
    values = intervals = (math.nan,) * 10
    if estimate is not None and estimate.determined:
        result.success, result.determined = not estimate.refusal, estimate.determined
        values = (estimate.mass, *estimate.com, *estimate.inertia)
        deviations = estimate.com_interval, estimate.inertia_interval
        intervals = (estimate.mass_interval, *deviations[0], *deviations[1])
    moments = dict(zip(MOMENTS, values[4:], strict=True))
    result.inertia = Inertia(m=values[0], com=_vector(values[1:4]), **moments)
    result.mass_interval, result.com_interval = intervals[0], _vector(intervals[1:4])
    result.inertia_interval = list(intervals[4:])
    return result


def _vector(values: tuple[float, ...]) -> Vector3:
    return Vector3(**dict(zip('xyz', values, strict=True)))
