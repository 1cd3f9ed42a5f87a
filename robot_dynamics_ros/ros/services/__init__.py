"""The services of the node, listed in `offer_services`: name, type, and who answers."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
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

from ..external import ZeroExternal
from ..robot import RobotHolder
from ..trajectory_action import FillEffortsService
from .dynamics import DynamicsServices
from .enable import EnableService
from .set_gravity import SetGravityService
from .set_payload import PayloadServices

# Fills a response from a request.
Answer = Callable[[Any, Any], None]
# The same in a coroutine.
AwaitedAnswer = Callable[[Any, Any], Awaitable[None]]


def offer_services(node: Node, holder: RobotHolder) -> None:
    """Create all services of the node.

    Each is answered by a method that fills the response from the request, and raises
    RobotDynamicsError where it cannot.

    Args:
        node: that offers them.
        holder: of the configured robot.
    """
    dynamics = DynamicsServices(node, holder)
    trajectories = FillEffortsService(holder)
    payload = PayloadServices(node, holder)
    for name, service_type, answer in (
        ('~/get_mass_matrix', GetMassMatrix, dynamics.get_mass_matrix),
        ('~/get_coriolis_matrix', GetCoriolisMatrix, dynamics.get_coriolis_matrix),
        ('~/get_gravity', GetGravity, dynamics.get_gravity),
        ('~/inverse_dynamics', InverseDynamics, dynamics.inverse_dynamics),
        ('~/forward_dynamics', ForwardDynamics, dynamics.forward_dynamics),
        ('~/get_jacobian', GetJacobian, dynamics.get_jacobian),
        ('~/get_task_space_inertia', GetTaskSpaceInertia, dynamics.get_task_space_inertia),
        ('~/fill_efforts', FillEfforts, trajectories.fill_efforts),
        ('~/cross_check', CrossCheck, dynamics.cross_check),
        ('~/enable', SetBool, EnableService(node, holder).enable),
        ('~/set_payload', SetPayload, payload.set_payload),
        ('~/get_payload', GetPayload, payload.get_payload),
    ):
        if 'state' in service_type.Request.get_fields_and_field_types():
            answer = dynamics.questioned(answer)
        offer(node, service_type, name, answer)
    gravity = SetGravityService(node, holder)
    offer_awaited(node, SetGravity, '~/set_gravity', gravity.set_gravity)
    zero = ZeroExternal(node, holder)
    offer_awaited(node, Trigger, '~/zero_external', zero.zero_external, at_once=True)


def offer(node: Node, service_type: Any, name: str, answer: Answer) -> None:
    """Create a service whose response has the fields success and message.

    Args:
        node: that offers it.
        service_type: its type.
        name: of the service.
        answer: fills the response; the text of what it raises becomes the message.
    """

    def callback(request: Any, response: Any) -> Any:
        with _errors_reported(node, name, response):
            answer(request, response)
        return response

    node.create_service(service_type, name, callback)


def offer_awaited(
    node: Node, service_type: Any, name: str, answer: AwaitedAnswer, *, at_once: bool = False
) -> None:
    """Create a service that waits for other messages; the executor runs on meanwhile.

    Args:
        node: that offers it.
        service_type: its type.
        name: of the service.
        answer: fills the response; it may await a Future of rclpy.
        at_once: whether a request that comes while another one waits is handed on at once, to be
            refused; else after that.
    """

    async def callback(request: Any, response: Any) -> Any:
        with _errors_reported(node, name, response):
            await answer(request, response)
        return response

    # While one answer waits, its group runs nothing else: the default group must go on.
    group = ReentrantCallbackGroup() if at_once else MutuallyExclusiveCallbackGroup()
    node.create_service(service_type, name, callback, callback_group=group)


@contextmanager
def _errors_reported(node: Node, name: str, response: Any) -> Iterator[None]:
    try:
        yield
        response.success = True
    except RobotDynamicsError as error:
        response.success = False
        response.message = str(error)
    except Exception as error:
        # No request may end the node.
        response.success = False
        response.message = f'{type(error).__name__}: {error}'
        node.get_logger().error(f'service {name} failed:\n{traceback.format_exc()}')
