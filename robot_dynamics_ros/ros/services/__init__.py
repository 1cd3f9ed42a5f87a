"""The services of the node, listed in `offer_services`: name, type, and who answers."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from robot_dynamics_interfaces.srv import (
    CrossCheck,
    FillEfforts,
    ForwardDynamics,
    GetCoriolisMatrix,
    GetGravity,
    GetJacobian,
    GetMassMatrix,
    GetPayload,
    GetTaskSpaceInertia,
    InverseDynamics,
    SetGravity,
    SetPayload,
)
from robot_dynamics_ros.core.errors import RobotDynamicsError

from ..external import zero_external
from ..robot import RobotHolder
from . import dynamics, enable, set_gravity, set_payload

# These change what is commanded, which the log says.
LOGGED = {'~/enable', '~/set_payload', '~/set_gravity', '~/zero_external'}
# Fills a response from a request; a coroutine may wait for other messages.
Answer = Callable[[Node, RobotHolder, Any, Any], Awaitable[None] | None]


def offer_services(node: Node, holder: RobotHolder) -> None:
    """Create all services of the node.

    Each is answered by the function of its name, which fills the response from the request, and
    raises RobotDynamicsError where it cannot.
    """
    # While an answer waits, its group runs nothing else: the default group must go on. The next
    # request of ~/set_gravity waits meanwhile, that of ~/zero_external is refused.
    one_by_one, at_once = MutuallyExclusiveCallbackGroup(), ReentrantCallbackGroup()
    for service_type, answer, group in (
        (GetMassMatrix, dynamics.get_mass_matrix, None),
        (GetCoriolisMatrix, dynamics.get_coriolis_matrix, None),
        (GetGravity, dynamics.get_gravity, None),
        (InverseDynamics, dynamics.inverse_dynamics, None),
        (ForwardDynamics, dynamics.forward_dynamics, None),
        (GetJacobian, dynamics.get_jacobian, None),
        (GetTaskSpaceInertia, dynamics.get_task_space_inertia, None),
        (FillEfforts, dynamics.fill_efforts, None),
        (CrossCheck, dynamics.cross_check, None),
        (SetBool, enable.enable, None),
        (SetPayload, set_payload.set_payload, None),
        (GetPayload, set_payload.get_payload, None),
        (SetGravity, set_gravity.set_gravity, one_by_one),
        (Trigger, zero_external, at_once),
    ):
        name, callback = f'~/{answer.__name__}', _callback(node, holder, answer)
        node.create_service(service_type, name, callback, callback_group=group)


def _callback(node: Node, holder: RobotHolder, answer: Answer) -> Callable[[Any, Any], Any]:
    """Answers with the fields success and message, the text of what is raised."""
    log, name = node.get_logger(), f'~/{answer.__name__}'

    async def callback(request: Any, response: Any) -> Any:
        try:
            if (waiting := answer(node, holder, request, response)) is not None:
                await waiting
            response.success = True
            if name in LOGGED:
                log.info(f'{name}: {response.message}')
        except RobotDynamicsError as error:
            response.success, response.message = False, str(error)
            if name in LOGGED:
                log.warning(f'{name} refused, nothing has changed: {error}')
        except Exception as error:
            # No request may end the node.
            response.success, response.message = False, f'{type(error).__name__}: {error}'
            log.error(f'service {name} failed:\n{traceback.format_exc()}')
        return response

    return callback
