"""One goal of `~/follow_joint_trajectory` on its way through the controller's action."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action.client import ActionClient
from rclpy.action.server import ServerGoalHandle


class PassedGoal:
    """Sends a goal to the controller, and its feedback and result back.

    Everything is a callback: a coroutine that waits makes the executor of rclpy spin without
    pause. So the goal is executed, in the sense of rclpy, once its result is known.
    """

    def __init__(
        self, handle: ServerGoalHandle, result_type: Any, on_end: Callable[[PassedGoal], None]
    ) -> None:
        """Take a goal of a client.

        Args:
            handle: of the client's goal.
            result_type: of the action.
            on_end: called once, with this, when the goal has ended.
        """
        self._handle = handle
        self._result_type = result_type
        self._on_end = on_end
        self._forwarded: Any = None
        self._ended = False

    def send(self, client: ActionClient, goal: Any) -> None:
        """Send the goal to the controller.

        Args:
            client: of the controller's action.
            goal: with its efforts.
        """
        # With the same ID, so that logs of the client and of the controller can be compared.
        future = client.send_goal_async(
            goal,
            feedback_callback=lambda message: self._handle.publish_feedback(message.feedback),
            goal_uuid=self._handle.goal_id,
        )
        future.add_done_callback(lambda done: self._on_answer(done.result()))

    def cancel(self) -> None:
        """Cancel the goal of the controller, whose result then ends this one."""
        if self._forwarded is not None:
            self._forwarded.cancel_goal_async()

    def abort(self, code: int, reason: str) -> None:
        """End with this error.

        Args:
            code: an error code of the result.
            reason: for its error_string.
        """
        result = self._result_type(error_code=code, error_string=reason)
        self._end(GoalStatus.STATUS_ABORTED, result)

    def _on_answer(self, forwarded: Any) -> None:
        """The controller has accepted or rejected the goal."""
        if not forwarded.accepted:
            self.abort(
                self._result_type.INVALID_GOAL,
                'the controller rejected the goal: is it active? Its log gives the reason',
            )
            return
        self._forwarded = forwarded
        if self._ended or self._handle.is_cancel_requested:
            self.cancel()
        forwarded.get_result_async().add_done_callback(
            lambda done: self._end(done.result().status, done.result().result)
        )

    def _end(self, status: int, result: Any) -> None:
        if self._ended:
            return
        self._ended = True

        def conclude(handle: ServerGoalHandle) -> Any:
            if status == GoalStatus.STATUS_SUCCEEDED:
                handle.succeed()
            elif status == GoalStatus.STATUS_CANCELED and handle.is_cancel_requested:
                handle.canceled()
            else:
                # Also where another client has cancelled the goal at the controller.
                handle.abort()
            return result

        self._handle.execute(conclude)
        self._on_end(self)
