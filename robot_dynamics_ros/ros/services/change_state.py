"""The service `~/change_state`, during whose fade the other callbacks of the node are served."""

from __future__ import annotations

from typing import Any

from lifecycle_msgs.msg import State, Transition
from rclpy.callback_groups import ReentrantCallbackGroup

from ..endpoints import until

# How often it is asked whether a fade is over [s].
PERIOD = 0.01


def serve_transitions(node: Any) -> None:
    """Fade out before a transition that ends torque, and answer what the state does not allow.

    In a transition the executor waits: so the fade precedes it, in a coroutine.

    The rclpy of ROS 2 Jazzy (7.1) raises RCLError for a transition that is not allowed and sends
    no response, so that the client waits for ever; later releases answer `success: false`.

    Args:
        node: the `DynamicsNode` whose service answers from now on.
    """
    # rclpy offers no other way to the service and to the state machine.
    service, machine = node._service_change_state, node._state_machine
    change_state = service.callback

    def allowed(wanted: Transition) -> bool:
        possible = {number: label for number, label, *_ in machine.available_transitions}
        # As in rclpy, the label counts where there is one.
        if wanted.label in possible.values() if wanted.label else wanted.id in possible:
            return True
        node.get_logger().error(
            f'transition {wanted.label or wanted.id} refused: in state '
            f'{machine.current_state[1]}, allowed are '
            + ', '.join(f'{label} ({number})' for number, label in possible.items())
        )
        return False

    async def callback(request: Any, response: Any) -> Any:
        response.success = False
        if not allowed(request.transition):
            return response
        if machine.current_state[0] == State.PRIMARY_STATE_ACTIVE:
            # From here it is deactivated or shut down.
            node.begin_stop()
            await until(node, lambda: not node.stopping, PERIOD)
            # Another request may have been answered meanwhile.
            if not allowed(request.transition):
                return response
        return change_state(request, response)

    service.callback = callback
    # While it waits, it holds up no other callback.
    service.callback_group = ReentrantCallbackGroup()
    service.callback_group.add_entity(service)
