"""`~/enable` and `~/change_state`: torque on and off, through the fade."""

from __future__ import annotations

from typing import Any

from lifecycle_msgs.msg import State, Transition
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward

from ..endpoints import until
from ..external import contact_text
from ..node_clock import NodeClock
from ..robot import RobotHolder

# How often it is asked whether a fade is over [s].
PERIOD = 0.01


def enable(node: Node, holder: RobotHolder, request: Any, response: Any) -> None:
    """Enable or disable torque; enabling also clears a fault or a reaction to a collision."""
    with holder.lock:
        guard = holder.require().guard
        if request.data:
            response.message = _enabled(guard, holder.clock)
            return
        guard.supervisor.enabled = False
        how = f'fading over {guard.settings.fade_time:g} s (on_stop={guard.settings.on_stop})'
        response.message = f'torque disabled: {"none was commanded" if guard.silent else how}'


def _enabled(guard: GuardedFeedforward, clock: NodeClock) -> str:
    supervisor, now = guard.supervisor, clock.now()
    stopped = supervisor.fault or supervisor.reaction
    already = supervisor.enabled and not stopped
    doubt = ''
    if supervisor.reaction and guard.external is not None:
        unknown = guard.external.reason
        if not guard.state.fresh(now):
            unknown = 'no valid joint state'
        doubt = f'; whether the arm is still touched is not known: {unknown}' if unknown else ''
    guard.enable()
    start = 'with the next valid joint state' if clock.ticks else 'as soon as /clock has a time'
    if inhibition := supervisor.inhibitions.first():
        start = f'but not yet: {inhibition.reason}'
    elif not supervisor.active:
        start = 'as soon as the node is activated'
    if already:
        text = 'torque is already enabled'
        text += f', commands begin {start}' if guard.silent else ''
    else:
        text = f'torque enabled: fading in over {guard.settings.fade_time:g} s, {start}'
        text += f'; acknowledged: {stopped}' if stopped else ''
    touched = contact_text(guard, now)
    return text + (f'; the arm is still touched: {touched}' if touched else doubt)


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
            node.stop()
            await until(node, lambda: not node.stopping, PERIOD)
            # Another request may have been answered meanwhile.
            if not allowed(request.transition):
                return response
        return change_state(request, response)

    service.callback = callback
    # While it waits, it holds up no other callback.
    service.callback_group = ReentrantCallbackGroup()
    service.callback_group.add_entity(service)
