"""Stands for a controller and its controller manager, as far as the node asks them."""

from types import SimpleNamespace

import rclpy
from std_msgs.msg import Float64MultiArray

try:
    from controller_manager_msgs.msg import ControllerState
    from controller_manager_msgs.srv import ListControllers
except ImportError:
    ListControllers = None


class FakeController:
    """A node with the parameters of a forward_command_controller, in the executor of a scene.

    Where controller_manager_msgs is not installed, its states are given to the node as if a
    controller manager had answered.

    Attributes:
        applied: (m,) the commands that came while it was active.
        state: as its controller manager says; None for no controller manager.
    """

    def __init__(
        self, scene, joints, interface='effort', state='active', name='effort_controller'
    ):
        context = scene.observer.node.context
        self._scene, self._name = scene, name
        self.node = rclpy.create_node(name, context=context)
        if joints is not None:
            self.node.declare_parameter('joints', joints)
        if interface is not None:
            self.node.declare_parameter('interface_name', interface)
        self.applied, self.state = [], state
        self.node.create_subscription(
            Float64MultiArray, '/robot_dynamics/commands', self._on_command, 10
        )
        if ListControllers is not None and state is not None:
            self.node.create_service(
                ListControllers, '/controller_manager/list_controllers', self._list
            )
        # As often as the node asks.
        self.node.create_timer(0.1, self.tell)
        scene.observer._executor.add_node(self.node)

    def _on_command(self, message):
        if self.state in (None, 'active'):
            self.applied.append(list(message.data))

    def _list(self, request, response):
        response.controller = [ControllerState(name=self._name, state=self.state)]
        return response

    def switch(self, state):
        """Be in that state from now on."""
        self.state = state
        self.tell()

    def tell(self):
        """Answer for the controller manager, where its messages are not installed."""
        questions = self._scene.node._controller.questions
        if ListControllers is None and self.state is not None and questions is not None:
            questions.take_states({self._name: self.state})

    def publish_activity(self, *states):
        """Messages of its controller manager on the topic of activity, one after the other."""
        for state in states:
            each = SimpleNamespace(name=self._name, state=SimpleNamespace(label=state))
            self._scene.node._controller.questions.on_activity(SimpleNamespace(controllers=[each]))

    def destroy(self):
        self.node.destroy_node()
