"""From a description and the parameters to a robot that can be commanded."""

from __future__ import annotations

from typing import Any

import numpy as np
from rclpy.node import Node

from robot_dynamics_ros.core.description.urdf import parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, StateError
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.core.plausibility.audit import audit

from ..parameters import node_parameters
from .commanded_robot import CommandedRobot
from .preparation import PreparedRobot, prepare_robot


class RobotMaker:
    """Parses, compiles and cross-checks, by the parameters of a node, and logs what it made."""

    def __init__(self, node: Node) -> None:
        """Work for a node."""
        self._node = node

    def make(self, description: str, payload: Payload | None = None) -> CommandedRobot:
        """A controller of the robot.

        Args:
            description: text of the URDF.
            payload: to attach.

        Raises:
            RobotDynamicsError: the robot cannot be commanded so.
        """
        values = node_parameters.read(self._node)
        if not description:
            raise StateError('no robot_description yet, neither parameter nor topic')
        joints = values['joints'] or parse_urdf(description).joint_names
        robot = prepare_robot(
            description,
            gravity=values['gravity'],
            backend=None if values['backend'] == 'auto' else values['backend'],
            armature=node_parameters.by_joint('armature', values, joints),
            payload=payload,
            cross_check_samples=values['cross_check_samples'] if values['cross_check'] else 0,
            cross_check_tolerance=values['cross_check_tolerance'],
        )
        commanded = self.control(robot)
        self._report(commanded, values)
        return commanded

    def control(self, robot: PreparedRobot) -> CommandedRobot:
        """Another controller of a robot that was prepared before.

        Raises:
            RobotDynamicsError: the parameters do not fit it.
        """
        values = node_parameters.read(self._node)
        robot.dynamics.gravity = values['gravity']
        return CommandedRobot(robot, values)

    def _report(self, commanded: CommandedRobot, values: dict[str, Any]) -> None:
        log, robot = self._node.get_logger(), commanded.robot
        dynamics = robot.dynamics
        for finding in audit(dynamics.model):
            if finding.severity != 'info':
                log.warning(str(finding))
        unlimited = np.isinf(commanded.guard.limiter.limits)
        if unlimited.any():
            names = ', '.join(np.array(commanded.joints)[unlimited])
            log.warning(f'no effort limit for {names}: set parameter effort_limits')
        size = f'{dynamics.model.size} joints'
        compiled = f'compiled in {robot.compile_seconds:.2f} s'
        log.info(f'{dynamics.model.name}: {size}, {compiled}, {dynamics.backend_description}')
        log.info(str(robot.report) if robot.report else 'not cross-checked: cross_check is false')
        terms = ' + '.join(values['terms'])
        if not terms:
            log.warning('parameter terms is empty: every command is zero')
        log.info(
            f'commanding {", ".join(commanded.joints)}: {terms or "zero"}, evaluated at the '
            f'{values["evaluate_at"]}, gravity {values["gravity"]} m/s^2'
        )


def require_same_joints(new: CommandedRobot, old: CommandedRobot) -> None:
    """Whether one can go over to the other while the robot runs.

    Raises:
        ParameterError: it has other joints; whoever hears the commands expects the old ones.
    """
    joints = new.robot.dynamics.model.joint_names, new.joints
    present = old.robot.dynamics.model.joint_names, old.joints
    if joints != present:
        raise ParameterError(
            f'its joints are {", ".join(joints[0])}, those in use {", ".join(present[0])}: '
            'deactivate, clean up and configure'
        )
