"""What an error of the package itself in a lifecycle transition leads to."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

Transition = Callable[[Any, LifecycleState], TransitionCallbackReturn]


def guarded(transition: Transition) -> Transition:
    """Decorate a transition of a node: log an exception with its traceback, and end the commands.

    rclpy drops exceptions of a transition and logs nothing. The result is ERROR: rclpy then calls
    `on_error`.

    Args:
        transition: of a `DynamicsNode`, such as `on_activate`.
    """

    @functools.wraps(transition)
    def run(node: Any, state: LifecycleState) -> TransitionCallbackReturn:
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
