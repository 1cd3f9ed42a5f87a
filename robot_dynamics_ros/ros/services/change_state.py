"""The service `~/change_state`: a request for a transition that is not allowed now is answered."""

from __future__ import annotations

from typing import Any

from rclpy.lifecycle import LifecycleNode


def answer_impossible_transitions(node: LifecycleNode) -> None:
    """Answer requests for transitions that the state of the node does not allow.

    The rclpy of ROS 2 Jazzy (7.1) raises RCLError for such a request and sends no response, so
    that the client waits for ever; later releases answer `success: false`. They are answered here
    before rclpy sees them.

    Args:
        node: whose service answers from now on.
    """
    # rclpy offers no other way to the service and to the state machine.
    service, machine = node._service_change_state, node._state_machine
    change_state = service.callback

    def callback(request: Any, response: Any) -> Any:
        wanted = request.transition
        possible = {number: label for number, label, *_ in machine.available_transitions}
        # As in rclpy, the label counts where there is one.
        known = wanted.label in possible.values() if wanted.label else wanted.id in possible
        if known:
            return change_state(request, response)
        node.get_logger().error(
            f'transition {wanted.label or wanted.id} refused: in state '
            f'{machine.current_state[1]}, allowed are '
            + ', '.join(f'{label} ({number})' for number, label in possible.items())
        )
        response.success = False
        return response

    service.callback = callback
