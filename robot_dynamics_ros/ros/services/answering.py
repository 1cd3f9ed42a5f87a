"""The edge at which errors become answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from robot_dynamics_ros.core.errors import RobotDynamicsError

# Fills a response from a request.
Answer = Callable[[Any, Any], None]
# Type of a service, its name, what answers it.
Service = tuple[Any, str, Answer]


def offer(node: Node, service: Any, name: str, answer: Answer) -> None:
    """Create a service whose responses have success and message.

    Args:
        node: that offers it.
        service: its type.
        name: of the service.
        answer: fills the response; what it raises becomes the message.
    """

    def callback(request: Any, response: Any) -> Any:
        try:
            answer(request, response)
            response.success = True
        except RobotDynamicsError as error:
            response.success = False
            response.message = str(error)
        except Exception as error:
            # A request must not end the node, whatever it finds.
            response.success = False
            response.message = f'{type(error).__name__}: {error}'
            node.get_logger().error(f'{name}: {response.message}')
        return response

    node.create_service(service, name, callback)
