"""Makes a trajectory fit for the controller: every commanded joint, with its efforts."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.control.trajectory_efforts import PARTS
from robot_dynamics_ros.core.errors import StateError

from ..endpoints import WARNING_PERIOD
from ..parameters import node_parameters
from ..robot.commanded_robot import CommandedRobot
from ..robot.requested_state import RequestedState
from ..robot.robot_holder import RobotHolder
from .effort_filling import excesses, fill_efforts

# Largest speed at the end that joint_trajectory_controller takes for rest [rad/s or m/s].
REST = float(np.finfo(np.float32).eps)


class TrajectoryPreparation:
    """Prepares the trajectories of goals, while the node is active."""

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Prepare for the robot of this holder, by the parameters of this node."""
        self._node = node
        self._holder = holder
        self._state = RequestedState(holder.lock)

    def prepare(self, message: JointTrajectory) -> None:
        """Add the commanded joints that are not named, and fill in efforts, in place.

        A joint is added at its measured position, at rest: a controller refuses a trajectory that
        lacks a joint, or gives such a joint no effort. A trajectory without points tells a
        controller to stop, and stays as it is.

        Raises:
            RobotDynamicsError: no robot is configured, the node is not active, or the trajectory
                cannot be used. It must then not be passed on.
        """
        robot = self._holder.require()
        if not robot.guard.supervisor.active:
            raise StateError('the node is not active: call the transition activate')
        if not message.points:
            return
        self._add_joints(message, robot)
        self._warn_of_moving_end(message)
        demands = fill_efforts(message, robot, self._state, self._terms())
        if warning := excesses(demands):
            self._node.get_logger().warning(
                f'the trajectory of a goal exceeds limits: {warning}',
                throttle_duration_sec=WARNING_PERIOD,
            )

    def _add_joints(self, message: JointTrajectory, robot: CommandedRobot) -> None:
        """Add the commanded joints that the trajectory does not name, if it names any."""
        missing = [name for name in robot.joints if name not in message.joint_names]
        if not missing or not message.joint_names:
            return
        count = len(message.joint_names)
        q = self._measured(robot, missing)
        message.joint_names = [*message.joint_names, *missing]
        rest = [0.0] * len(missing)
        for point in message.points:
            # A field of a wrong size is refused later, by its own size.
            for field, values in (('positions', q), ('velocities', rest), ('accelerations', rest)):
                if len(given := getattr(point, field)) == count:
                    given.extend(values)

    def _warn_of_moving_end(self, message: JointTrajectory) -> None:
        velocities = message.points[-1].velocities
        moving = [
            f'{name} at {v:.4g}'
            for name, v in zip(message.joint_names, velocities, strict=False)
            if abs(v) > REST
        ]
        if moving:
            self._node.get_logger().warning(
                f'the last point of the trajectory of a goal moves ({", ".join(moving)} rad/s '
                'or m/s): joint_trajectory_controller refuses it unless its parameter '
                'allow_nonzero_velocity_at_trajectory_end is true; end with zero velocities',
                throttle_duration_sec=WARNING_PERIOD,
            )

    def _measured(self, robot: CommandedRobot, joints: list[str]) -> list[float]:
        """Positions of some joints in the latest joint state [rad or m]."""
        model = robot.dynamics.model
        try:
            q, _, _ = self._state.latest(robot)
        except StateError:
            raise StateError(
                f'the trajectory does not name {", ".join(joints)}, and there is no valid joint '
                'state that gives their positions'
            ) from None
        return [float(q[model.index_of(name)]) for name in joints]

    def _terms(self) -> tuple[str, ...]:
        """The parts to fill in: those of parameter terms that belong to inverse dynamics."""
        terms = node_parameters.read(self._node)['terms']
        return tuple(term for term in PARTS if term in terms)
