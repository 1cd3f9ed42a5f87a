"""From parameters to the robot: made on configure, and changed while the node runs."""

from __future__ import annotations

import os
import textwrap
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.node import Node
from rclpy.parameter import Parameter

from robot_dynamics_ros.control.settings import reference_distances, torque_limits
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError, StateError
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel, read_joint_model
from robot_dynamics_ros.parameter_yaml import ParameterFiles, errors_in

from .compilation import (
    BACKEND,
    COMPILED_QUANTITIES,
    OBSERVER_QUANTITIES,
    compared,
    compile_robot,
)
from .live_values import LiveValues
from .parameter_table import TABLE
from .parameters import read
from .robot import CommandedRobot, RobotHolder, no_effort_limit


class Configuration:
    """Makes robots of descriptions and the parameters of a node, and applies each change of these.

    A change of several parameters is checked as a whole: all are set, or none.
    """

    def __init__(self, node: Node, files: ParameterFiles, holder: RobotHolder) -> None:
        """Check and apply changes from now on.

        Args:
            node: whose parameters these are; its logger is used.
            files: that gave them: paths are relative to these.
            holder: of the configured robot.
        """
        self._node, self._files, self._holder = node, files, holder
        node.add_pre_set_parameters_callback(self._declared)
        node.add_on_set_parameters_callback(self._checked)
        node.add_post_set_parameters_callback(self._apply)

    def robot_of(self, description: str) -> CommandedRobot:
        """Parse, compile and cross-check a robot.

        Args:
            description: text of the URDF.

        Raises:
            RobotDynamicsError: the description or a parameter cannot be used, or Pinocchio
                computes other torques.
        """
        if not description:
            raise StateError(
                'there is no robot_description: set the parameter or description_file, or publish '
                'the topic robot_description'
            )
        values = read(self._node, TABLE, files=self._files)
        compiled = compile_robot(
            description,
            gravity=values['gravity'],
            joint_model=_joint_model(values['joint_model']),
            payload_frame=values['payload_frame'],
            joints=values['joints'],
            quantities=COMPILED_QUANTITIES
            + (OBSERVER_QUANTITIES if values['external_observer'] else ()),
            cross_check=values['cross_check'],
        )
        return CommandedRobot(compiled, values)

    def log(self, robot: CommandedRobot) -> None:
        """Log the properties of a robot that is used from now on; not of one that is refused."""
        log, compiled, dynamics = self._node.get_logger(), robot.compiled, robot.dynamics
        values = read(self._node, TABLE)
        for finding in robot.findings:
            if finding.severity != 'info':
                log.warning(str(finding))
        log.info(
            f'robot {dynamics.model.name!r}: {dynamics.model.size} joints, compiled '
            f'in {compiled.compile_seconds:.2f} s, {dynamics.backend_description}'
        )
        if dynamics.backend == 'python' and not os.environ.get(BACKEND):
            log.warning(
                f'backend is {dynamics.backend_description}. README.md says how to '
                f'install llvmlite; {BACKEND}=python in the environment accepts plain Python'
            )
        log.info(
            str(compiled.report)
            if compiled.report
            else 'not compared with Pinocchio: parameter cross_check is false'
        )
        terms = ' + '.join(values['terms'])
        log.info(
            f'torques of {", ".join(robot.joints)}: {terms or "zero"}, evaluated at the '
            f'{values["evaluate_at"]}, gravity {values["gravity"]} m/s^2'
        )

    def _declared(self, changes: list[Parameter[Any]]) -> list[Parameter[Any]]:
        """Refuse names that the node does not have: rclpy's own refusal names none of them."""
        if names := [each.name for each in changes if not self._node.has_parameter(each.name)]:
            raise ParameterNotDeclaredException(list(map(TABLE.nearest, names)))
        return changes

    def _checked(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Whether the values that are to be set may be."""
        try:
            self._check({each.name: each.value for each in changes if TABLE.row_of(each.name)})
        except RobotDynamicsError as error:
            # rclpy has written the types of the refused values into the descriptors.
            for each in changes:
                present = self._node.get_parameter(each.name).type_.value
                self._node.describe_parameter(each.name).type = present
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _check(self, changes: Mapping[str, Any]) -> None:
        """Check each value by its row, and that all, with the changes, fit the configured robot.

        Raises:
            RobotDynamicsError: they do not.
        """
        robot = self._holder.current
        for name, value in changes.items():
            row = TABLE.row_of(name)
            if value is None:
                raise ParameterError(f'{name} cannot be deleted: set a value')
            row.checked(value if row.name == name else {name.removeprefix(f'{row.name}.'): value})
            if robot is not None and not row.live:
                raise ParameterError(f'{name} is read on configure: deactivate and clean up first')
        if robot is None or not changes:
            return
        values = read(self._node, TABLE, changes, files=self._files)
        model, joints = robot.dynamics.model, robot.joints
        settings = LiveValues.of(values, model, joints).settings
        torque_limits(model, joints, settings)
        reference_distances(model, joints, settings)
        missing = no_effort_limit(model, joints, settings)
        if robot.guard.supervisor.active and missing:
            raise ParameterError(missing)
        if 'gravity' in changes:
            dynamics = robot.dynamics.with_gravity(values['gravity'])
            robot.report = compared(replace(robot.compiled, dynamics=dynamics)).report

    def _apply(self, changes: Sequence[Parameter[Any]]) -> None:
        """Log and apply what was set; the lock that the loop needs is held for the last step."""
        own = [each for each in changes if TABLE.row_of(each.name)]
        for each in own:
            # rclpy gives numbers as arrays, which print their type; a description fills pages.
            value = each.value.tolist() if isinstance(each.value, array) else each.value
            self._node.get_logger().info(f'{each.name} is now {textwrap.shorten(str(value), 200)}')
        robot = self._holder.current
        if robot is None or not own:
            return
        values = read(self._node, TABLE, files=self._files)
        live = LiveValues.of(values, robot.dynamics.model, robot.joints)
        robot.prepare(live)
        with self._holder.lock:
            if self._holder.current is robot:
                robot.apply(live)


def _joint_model(path: str) -> JointModel:
    """That of a file; that of the description for an empty path."""
    with errors_in('joint_model'):
        return read_joint_model(Path(path)) if path else AS_DESCRIBED
