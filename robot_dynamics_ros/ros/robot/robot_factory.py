"""From a description and the parameters to a robot that can be commanded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from rclpy.node import Node

from robot_dynamics_ros.core.description.urdf import parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, StateError
from robot_dynamics_ros.core.model.payload import Payload

from ..parameters import node_parameters
from .commanded_robot import CommandedRobot
from .compilation import (
    COMPILED_QUANTITIES,
    OBSERVER_QUANTITIES,
    CompiledRobot,
    compared,
    compile_robot,
    with_payload,
)
from .compiler_process import compile_elsewhere
from .giving_way import give_way
from .parameter_warnings import parameter_warnings


class RobotFactory:
    """Makes robots from descriptions and the parameters of a node; logs the properties of one."""

    def __init__(self, node: Node) -> None:
        """Read the parameters of this node, and log to its logger."""
        self._node = node

    def from_description(self, description: str, payload: Payload | None = None) -> CommandedRobot:
        """Parse, compile and cross-check a robot.

        Args:
            description: text of the URDF.
            payload: to attach.

        Raises:
            RobotDynamicsError: the description or a parameter cannot be used, or Pinocchio
                computes other torques.
        """
        values = node_parameters.read(self._node)
        compiled = compile_robot(description, **self._options(description, payload, values))
        return CommandedRobot(compiled, values)

    def compilation(
        self, description: str, payload: Payload | None = None
    ) -> Callable[[], CompiledRobot]:
        """A function that does the work of `from_description` in another process.

        Meanwhile this process goes on; the function may be called in any thread. What it returns
        is for `from_compiled`.

        Args:
            description: text of the URDF.
            payload: to attach.

        Raises:
            RobotDynamicsError: a parameter cannot be used.
        """
        values = node_parameters.read(self._node)
        options = self._options(description, payload, values)
        return partial(compile_elsewhere, description, options)

    def _options(
        self, description: str, payload: Payload | None, values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The arguments of `compile_robot`, by the parameters."""
        if not description:
            raise StateError(
                'there is no robot_description: set the parameter, or publish it on topic '
                'robot_description'
            )
        armature: Mapping[str, float] = {}
        if values['armature']:
            joints = values['joints'] or parse_urdf(description).joint_names
            armature = node_parameters.by_joint('armature', values, joints)
        return {
            'gravity': values['gravity'],
            'backend': None if values['backend'] == 'auto' else values['backend'],
            'armature': armature,
            'payload': payload,
            'payload_frame': values['payload_frame'],
            'joints': values['joints'],
            'quantities': COMPILED_QUANTITIES
            + (OBSERVER_QUANTITIES if values['external_observer'] else ()),
            'cross_check': values['cross_check'],
        }

    def with_payload(self, compiled: CompiledRobot, payload: Payload) -> CommandedRobot:
        """A robot that was compiled before with a payload, by the present parameters.

        Raises:
            RobotDynamicsError: the payload cannot be attached, or Pinocchio computes other
                torques.
        """
        values = node_parameters.read(self._node)
        give_way()
        dynamics = compiled.dynamics.with_gravity(values['gravity'])
        present = replace(compiled, dynamics=dynamics)
        loaded = compared(with_payload(present, payload))
        give_way()
        return CommandedRobot(loaded, values)

    def from_compiled(self, compiled: CompiledRobot) -> CommandedRobot:
        """Make a robot again from dynamics that were compiled before, by the present parameters.

        Raises:
            RobotDynamicsError: the parameters do not fit it, or Pinocchio computes other torques.
        """
        values = node_parameters.read(self._node)
        compiled.dynamics.gravity = values['gravity']
        present = compared(compiled)
        give_way()
        return CommandedRobot(present, values)

    def log(self, robot: CommandedRobot) -> None:
        """Log the properties of a robot that is used from now on; not of one that is refused."""
        log, compiled, dynamics = self._node.get_logger(), robot.compiled, robot.dynamics
        values = node_parameters.read(self._node)
        for finding in robot.findings:
            if finding.severity != 'info':
                log.warning(str(finding))
        if missing := robot.missing_limits():
            log.warning(f'cannot be activated: {missing}')
        for warning in parameter_warnings(robot, values).values():
            log.warning(warning)
        log.info(
            f'{dynamics.model.name}: {dynamics.model.size} joints, compiled in '
            f'{compiled.compile_seconds:.2f} s, {dynamics.backend_description}'
        )
        if dynamics.backend == 'python' and values['backend'] == 'auto':
            log.warning(
                f'backend is {dynamics.backend_description}. README.md, "In your workspace", says '
                'how to install llvmlite; parameter backend: python accepts plain Python'
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


def check_replacement(new: CommandedRobot, current: CommandedRobot) -> None:
    """Check that one robot can replace another while it is commanded.

    Raises:
        ParameterError: the joints differ, and the receiver of the commands expects the current
            ones; or the node is active and a joint has no effort limit.
    """
    joints = new.dynamics.model.joint_names, new.joints
    expected = current.dynamics.model.joint_names, current.joints
    if joints != expected:
        raise ParameterError(
            f'the joints of the new description are {", ".join(joints[0])}, those of the current '
            f'robot {", ".join(expected[0])}: deactivate, clean up and configure to change joints'
        )
    if current.guard.active and (missing := new.missing_limits()):
        raise ParameterError(missing)
