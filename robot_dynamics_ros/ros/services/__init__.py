"""The services of the node, listed in `offer_services`: name, type, and who answers."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from rclpy.callback_groups import (
    CallbackGroup,
    MutuallyExclusiveCallbackGroup,
    ReentrantCallbackGroup,
)
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

from ..external import ZeroExternal
from ..robot import RobotHolder
from .dynamics import DynamicsServices
from .enable import EnableService
from .set_gravity import SetGravityService
from .set_payload import PayloadServices

# These change what is commanded, which the log says.
LOGGED = {'~/enable', '~/set_payload', '~/set_gravity', '~/zero_external'}
# Fills a response from a request; a coroutine may wait for other messages.
Answer = Callable[[Any, Any], Awaitable[None] | None]


def offer_services(node: Node, holder: RobotHolder) -> None:
    """Create all services of the node.

    Each is answered by a method that fills the response from the request, and raises
    RobotDynamicsError where it cannot.
    """
    dynamics = DynamicsServices(node, holder)
    payload = PayloadServices(holder)
    # While an answer waits, its group runs nothing else: the default group must go on. The next
    # request of ~/set_gravity waits meanwhile, that of ~/zero_external is refused.
    one_by_one, at_once = MutuallyExclusiveCallbackGroup(), ReentrantCallbackGroup()
    for name, service_type, answer, group in (
        ('~/get_mass_matrix', GetMassMatrix, dynamics.get_mass_matrix, None),
        ('~/get_coriolis_matrix', GetCoriolisMatrix, dynamics.get_coriolis_matrix, None),
        ('~/get_gravity', GetGravity, dynamics.get_gravity, None),
        ('~/inverse_dynamics', InverseDynamics, dynamics.inverse_dynamics, None),
        ('~/forward_dynamics', ForwardDynamics, dynamics.forward_dynamics, None),
        ('~/get_jacobian', GetJacobian, dynamics.get_jacobian, None),
        ('~/get_task_space_inertia', GetTaskSpaceInertia, dynamics.get_task_space_inertia, None),
        ('~/fill_efforts', FillEfforts, dynamics.fill_efforts, None),
        ('~/cross_check', CrossCheck, dynamics.cross_check, None),
        ('~/enable', SetBool, EnableService(holder).enable, None),
        ('~/set_payload', SetPayload, payload.set_payload, None),
        ('~/get_payload', GetPayload, payload.get_payload, None),
        ('~/set_gravity', SetGravity, SetGravityService(node, holder).set_gravity, one_by_one),
        ('~/zero_external', Trigger, ZeroExternal(node, holder).zero_external, at_once),
    ):
        _offer(node, service_type, name, answer, group)


def _offer(
    node: Node, service_type: Any, name: str, answer: Answer, group: CallbackGroup | None
) -> None:
    """Create a service whose response has the fields success and message.

    The text of what the answer raises becomes the message.
    """
    log = node.get_logger()

    async def callback(request: Any, response: Any) -> Any:
        try:
            if (waiting := answer(request, response)) is not None:
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

    node.create_service(service_type, name, callback, callback_group=group)
