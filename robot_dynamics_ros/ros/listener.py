"""What a running node publishes, for those who look a few times a second, and its services.

Of each topic the newest message is taken: the middleware drops the others, and nothing of them is
decoded, whatever their rate.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_interfaces.srv import SetGravity, SetPayload

from .endpoints import LATCHED, PolledSubscription

NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
# What has not come for so long is over [s].
OVER = 0.5


class Listener:
    """The newest messages of a node of a full name, and its services."""

    def __init__(self, name: str) -> None:
        """Hear it; `close` ends that."""
        self.name, self._context = f'/{name.strip("/")}', Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = node = Node(
            'robot_dynamics_view', context=self._context, start_parameter_services=False
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(node)
        self._newest: dict[str, tuple[float, Any]] = {}
        self._topics = {
            topic: PolledSubscription(node, kind, f'{self.name}/{topic}', qos)
            for kind, topic, qos in (
                (JointTorques, 'torques', NEWEST),
                (WrenchStamped, 'external_wrench', NEWEST),
                (Contact, 'contact', LATCHED),
                (JointTrajectory, 'reference', NEWEST),
            )
        }
        self._topics['diagnostics'] = PolledSubscription(node, DiagnosticArray, '/diagnostics', 10)
        self._clients = {
            name: node.create_client(kind, f'{self.name}/{name}')
            for kind, name in (
                (SetBool, 'enable'), (SetPayload, 'set_payload'), (SetGravity, 'set_gravity')
            )
        }  # fmt: skip

    def look(self) -> None:
        """Take what has come."""
        if 'states' not in self._topics and (topic := self._topic_of_states()):
            self._topics['states'] = PolledSubscription(self._node, JointState, topic, NEWEST)
        for topic, subscription in self._topics.items():
            for message, _ in subscription.poll():
                if topic != 'diagnostics' or self.statuses(message):
                    self._newest[topic] = time.monotonic(), message
        self._executor.spin_once(timeout_sec=0.0)

    def _topic_of_states(self) -> str:
        """That which the node hears, whatever its name is; empty while there is no node."""
        space, _, name = self.name.rpartition('/')
        try:
            heard = self._node.get_subscriber_names_and_types_by_node(name, space or '/')
        except rclpy.node.NodeNameNonExistentError:
            return ''
        return next((one for one, kinds in heard if 'sensor_msgs/msg/JointState' in kinds), '')

    def statuses(self, message: DiagnosticArray) -> dict[str, DiagnosticStatus]:
        """Those of the node, by their names without its own."""
        own = f'{self.name}: '
        return {
            one.name.removeprefix(own): one for one in message.status if one.name.startswith(own)
        }

    def newest(self, topic: str, longest: float = OVER) -> Any:
        """The last message of a topic, if it came within that time [s]; else None."""
        moment, message = self._newest.get(topic, (-np.inf, None))
        return message if time.monotonic() <= moment + longest else None

    def call(self, service: str, answer: Any, **fields: Any) -> None:
        """Call a service; `answer` gets success and a message."""
        client = self._clients[service]
        if not client.service_is_ready():
            answer(False, f'there is no {client.srv_name}')
            return
        client.call_async(client.srv_type.Request(**fields)).add_done_callback(
            lambda future: answer(future.result().success, future.result().message)
        )

    def close(self) -> None:
        """Leave."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()
