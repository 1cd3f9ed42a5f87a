"""From parameters to the robot: made on configure, and changed while the node runs."""

from __future__ import annotations

import os
import textwrap
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.node import Node
from rclpy.parameter import Parameter

from robot_dynamics_ros.control.external.estimate import ExternalSettings
from robot_dynamics_ros.control.external.thresholds import BANDS, ContactThresholds
from robot_dynamics_ros.control.settings import Settings, per_joint, torque_limits
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError, StateError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.inspection import audit
from robot_dynamics_ros.joint_model import AS_DESCRIBED, read_joint_model
from robot_dynamics_ros.parameter_yaml import errors_in
from robot_dynamics_ros.threshold_file import read_thresholds

from .compilation import BACKEND, compared, compile_robot, require_joints
from .parameter_table import TABLE
from .parameters import ParameterFiles, read
from .robot import CommandedRobot, LiveValues, RobotHolder, refusals_of

# Bandwidths that thresholds are learned with, and that of the node, may differ by so much [-].
SAME = 0.02


class Configuration:
    """Makes robots of descriptions and the parameters of a node, and applies each change of these.

    A change of several parameters is checked as a whole: all are set, or none.
    """

    def __init__(self, node: Node, files: ParameterFiles, holder: RobotHolder) -> None:
        """Check and apply changes from now on; paths are relative to the files."""
        self._node, self._files, self._holder = node, files, holder
        node.add_pre_set_parameters_callback(self._declared)
        node.add_on_set_parameters_callback(self._checked)
        node.add_post_set_parameters_callback(self._apply)

    def values(self, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The checked value of every parameter, by name, with these changes; paths are absolute.

        Raises:
            ParameterError: a value is not allowed, or a parameter file is without effect: then the
                node would run on defaults that nobody chose.
        """
        if self._files.refusal:
            raise ParameterError(self._files.refusal)
        return read(self._node, TABLE, changes, files=self._files)

    def robot_of(self, description: str) -> CommandedRobot:
        """Parse, compile and cross-check the robot of a URDF.

        Raises:
            RobotDynamicsError: the description or a parameter cannot be used, or Pinocchio
                computes other torques.
        """
        values = self.values()
        if not description:
            raise StateError(
                'there is no robot_description: set the parameter or description_file, or publish '
                'the topic robot_description'
            )
        with errors_in('joint_model'):
            path = values['joint_model']
            joint_model = read_joint_model(Path(path)) if path else AS_DESCRIBED
        compiled = compile_robot(
            description,
            gravity=values['gravity'],
            joint_model=joint_model,
            payload_frame=values['payload_frame'],
            joints=values['joints'],
            cross_check=values['cross_check'],
        )
        model = compiled.dynamics.model
        joints = values['joints'] or model.joint_names
        locked: dict[str, float] = values['locked_joints']
        require_joints('locked_joints', locked, model)
        if both := [name for name in locked if name in joints]:
            raise ParameterError(
                f'locked_joints: {both[0]!r} is commanded, it must be measured; remove it from '
                'locked_joints, or from parameter joints'
            )
        return CommandedRobot(compiled, joints, live_values(values, model, joints), locked)

    def log(self, robot: CommandedRobot) -> None:
        """Log the properties of a robot that is used from now on; not of one that is refused."""
        log, compiled, dynamics = self._node.get_logger(), robot.compiled, robot.dynamics
        massless = robot.guard.settings.massless_joints
        for finding in audit(dynamics.model, compiled.text, massless):
            if finding.severity != 'info':
                log.warning(str(finding))
        log.info(
            f'robot {dynamics.model.name!r}, commanded joints {", ".join(robot.joints)}: compiled '
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
        """Check each value by its row, and that all, with the changes, fit the robot."""
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
        model, joints = robot.dynamics.model, robot.joints
        live = live_values(self.values(changes), model, joints)
        torque_limits(model, joints, live.settings)
        refusals = refusals_of(model, joints, live.settings)
        if robot.guard.supervisor.active and refusals:
            raise ParameterError('; '.join(refusals.values()))
        if 'gravity' in changes:
            dynamics = robot.dynamics.with_gravity(live.gravity)
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
        live = live_values(self.values(), robot.dynamics.model, robot.joints)
        robot.prepare(live)
        with self._holder.lock:
            if self._holder.current is robot:
                robot.apply(live)


def live_values(values: Mapping[str, Any], model: RobotModel, joints: Sequence[str]) -> LiveValues:
    """What the live parameters, among those by name, say of the commanded joints of a robot.

    Raises:
        RobotDynamicsError: they do not fit the robot.
    """
    chosen = {field.name: values[field.name] for field in fields(Settings)}
    lists = {name: tuple(each) for name, each in chosen.items() if isinstance(each, list)}
    bandwidth = per_joint('external_bandwidth', values['external_bandwidth'], joints)
    if bandwidth is None:
        raise ParameterError(
            'external_bandwidth is empty, one value for all or one for each commanded joint is '
            f'needed: {", ".join(joints)}'
        )
    require_joints('massless_joints', values['massless_joints'], model)
    with errors_in('external_frame'):
        frame = values['external_frame']
        # Else its wrench is zero.
        if frame and set(joints).isdisjoint(model.joints_that_move(frame)):
            raise ParameterError(
                f'none of the commanded joints {", ".join(joints)} moves {frame!r}: name a link '
                f'that they move, such as the tip: {model.tip_frame(joints)}'
            )
    return LiveValues(
        settings=Settings(**(chosen | lists)),
        external=ExternalSettings(
            external_observer=values['external_observer'],
            external_bandwidth=tuple(bandwidth.tolist()),
            external_frame=frame,
            thresholds=_thresholds(values, model, joints, bandwidth),
            driver_effort=values['driver_effort'],
        ),
        terms=values['terms'],
        gravity=values['gravity'],
    )


def _thresholds(
    values: Mapping[str, Any], model: RobotModel, joints: Sequence[str], bandwidth: Array
) -> ContactThresholds | None:
    """Those of the file contact_thresholds or of the lists; None for no detection."""
    file = values['contact_thresholds']
    lists = {band: per_joint(f'{band}_threshold', values[f'{band}_threshold'], joints)
             for band in BANDS}  # fmt: skip
    given = {band: constants for band, constants in lists.items() if constants is not None}
    if not file:
        return ContactThresholds.of(len(joints), **given) if given else None
    if given:
        raise ParameterError(
            f'contact_thresholds is {file!r}, and {" and ".join(given)} thresholds are set too: '
            'set either the file, or collision_threshold and push_threshold'
        )
    with errors_in('contact_thresholds'):
        learned = read_thresholds(file, model.joint_names)
        with errors_in(file):
            thresholds = learned.of(joints)
            wanted = np.array([learned.bandwidths[name] for name in joints])
            if not np.allclose(bandwidth, wanted, rtol=SAME):
                raise ParameterError(
                    f'it is for external_bandwidth {[round(each, 3) for each in wanted.tolist()]}'
                    f', which is {bandwidth.tolist()}: set that, or learn again with it'
                )
    return thresholds
