"""The description that a running robot publishes, for the command `robot_dynamics`."""

from __future__ import annotations

import time

import rclpy
from rclpy.context import Context
from rclpy.exceptions import NameValidationException
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from robot_dynamics_ros.core.errors import ParameterError

from .endpoints import LATCHED

LONGEST_WAIT = 10.0  # [s]
# Longest time until Ctrl-C is noticed [s].
SPIN_TIMEOUT = 0.1


def read_description(topic: str, longest_wait: float = LONGEST_WAIT) -> str:
    """The text of the first message on a topic, which a latched publisher sends at once.

    Args:
        topic: name, such as /robot_description.
        longest_wait: for the message [s].

    Raises:
        ParameterError: the name cannot be that of a topic, or nothing has come in that time.
    """
    context = Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = Node('robot_dynamics_command', context=context, start_parameter_services=False)
        try:
            return _first_text(node, context, topic, longest_wait)
        finally:
            node.destroy_node()
    finally:
        context.try_shutdown()


def _first_text(node: Node, context: Context, topic: str, longest_wait: float) -> str:
    received: list[str] = []
    try:
        node.create_subscription(String, topic, lambda m: received.append(m.data), LATCHED)
    except NameValidationException as error:
        # Its first line says what is wrong.
        raise ParameterError(f'{topic}: {str(error).splitlines()[0]}') from None
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    end = time.monotonic() + longest_wait
    while not received and time.monotonic() < end:
        executor.spin_once(timeout_sec=SPIN_TIMEOUT)
    executor.shutdown()
    if received:
        return received[0]
    texts = [
        name for name, types in node.get_topic_names_and_types() if 'std_msgs/msg/String' in types
    ]
    others = ', '.join(sorted({*texts} - {topic})) or 'none'
    raise ParameterError(
        f'{topic}: no description within {longest_wait:g} s: is robot_state_publisher running, '
        f'with the same ROS_DOMAIN_ID? Other topics of texts: {others}'
    )
