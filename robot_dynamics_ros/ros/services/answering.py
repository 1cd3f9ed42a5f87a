"""Creates a service whose exceptions become answers."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node

from robot_dynamics_ros.core.errors import RobotDynamicsError

# Fills a response from a request.
Answer = Callable[[Any, Any], None]
# The same in a coroutine.
AwaitedAnswer = Callable[[Any, Any], Awaitable[None]]


def offer(node: Node, service_type: Any, name: str, answer: Answer) -> None:
    """Create a service whose response has the fields success and message.

    Args:
        node: that offers it.
        service_type: its type.
        name: of the service.
        answer: fills the response; the text of what it raises becomes the message.
    """

    def callback(request: Any, response: Any) -> Any:
        with _errors_reported(node, name, response):
            answer(request, response)
        return response

    node.create_service(service_type, name, callback)


def offer_awaited(
    node: Node, service_type: Any, name: str, answer: AwaitedAnswer, *, at_once: bool = False
) -> None:
    """Create a service that waits for other messages; the executor runs on meanwhile.

    Args:
        node: that offers it.
        service_type: its type.
        name: of the service.
        answer: fills the response; it may await a Future of rclpy.
        at_once: whether a request that comes while another one waits is handed on at once, to be
            refused; else after that.
    """

    async def callback(request: Any, response: Any) -> Any:
        with _errors_reported(node, name, response):
            await answer(request, response)
        return response

    # While one answer waits, its group runs nothing else: the default group must go on.
    group = ReentrantCallbackGroup() if at_once else MutuallyExclusiveCallbackGroup()
    node.create_service(service_type, name, callback, callback_group=group)


@contextmanager
def _errors_reported(node: Node, name: str, response: Any) -> Iterator[None]:
    try:
        yield
        response.success = True
    except RobotDynamicsError as error:
        response.success = False
        response.message = str(error)
    except Exception as error:
        # No request may end the node.
        response.success = False
        response.message = f'{type(error).__name__}: {error}'
        node.get_logger().error(f'service {name} failed:\n{traceback.format_exc()}')
