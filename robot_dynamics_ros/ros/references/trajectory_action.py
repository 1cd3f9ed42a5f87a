"""`~/follow_joint_trajectory`: fills in the efforts of goals for the controller's action."""

from __future__ import annotations

from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from robot_dynamics_ros.core.errors import RobotDynamicsError, UnknownNameError

from ..endpoints import STEADY
from ..parameters import node_parameters
from .passed_goal import PassedGoal
from .trajectory_preparation import TrajectoryPreparation

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

    def __init__(self, node: Node, preparation: TrajectoryPreparation) -> None:
        """Offer the action, if its messages are installed.

        Args:
            node: that offers it.
            preparation: of the trajectories.
        """
        self._node = node
        self._preparation = preparation
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
        self._watch = node.create_timer(PERIOD, self._look, clock=STEADY)
        self._watch.cancel()

    def connect(self) -> None:
        """Look for the action of the controller, so that it is known when the first goal comes."""
        if self._server is None:
            return
        name = node_parameters.read(self._node)['controller_action']
        if name == self._client_name:
            return
        self._disconnect()
        if name:
            self._client = ActionClient(self._node, FollowJointTrajectory, name)
        self._client_name = name

    def destroy(self) -> None:
        """Withdraw the action; goals that run go on in the controller."""
        self._disconnect()
        if self._server is not None:
            self._server.destroy()
            self._server = None

    def _disconnect(self) -> None:
        if self._client is not None:
            self._client.destroy()
            self._client = None

    def _pass_on(self, handle: ServerGoalHandle) -> None:
        codes = FollowJointTrajectory.Result
        goal = PassedGoal(handle, codes, self._forget)
        self._goals[bytes(handle.goal_id.uuid)] = goal
        try:
            self._preparation.prepare(handle.request.trajectory)
            goal.send(self._require_client(), handle.request)
            self._watch.reset()
        except UnknownNameError as error:
            self._abort(goal, codes.INVALID_JOINTS, str(error))
        except RobotDynamicsError as error:
            self._abort(goal, codes.INVALID_GOAL, str(error))
        except Exception as error:
            # No goal may end the node, or be left without a result.
            self._abort(goal, codes.INVALID_GOAL, f'{type(error).__name__}: {error}')

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

    def _abort(self, goal: PassedGoal, code: int, reason: str) -> None:
        self._node.get_logger().warning(f'goal of {NAME} aborted: {reason}')
        goal.abort(code, reason)

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        goal = self._goals.get(bytes(handle.goal_id.uuid))
        if goal is None:
            return CancelResponse.REJECT
        goal.cancel()
        return CancelResponse.ACCEPT

    def _forget(self, goal: PassedGoal) -> None:
        self._goals = {key: other for key, other in self._goals.items() if other is not goal}
        if not self._goals:
            self._watch.cancel()

    def _look(self) -> None:
        """End the goals of a controller that has gone: no result will come."""
        if self._client is not None and self._client.server_is_ready():
            return
        for goal in list(self._goals.values()):
            self._abort(
                goal,
                FollowJointTrajectory.Result.INVALID_GOAL,
                f'the action server {self._client_name} has gone while the goal ran',
            )
