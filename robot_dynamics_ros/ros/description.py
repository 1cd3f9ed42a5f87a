"""The description of the robot: parameters, file or latched topic; for the command, a topic."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable

import rclpy
from rclpy.context import Context
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from robot_dynamics_ros.core.errors import ParameterError, UrdfError
from robot_dynamics_ros.core.urdf_xml import decode

from .endpoints import LATCHED, OVERRIDABLE, PolledSubscription, TopicCounters
from .parameters import ParameterFiles

LONGEST_WAIT = 10.0  # [s]
WAIT_TIMEOUT = 0.1  # [s]


class Description:
    """Of parameter robot_description, of the file that description_file names, or of the topic.

    Attributes:
        counters: of the messages of the topic.
    """

    def __init__(
        self, node: Node, files: ParameterFiles, used: Callable[[], str], start: Callable[[], None]
    ) -> None:
        """Subscribe.

        Args:
            node: that subscribes.
            files: for a relative path.
            used: gives the text of the configured robot; empty without one.
            start: called when a description is received and no robot is configured.
        """
        self._node, self._files, self._used, self._start = node, files, used, start
        self._received = ''
        self.counters = TopicCounters('robot_description')
        node.create_subscription(
            String,
            'robot_description',
            self._on_description,
            # rclpy writes the overrides into the profile that it is given.
            copy.copy(LATCHED),
            qos_overriding_options=OVERRIDABLE,
        )

    @property
    def is_given(self) -> bool:
        """Whether there is a description to configure."""
        return any((*self._parameters(), self._received))

    def text(self) -> str:
        """The URDF to configure; empty if there is none yet.

        Raises:
            ParameterError: both parameters are set, or the file cannot be read.
        """
        return given_description(*self._parameters(), self._files) or self._received

    def unused(self) -> str:
        """What to do for the received text to be used; empty if it is, or need not be."""
        if any(self._parameters()) or self._used() in ('', self._received):
            return ''
        return (
            'a new robot_description has come, and the robot of the one before is used: '
            'deactivate, clean up and configure the node to use the new one'
        )

    def _parameters(self) -> tuple[str, str]:
        """The values of robot_description and description_file."""
        names = ('robot_description', 'description_file')
        text, path = (str(self._node.get_parameter(name).value or '') for name in names)
        return text, path

    def _on_description(self, message: String) -> None:
        text, path = self._parameters()
        if not message.data.strip():
            self.counters.reject('the text is empty: the description before is kept')
        elif path or (text and message.data != text):
            self.counters.reject(
                f'{"description_file" if path else "robot_description"} (description:= of the '
                'launch file) is used: leave the parameter empty to use the topic'
            )
        else:
            self._received = message.data
            self.counters.use()
            if not self._used():
                self._start()


def given_description(text: str, path: str, files: ParameterFiles) -> str:
    """The URDF of robot_description or description_file; empty if neither is set.

    Raises:
        ParameterError: both parameters are set, or the file cannot be read.
    """
    if text and path:
        raise ParameterError(
            f'robot_description and description_file ({path}) are set: set one of them'
        )
    if not path:
        return text
    file = files.path('description_file', path)
    try:
        return decode(file.read_bytes())
    except (OSError, UrdfError) as error:
        raise ParameterError(f'description_file: {file} cannot be read: {error}') from None


def read_description(topic: str, longest_wait: float = LONGEST_WAIT) -> str:
    """The text of the first message on a topic, for the command: a latched one comes at once.

    Raises:
        ParameterError: the name cannot be that of a topic, or nothing has come in that time.
    """
    context = Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = Node('robot_dynamics_command', context=context, start_parameter_services=False)
    try:
        subscription = PolledSubscription(node, String, topic, LATCHED)
        end = time.monotonic() + longest_wait
        while time.monotonic() < end:
            # Ctrl-C is noticed between two waits.
            if subscription.wait(WAIT_TIMEOUT):
                for message, _ in subscription.poll():
                    return str(message.data)
        topics = node.get_topic_names_and_types()
    except NameValidationException as error:
        # Its first line says what is wrong.
        raise ParameterError(f'{topic}: {str(error).splitlines()[0]}') from None
    finally:
        node.destroy_node()
        context.try_shutdown()
    texts = {name for name, types in topics if 'std_msgs/msg/String' in types}
    raise ParameterError(
        f'{topic}: no description within {longest_wait:g} s: is robot_state_publisher running, '
        'with the same ROS_DOMAIN_ID? Other topics of texts: '
        f'{", ".join(sorted(texts - {topic})) or "none"}'
    )
