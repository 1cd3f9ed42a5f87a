"""Fills efforts into JointTrajectory messages, and compares their demands with the limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.msg import JointDemand as JointDemandMessage
from robot_dynamics_ros.control.feedforward import check_choices
from robot_dynamics_ros.control.trajectory_efforts import (
    JointDemand,
    described_limits,
    joint_demands,
    trajectory_efforts,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.tree import Limits

from ..messages import doubles
from ..reference import read_points
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState


def fill_efforts(
    message: JointTrajectory,
    robot: CommandedRobot,
    state: RequestedState,
    terms: Sequence[str],
) -> list[JointDemand]:
    """Fill in the efforts at every point, and find what the trajectory demands of each joint.

    Args:
        message: names independent joints, in any order; changed in place.
        robot: gives the dynamics and the limits.
        state: gives the positions of the joints that the trajectory does not name.
        terms: parts of the torque to fill in; with none, efforts are left empty.

    Raises:
        RobotDynamicsError: the trajectory cannot be used, a joint of the robot is neither named
            nor measured, or a term does not exist. The message is then unchanged.
    """
    joints = tuple(message.joint_names)
    _check_names(joints, robot)
    points = read_points(message, joints, start=0.0)
    q = _resting_positions(joints, robot, state)
    efforts = trajectory_efforts(robot.dynamics, joints, points, q)
    filled = efforts.sum_of(terms)
    demands = joint_demands(efforts, joints, _limits(robot, joints))
    for point, values in zip(message.points, filled, strict=True):
        point.effort = doubles(values) if terms else []
    return demands


def excesses(demands: Sequence[JointDemand]) -> str:
    """The limits that are exceeded, as a phrase for log and response; empty for none."""
    return '; '.join(phrase for demand in demands for phrase in demand.excesses())


def demand_message(demand: JointDemand) -> JointDemandMessage:
    """The demand on a joint as a message."""
    return JointDemandMessage(
        joint_name=demand.joint,
        effort=demand.effort.value,
        effort_limit=demand.limits.effort,
        effort_exceeded=demand.effort.exceeded,
        effort_point=demand.effort.point,
        velocity=demand.velocity.value,
        velocity_limit=demand.limits.velocity,
        velocity_exceeded=demand.velocity.exceeded,
        velocity_point=demand.velocity.point,
        position=demand.position.value,
        position_lower=demand.limits.lower,
        position_upper=demand.limits.upper,
        position_exceeded=demand.position.exceeded,
        position_point=demand.position.point,
    )


def _check_names(joints: Sequence[str], robot: CommandedRobot) -> None:
    if not joints:
        raise StateError('joint_names of the trajectory is empty: name the joints of its points')
    check_choices('joint_names', joints)
    for name in joints:
        robot.dynamics.model.index_of(name)


def _limits(robot: CommandedRobot, joints: Sequence[str]) -> list[Limits]:
    """The limits of the joints; for commanded joints, the effort limit of the guard."""
    guard = robot.guard
    described = described_limits(robot.dynamics.model, joints)
    efforts = dict(zip(robot.joints, guard.limiter.limits.tolist(), strict=True))
    return [
        replace(limits, effort=efforts.get(name, limits.effort))
        for name, limits in zip(joints, described, strict=True)
    ]


def _resting_positions(
    joints: Sequence[str], robot: CommandedRobot, state: RequestedState
) -> Array:
    """q (n,) of the latest joint state; zero if the trajectory names all joints."""
    model = robot.dynamics.model
    unnamed = [name for name in model.joint_names if name not in joints]
    if not unnamed:
        return np.zeros(model.size)
    try:
        return state.latest(robot)[0]
    except StateError:
        raise StateError(
            f'the trajectory does not name {", ".join(unnamed)}, and there is no valid joint '
            'state that gives their positions'
        ) from None
