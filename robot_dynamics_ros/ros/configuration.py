"""From parameters to the robot: made on configure, and changed while the node runs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from rclpy.node import Node

from robot_dynamics_ros.control.settings import reference_distances, torque_limits
from robot_dynamics_ros.core.errors import ParameterError, StateError
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel, read_joint_model

from .compilation import (
    BACKEND,
    COMPILED_QUANTITIES,
    OBSERVER_QUANTITIES,
    compared,
    compile_robot,
)
from .live_values import LiveValues
from .parameter_table import TABLE
from .parameters import Changes, ParameterFiles, accept_changes, read
from .robot import CommandedRobot, RobotHolder, no_effort_limit


class RobotFactory:
    """Makes robots from descriptions and the parameters of a node; logs the properties of one."""

    def __init__(self, node: Node, files: ParameterFiles) -> None:
        """Read the parameters of this node, and log to its logger.

        Args:
            node: whose parameters these are.
            files: that gave them.
        """
        self._node = node
        self._files = files

    def from_description(self, description: str) -> CommandedRobot:
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


class LiveParameters:
    """Checks and applies each change of the parameters of a node."""

    def __init__(self, node: Node, holder: RobotHolder, files: ParameterFiles) -> None:
        """Register the callbacks with the node; paths are relative to these files."""
        self._node = node
        self._holder, self._files = holder, files
        accept_changes(node, TABLE, self._check, self._apply)

    def _check(self, changes: Changes) -> None:
        """Check that all values, with the changes, fit the configured robot."""
        robot = self._holder.current
        if robot is None or not changes:
            return
        for name in changes:
            row = TABLE.row_of(name)
            if row is not None and not row.live:
                raise ParameterError(f'{name} is read on configure: deactivate and clean up first')
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

    def _apply(self) -> None:
        """Apply the parameters; the lock that the loop needs is held for the last step only."""
        robot = self._holder.current
        if robot is None:
            return
        values = read(self._node, TABLE, files=self._files)
        live = LiveValues.of(values, robot.dynamics.model, robot.joints)
        robot.prepare(live)
        with self._holder.lock:
            if self._holder.current is robot:
                robot.apply(live)


def _joint_model(path: str) -> JointModel:
    """That of a file; that of the description for an empty path."""
    try:
        return read_joint_model(Path(path)) if path else AS_DESCRIBED
    except OSError as error:
        raise ParameterError(f'joint_model: {path}: {error.strerror}') from None
