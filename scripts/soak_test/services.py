"""The node's services, called while the states go on."""

from __future__ import annotations

from typing import Any

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from observer import NODE
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool

import robot_dynamics_interfaces.srv

ACTIVATE = Transition.TRANSITION_ACTIVATE
DEACTIVATE = Transition.TRANSITION_DEACTIVATE
# The executor takes as long as a cycle: it runs in one of so many, while an answer is due.
EVERY = 5


class Services:
    """Sends requests; answers come while `spin` is called once a cycle."""

    def __init__(self, node: Node) -> None:
        """Create the clients; of SetPayload only where the interfaces have it."""
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._due: list[Any] = []
        self._cycle = 0
        self._parameters = node.create_client(SetParameters, f'{NODE}/set_parameters')
        self._state = node.create_client(ChangeState, f'{NODE}/change_state')
        self._enable = node.create_client(SetBool, f'{NODE}/enable')
        kind = getattr(robot_dynamics_interfaces.srv, 'SetPayload', None)
        self._payload = kind and node.create_client(kind, f'{NODE}/set_payload')
        self.payload_request = kind and kind.Request

    def spin(self) -> None:
        """Let answers come in."""
        self._cycle += 1
        self._due = [future for future in self._due if not future.done()]
        if self._due and self._cycle % EVERY == 0:
            self._executor.spin_once(timeout_sec=0.0)

    def set_parameters(self, **values: Any) -> Any:
        """A future of the results, or None if there is no such service."""
        parameters = [Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
        return self._call(self._parameters, SetParameters.Request(parameters=parameters))

    def change_state(self, transition: int) -> Any:
        """A future of the response, or None."""
        request = ChangeState.Request(transition=Transition(id=transition))
        return self._call(self._state, request)

    def enable(self, on: bool) -> Any:
        """A future of the response, or None."""
        return self._call(self._enable, SetBool.Request(data=on))

    def set_payload(self, request: Any) -> Any:
        """A future of the response, or None."""
        return self._payload and self._call(self._payload, request)

    def close(self) -> None:
        """Let go of the node."""
        self._executor.shutdown()

    def _call(self, client: Any, request: Any) -> Any:
        if not client.service_is_ready():
            return None
        future = client.call_async(request)
        self._due.append(future)
        return future
