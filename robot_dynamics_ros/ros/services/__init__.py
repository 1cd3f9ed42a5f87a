"""The services of the node, listed in `offer_services`: name, type, and who answers."""

from __future__ import annotations

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

from ..external import ZeroExternal
from ..requested_state import RequestedState
from ..robot import RobotHolder
from ..trajectory_action import FillEffortsService
from .answering import offer, offer_awaited
from .dynamics import DynamicsServices
from .enable import EnableService
from .set_gravity import SetGravityService
from .set_payload import PayloadServices


def offer_services(node: Node, holder: RobotHolder) -> None:
    """Create all services of the node.

    Each is answered by a method that fills the response from the request, and raises
    RobotDynamicsError where it cannot.

    Args:
        node: that offers them.
        holder: of the configured robot.
    """
    state = RequestedState(holder.lock)
    dynamics = DynamicsServices(node, holder, state)
    trajectories = FillEffortsService(holder, state)
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
            answer = state.questioned(holder.require, answer)
        offer(node, service_type, name, answer)
    gravity = SetGravityService(node, holder)
    offer_awaited(node, SetGravity, '~/set_gravity', gravity.set_gravity)
    zero = ZeroExternal(node, holder)
    offer_awaited(node, Trigger, '~/zero_external', zero.zero_external, at_once=True)
