"""`~/follow_joint_trajectory` and `~/fill_efforts`: trajectories with the efforts they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.msg import JointDemand
from robot_dynamics_ros.control.feedforward import check_choices
from robot_dynamics_ros.control.trajectory_efforts import PARTS, trajectory_efforts
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RobotDynamicsError, StateError, UnknownNameError
from robot_dynamics_ros.core.model.tree import Limits

from .endpoints import STEADY, WARNING_PERIOD, doubles
from .robot import CommandedRobot, RobotHolder
from .waypoints import read_points

try:
    from control_msgs.action import FollowJointTrajectory
except ImportError:
    # Comes with every ros2_control; the wheels of ROS on PyPI do not have it.
    FollowJointTrajectory = None

NAME = '~/follow_joint_trajectory'
# How often to look whether the controller is still there while goals run [s].
PERIOD = 0.2


class TrajectoryAction:
    """Passes goals on to the action of the controller, with efforts.

    A rejection in ROS 2 carries no reason. So a goal that cannot be passed on is accepted and
    aborted at once, with the reason in the result and in the log; the controller does not see it.
    """

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Offer the action, if its messages are installed, for the robot of this holder."""
        self._node = node
        self._holder = holder
        self._goals: dict[bytes, PassedGoal] = {}
        self._server: ActionServer | None = None
        self._client: ActionClient | None = None
        self._client_name = ''
        if FollowJointTrajectory is None:
            node.get_logger().info(
                f'no action {NAME}: control_msgs is not installed (apt: '
                'ros-$ROS_DISTRO-control-msgs)'
            )
            return
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            NAME,
            execute_callback=lambda handle: FollowJointTrajectory.Result(),
            handle_accepted_callback=self._pass_on,
            cancel_callback=self._cancel,
        )
        node.create_timer(PERIOD, self._look, clock=STEADY)

    def connect(self, name: str) -> None:
        """Look for this action of the controller, so that it is known when the first goal comes.

        An empty name stands for none.
        """
        if self._server is None or name == self._client_name:
            return
        if self._client is not None:
            self._client.destroy()
        self._client = ActionClient(self._node, FollowJointTrajectory, name) if name else None
        self._client_name = name

    def destroy(self) -> None:
        """Withdraw the action; goals that run go on in the controller."""
        self._goals.clear()
        self.connect('')
        if self._server is not None:
            self._server.destroy()
            self._server = None

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
        _add_joints(message, robot, self._holder)
        terms = [term for term in robot.feedforward.selected_terms if term in PARTS]
        if exceeded := excesses(fill_in_efforts(message, robot, self._holder, terms)):
            self._node.get_logger().warning(
                f'the trajectory of a goal exceeds limits: {exceeded}',
                throttle_duration_sec=WARNING_PERIOD,
            )

    def _pass_on(self, handle: ServerGoalHandle) -> None:
        key = bytes(handle.goal_id.uuid)
        goal = self._goals[key] = PassedGoal(handle, lambda: self._goals.pop(key, None))
        try:
            self.prepare(handle.request.trajectory)
            goal.send(self._require_client())
        except Exception as error:
            # No goal may end the node, or be left without a result.
            codes = FollowJointTrajectory.Result
            unknown = isinstance(error, UnknownNameError)
            kind = '' if isinstance(error, RobotDynamicsError) else f'{type(error).__name__}: '
            self._abort(
                goal, f'{kind}{error}', codes.INVALID_JOINTS if unknown else codes.INVALID_GOAL
            )

    def _require_client(self) -> ActionClient:
        if self._client is None:
            raise RobotDynamicsError(
                'no controller is known: set parameter controller_action to its action, such as '
                '/joint_trajectory_controller/follow_joint_trajectory, then configure'
            )
        if not self._client.server_is_ready():
            raise RobotDynamicsError(
                f'no action server {self._client_name}: is the controller active?'
            )
        return self._client

    def _abort(self, goal: PassedGoal, reason: str, code: int) -> None:
        self._node.get_logger().warning(f'goal of {NAME} aborted: {reason}')
        goal.abort(reason, code)

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        goal = self._goals.get(bytes(handle.goal_id.uuid))
        if goal is None:
            return CancelResponse.REJECT
        goal.cancel()
        return CancelResponse.ACCEPT

    def _look(self) -> None:
        """End the goals of a controller that has gone: no result will come."""
        if not self._goals or (self._client is not None and self._client.server_is_ready()):
            return
        reason = f'the action server {self._client_name} has gone while the goal ran'
        for goal in list(self._goals.values()):
            self._abort(goal, reason, FollowJointTrajectory.Result.INVALID_GOAL)


class PassedGoal:
    """One goal on its way through the controller's action; its feedback and result come back.

    Everything is a callback: a coroutine that waits makes the executor of rclpy spin without
    pause. So the goal is executed, in the sense of rclpy, once its result is known.
    """

    def __init__(self, handle: ServerGoalHandle, on_end: Callable[[], object]) -> None:
        """Take a goal of a client; `on_end` is called once, when it has ended."""
        self._handle, self._on_end = handle, on_end
        self._forwarded: Any = None
        self._ended = False

    def send(self, client: ActionClient) -> None:
        """Send the goal to the controller, by the client of its action."""
        # With the same ID, so that logs of the client and of the controller can be compared.
        future = client.send_goal_async(
            self._handle.request,
            feedback_callback=lambda message: self._handle.publish_feedback(message.feedback),
            goal_uuid=self._handle.goal_id,
        )
        future.add_done_callback(lambda done: self._on_answer(done.result()))

    def cancel(self) -> None:
        """Cancel the goal of the controller, whose result then ends this one."""
        if self._forwarded is not None:
            self._forwarded.cancel_goal_async()

    def abort(self, reason: str, code: int) -> None:
        """End with this error_string and error_code."""
        result = FollowJointTrajectory.Result(error_code=code, error_string=reason)
        self._end(GoalStatus.STATUS_ABORTED, result)

    def _on_answer(self, forwarded: Any) -> None:
        """The controller has accepted or rejected the goal."""
        if not forwarded.accepted:
            self.abort(
                'the controller rejected the goal: is it active? Its log gives the reason',
                FollowJointTrajectory.Result.INVALID_GOAL,
            )
            return
        self._forwarded = forwarded
        if self._ended or self._handle.is_cancel_requested:
            self.cancel()
        forwarded.get_result_async().add_done_callback(
            lambda done: self._end(done.result().status, done.result().result)
        )

    def _end(self, status: int, result: Any) -> None:
        if self._ended:
            return
        self._ended = True

        def conclude(handle: ServerGoalHandle) -> Any:
            if status == GoalStatus.STATUS_SUCCEEDED:
                handle.succeed()
            elif status == GoalStatus.STATUS_CANCELED and handle.is_cancel_requested:
                handle.canceled()
            else:
                # Also where another client has cancelled the goal at the controller.
                handle.abort()
            return result

        self._handle.execute(conclude)
        self._on_end()


def fill_in_efforts(
    message: JointTrajectory, robot: CommandedRobot, holder: RobotHolder, terms: Sequence[str]
) -> list[JointDemand]:
    """Fill in the efforts at every point, and find what the trajectory demands of each joint.

    Args:
        message: names independent joints, in any order; changed in place.
        robot: gives the dynamics and the limits.
        holder: gives the positions of the joints that the trajectory does not name; they rest.
        terms: parts of the torque to fill in; with none, efforts are left empty.

    Raises:
        RobotDynamicsError: the trajectory cannot be used, a joint of the robot is neither named
            nor measured, or a term does not exist. The message is then unchanged.
    """
    joints, model = tuple(message.joint_names), robot.dynamics.model
    if not joints:
        raise StateError('joint_names of the trajectory is empty: name the joints of its points')
    check_choices('joint_names', joints)
    for name in joints:
        model.index_of(name)
    points = read_points(message, joints, start=0.0)
    others = [name for name in model.joint_names if name not in joints]
    q = _measured(robot, holder, others) if others else np.zeros(model.size)
    check_choices('terms', terms, PARTS)
    motion, parts = trajectory_efforts(robot.dynamics, joints, points, q)
    filled = np.tensordot([float(part in terms) for part in PARTS], parts, axes=1)
    for point, values in zip(message.points, filled, strict=True):
        point.effort = doubles(values) if terms else []
    # For commanded joints, the effort limit of the guard counts.
    guarded = dict(zip(robot.joints, robot.guard.limiter.limits.tolist(), strict=True))
    described = [model.independent_joints[model.index_of(name)].limits.known for name in joints]
    limits = [
        replace(limits, effort=guarded.get(name, limits.effort))
        for name, limits in zip(joints, described, strict=True)
    ]
    return joint_demands(motion, parts.sum(axis=0), joints, limits)


def _add_joints(message: JointTrajectory, robot: CommandedRobot, holder: RobotHolder) -> None:
    """Add the commanded joints that the trajectory does not name, if it names any."""
    missing = [name for name in robot.joints if name not in message.joint_names]
    if not missing or not message.joint_names:
        return
    count = len(message.joint_names)
    at = _measured(robot, holder, missing)
    q = [float(at[robot.dynamics.model.index_of(name)]) for name in missing]
    message.joint_names = [*message.joint_names, *missing]
    rest = [0.0] * len(missing)
    for point in message.points:
        # A field of a wrong size is refused later, by its own size.
        for field, values in (('positions', q), ('velocities', rest), ('accelerations', rest)):
            if len(given := getattr(point, field)) == count:
                given.extend(values)


def _measured(robot: CommandedRobot, holder: RobotHolder, joints: Sequence[str]) -> Array:
    """q (n,) of the latest joint state, for these joints that a trajectory does not name."""
    try:
        return holder.latest(robot)[0]
    except StateError:
        raise StateError(
            f'the trajectory does not name {", ".join(joints)}, and there is no valid joint '
            'state that gives their positions'
        ) from None


def joint_demands(
    motion: Array, total: Array, joints: Sequence[str], limits: Sequence[Limits]
) -> list[JointDemand]:
    """The demand on each joint of a trajectory; only its points count, not what is between them.

    Args:
        motion: (3, p, k) rows q, v and a [rad or m, per s, per s^2].
        total: (p, k) torques [N m or N].
        joints: names of the joints, k of them.
        limits: of these joints.
    """
    demands = []
    for column, (joint, limit) in enumerate(zip(joints, limits, strict=True)):
        q, v, effort = motion[0, :, column], abs(motion[1, :, column]), abs(total[:, column])
        # How far inside its limits each position is.
        room = np.minimum(q - limit.lower, limit.upper - q)
        nearest, fastest, strongest = int(room.argmin()), int(v.argmax()), int(effort.argmax())
        demand = JointDemand(joint_name=joint, effort_limit=limit.effort)
        demand.effort, demand.effort_point = float(effort[strongest]), strongest
        demand.effort_exceeded = demand.effort > limit.effort
        demand.velocity, demand.velocity_point = float(v[fastest]), fastest
        demand.velocity_limit = limit.velocity
        demand.velocity_exceeded = demand.velocity > limit.velocity
        demand.position, demand.position_point = float(q[nearest]), nearest
        demand.position_lower, demand.position_upper = limit.lower, limit.upper
        demand.position_exceeded = bool(room[nearest] < 0.0)
        demands.append(demand)
    return demands


def excesses(demands: Sequence[JointDemand]) -> str:
    """The limits that are exceeded, as a phrase for log and response; empty for none."""
    return '; '.join(
        f'{each.joint_name}: {kind} {getattr(each, kind):.4g} at point '
        f'{getattr(each, f"{kind}_point")}, allowed is {allowed}'
        for each in demands
        for kind, allowed in (
            ('effort', f'{each.effort_limit:.4g}'),
            ('velocity', f'{each.velocity_limit:.4g}'),
            ('position', f'{each.position_lower:.4g} to {each.position_upper:.4g}'),
        )
        if getattr(each, f'{kind}_exceeded')
    )
