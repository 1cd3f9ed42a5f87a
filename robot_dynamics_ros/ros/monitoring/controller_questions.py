"""Asks a controller for its parameters, and its controller manager for its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.task import Future

from .controller_view import ACTIVE, ControllerView

try:
    from controller_manager_msgs.srv import ListControllers
except ImportError:  # not among the wheels; part of ros2_control
    ListControllers = None

# An answer that takes longer is not waited for [s].
ANSWER_TIMEOUT = 2.0


class ControllerQuestions:
    """Keeps a `ControllerView` up to date; `update` never waits.

    Attributes:
        view: what is known now.
        parameters_known: whether the controller has answered.
        lists_states: whether a controller manager answers.
    """

    def __init__(self, node: Node, name: str) -> None:
        """Create the clients.

        Args:
            node: that asks.
            name: fully qualified, of the node of the controller.
        """
        self.view = ControllerView(name)
        self.parameters_known = self.lists_states = False
        # Two clients: an rclcpp node answers nothing if it lacks one of the parameters.
        self._parameters = {
            parameter: PolledClient(node, GetParameters, f'{name}/get_parameters')
            for parameter in ('joints', 'interface_name')
        }
        self._answered: set[str] = set()
        namespace, _, self._short_name = name.rpartition('/')
        self.manager = f'{namespace}/controller_manager'
        self._states = (
            PolledClient(node, ListControllers, f'{self.manager}/list_controllers')
            if ListControllers is not None
            else None
        )

    @property
    def exists(self) -> bool:
        """Whether the node of the controller has been discovered."""
        return self._parameters['joints'].ready

    @property
    def manager_exists(self) -> bool:
        """Whether the controller manager has been discovered and can be asked."""
        return self._states is not None and self._states.ready

    def update(self, now: float) -> None:
        """Take the answers that have come, and ask again.

        Args:
            now: [s], on a monotonic clock.
        """
        for parameter, client in self._parameters.items():
            answer = client.take()
            if answer is not None:
                self._take_parameter(parameter, answer)
            if parameter not in self._answered:
                client.ask(GetParameters.Request(names=[parameter]), now)
        self.parameters_known = self._answered == set(self._parameters)
        if self._states is not None:
            answer = self._states.take()
            if answer is not None:
                self.take_states(answer)
            self._states.ask(ListControllers.Request(), now)

    def forget(self) -> None:
        """Ask for the parameters again: the controller may have been configured anew."""
        self._answered.clear()
        self.parameters_known = False
        self.view = ControllerView(self.view.name, state=self.view.state)

    def lose(self) -> None:
        """Ask for everything again: the controller has ended, its manager perhaps too."""
        self.forget()
        self.lists_states = False
        self.view = ControllerView(self.view.name)

    def destroy(self) -> None:
        """Remove the clients from the node."""
        for client in (*self._parameters.values(), self._states):
            if client is not None:
                client.destroy()

    def _take_parameter(self, parameter: str, answer: Any) -> None:
        self._answered.add(parameter)
        # A node that does not have it answers with nothing, or with a value that is not set.
        value = answer.values[0] if answer.values else None
        if value is None:
            return
        if parameter == 'joints' and value.type == ParameterType.PARAMETER_STRING_ARRAY:
            joints = tuple(name for name in value.string_array_value if name)
            self.view = replace(self.view, joints=joints)
        elif parameter == 'interface_name' and value.type == ParameterType.PARAMETER_STRING:
            self.view = replace(self.view, interface=value.string_value)

    def take_states(self, answer: Any) -> None:
        """Take the answer of the controller manager."""
        self.lists_states = True
        states = {controller.name: controller.state for controller in answer.controller}
        before, state = self.view.state, states.get(self._short_name, '')
        if before and not state:
            state = 'unloaded'
        if before == ACTIVE != state:
            # It may come back with other parameters.
            self.forget()
        self.view = replace(self.view, state=state)


class PolledClient:
    """Asks a service, without waiting: at most one request is under way."""

    def __init__(self, node: Node, service_type: type, name: str) -> None:
        """Create the client.

        Args:
            node: that asks; its executor receives the answers.
            service_type: of the service.
            name: of the service.
        """
        self._node = node
        self._client = node.create_client(service_type, name)
        self._future: Future | None = None
        self._asked = 0.0

    @property
    def ready(self) -> bool:
        """Whether the service has been discovered."""
        return bool(self._client.service_is_ready())

    @property
    def waiting(self) -> bool:
        """Whether a request is under way."""
        return self._future is not None

    def ask(self, request: Any, now: float) -> None:
        """Send a request, unless one is under way or the service has not been discovered.

        Args:
            request: to send.
            now: [s], on a monotonic clock.
        """
        if self._future is not None and now > self._asked + ANSWER_TIMEOUT:
            self._client.remove_pending_request(self._future)
            self._future = None
        if self._future is None and self.ready:
            self._future, self._asked = self._client.call_async(request), now

    def take(self) -> Any | None:
        """The answer to the request, once; None if there is none yet."""
        if self._future is None or not self._future.done():
            return None
        future, self._future = self._future, None
        return None if future.exception() else future.result()

    def destroy(self) -> None:
        """Remove the client from the node."""
        self._node.destroy_client(self._client)
