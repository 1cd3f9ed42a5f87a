"""What an error of the package itself in a lifecycle transition leads to."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Protocol, TypeVar

from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from .robot.robot_holder import RobotHolder


class Transitional(Protocol):
    """What the node must have."""

    robot_holder: RobotHolder

    def get_logger(self) -> RcutilsLogger:
        """The logger of the node."""

    def end_commands(self) -> None:
        """Fade to the final command, then command nothing."""


N = TypeVar('N', bound=Transitional)
Transition = Callable[[N, LifecycleState], TransitionCallbackReturn]


def guarded(transition: Transition[N]) -> Transition[N]:
    """Decorate a transition of a node: log an exception with its traceback, and end the commands.

    rclpy drops exceptions of a transition and logs nothing. The result is ERROR: rclpy then calls
    `on_error`.

    Args:
        transition: such as `on_activate`.
    """

    @functools.wraps(transition)
    def run(node: N, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(node, state)
        except Exception as error:
            node.get_logger().fatal(
                f'{transition.__name__} failed; commands fade to the final command (on_stop) and '
                'cease:\n'
                f'{traceback.format_exc()}'
            )
            node.robot_holder.refusal = f'{type(error).__name__}: {error}'
            node.end_commands()
            return TransitionCallbackReturn.ERROR

    return run
