"""Creates a service whose exceptions become answers."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from robot_dynamics_ros.core.errors import RobotDynamicsError

# Fills a response from a request.
Answer = Callable[[Any, Any], None]


def offer(node: Node, service_type: Any, name: str, answer: Answer) -> None:
    """Create a service whose response has the fields success and message.

    Args:
        node: that offers it.
        service_type: its type.
        name: of the service.
        answer: fills the response; the text of what it raises becomes the message.
    """

    def callback(request: Any, response: Any) -> Any:
        try:
            answer(request, response)
            response.success = True
        except RobotDynamicsError as error:
            response.success = False
            response.message = str(error)
        except Exception as error:
            # No request may end the node.
            response.success = False
            response.message = f'{type(error).__name__}: {error}'
            node.get_logger().error(f'service {name} failed:\n{traceback.format_exc()}')
        return response

    node.create_service(service_type, name, callback)
