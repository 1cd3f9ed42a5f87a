"""Goals for the controller's action: efforts, feedback, result, cancel, abort, and refusals."""

import math
from contextlib import contextmanager

import pytest

pytest.importorskip('rclpy')
action = pytest.importorskip('control_msgs.action')

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Duration
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.parameter import Parameter
from references import point, trajectory
from three_joints import JOINTS, URDF, state

from robot_dynamics_interfaces.srv import FillEfforts

pytestmark = pytest.mark.contract

Action = action.FollowJointTrajectory
Q, V, A = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]
NODE = '/robot_dynamics'
NAME = '/arm_controller/follow_joint_trajectory'


class Controller:
    """Stands for joint_trajectory_controller: takes goals, and ends them when a test says so."""

    def __init__(self, node):
        self.goals, self.accepts = [], True
        self.cancelled, self.present = [], True
        self._server = ActionServer(
            node,
            Action,
            NAME,
            execute_callback=lambda handle: Action.Result(),
            goal_callback=lambda goal: (
                GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT
            ),
            handle_accepted_callback=self.goals.append,
            cancel_callback=self._cancel,
        )

    def _cancel(self, handle):
        self.cancelled.append(handle)
        return CancelResponse.ACCEPT

    def end(self, handle, how, **fields):
        """End a goal by a method of its handle."""

        def conclude(handle):
            getattr(handle, how)()
            return Action.Result(**fields)

        handle.execute(conclude)

    def leave(self):
        if self.present:
            self._server.destroy()
        self.present = False


class Client:
    """Stands for MoveIt."""

    def __init__(self, observer):
        self._observer, self.feedback = observer, []
        self._client = ActionClient(observer.node, Action, f'{NODE}/follow_joint_trajectory')

    def send(self, message, **fields):
        self._observer.until(self._client.server_is_ready, 'the action of the node')
        goal = Action.Goal(trajectory=message, **fields)
        sent = self._client.send_goal_async(
            goal, feedback_callback=lambda message: self.feedback.append(message.feedback)
        )
        self._observer.until(sent.done, 'answer')
        assert sent.result().accepted
        return sent.result()

    def outcome(self, handle):
        future = handle.get_result_async()
        self._observer.until(future.done, 'result')
        return future.result().status, future.result().result

    def destroy(self):
        self._client.destroy()


@pytest.fixture
def scene(graph):
    """A node, an observer, a controller and a client of the action."""

    @contextmanager
    def make(controlled=True, **parameters):
        values = {'robot_description': URDF, 'controller_action': NAME} | parameters
        with graph(**values) as (node, observer):
            controller, client = Controller(observer.node), Client(observer)
            probe = ActionClient(node, Action, NAME)
            try:
                observer.until(probe.server_is_ready, 'the controller')
                if not controlled:
                    controller.leave()
                    observer.until(lambda: not probe.server_is_ready(), 'its end')
                yield node, observer, controller, client
            finally:
                probe.destroy()
                client.destroy()
                controller.leave()

    return make


def motion(count=3, names=JOINTS):
    """Points half a second apart, each a little farther and faster."""
    chosen = [JOINTS.index(name) for name in names]

    def values(number):
        return [[row[index] * (1 + 0.1 * number) for index in chosen] for row in (Q, V, A)]

    return trajectory(
        *(point(*values(number), seconds=0.5 * number) for number in range(count)), names=names
    )


def taken(observer, controller, count=1):
    observer.until(lambda: len(controller.goals) == count, 'goal at the controller')
    return controller.goals[-1]


def test_a_goal_comes_to_the_controller_with_efforts_and_all_else_unchanged(scene):
    tolerance = [JointTolerance(name='turn', position=0.1)]
    with scene() as (_, observer, controller, client):
        response = observer.call(FillEfforts, f'{NODE}/fill_efforts', trajectory=motion())
        client.send(
            motion(), path_tolerance=tolerance, goal_time_tolerance=Duration(sec=1, nanosec=5)
        )
        goal = taken(observer, controller).request
        assert goal.trajectory == response.trajectory
        assert all(any(point.effort) for point in goal.trajectory.points)
        assert goal.path_tolerance == tolerance
        assert goal.goal_time_tolerance == Duration(sec=1, nanosec=5)


def test_feedback_and_result_come_back(scene):
    with scene() as (_, observer, controller, client):
        handle = client.send(motion())
        forwarded = taken(observer, controller)
        sent = Action.Feedback(joint_names=list(JOINTS))
        sent.desired.positions = Q
        forwarded.publish_feedback(sent)
        observer.until(lambda: client.feedback, 'feedback')
        assert client.feedback == [sent]
        controller.end(forwarded, 'succeed', error_string='reached')
        status, result = client.outcome(handle)
        assert status == GoalStatus.STATUS_SUCCEEDED
        assert (result.error_code, result.error_string) == (0, 'reached')


def test_an_abort_of_the_controller_comes_back_with_its_reason(scene):
    code = Action.Result.PATH_TOLERANCE_VIOLATED
    with scene() as (_, observer, controller, client):
        handle = client.send(motion())
        forwarded = taken(observer, controller)
        controller.end(forwarded, 'abort', error_code=code, error_string='turn: 0.2')
        status, result = client.outcome(handle)
        assert status == GoalStatus.STATUS_ABORTED
        assert (result.error_code, result.error_string) == (code, 'turn: 0.2')


def test_a_cancel_goes_through_to_the_controller_and_back(scene):
    with scene() as (_, observer, controller, client):
        handle = client.send(motion())
        forwarded = taken(observer, controller)
        answer = handle.cancel_goal_async()
        observer.until(answer.done, 'answer to the cancel')
        assert len(answer.result().goals_canceling) == 1
        observer.until(lambda: controller.cancelled, 'cancel at the controller')
        controller.end(forwarded, 'canceled', error_string='stopped')
        status, result = client.outcome(handle)
        assert (status, result.error_string) == (GoalStatus.STATUS_CANCELED, 'stopped')


def test_a_goal_that_another_client_cancels_ends_as_aborted(scene):
    with scene() as (_, observer, controller, client):
        handle = client.send(motion())
        forwarded = taken(observer, controller)
        observer.call(
            CancelGoal,
            f'{NAME}/_action/cancel_goal',
            goal_info=GoalInfo(goal_id=forwarded.goal_id),
        )
        controller.end(forwarded, 'canceled')
        assert client.outcome(handle)[0] == GoalStatus.STATUS_ABORTED


def test_a_second_goal_replaces_the_first_as_the_controller_says(scene):
    with scene() as (_, observer, controller, client):
        first = client.send(motion())
        one = taken(observer, controller)
        second = client.send(motion(2))
        two = taken(observer, controller, 2)
        controller.end(one, 'abort', error_string='replaced')
        controller.end(two, 'succeed')
        assert client.outcome(first)[1].error_string == 'replaced'
        assert client.outcome(second)[0] == GoalStatus.STATUS_SUCCEEDED


def test_a_goal_that_the_controller_rejects_ends_with_that_reason(scene):
    with scene() as (_, _, controller, client):
        controller.accepts = False
        status, result = client.outcome(client.send(motion()))
        assert status == GoalStatus.STATUS_ABORTED
        assert 'rejected the goal' in result.error_string


def test_a_goal_is_aborted_when_its_controller_ends(scene):
    with scene() as (_, observer, controller, client):
        handle = client.send(motion())
        taken(observer, controller)
        controller.leave()
        status, result = client.outcome(handle)
        assert status == GoalStatus.STATUS_ABORTED
        assert f'{NAME} has gone' in result.error_string


def spoilt(change):
    message = motion()
    change(message)
    return message


BAD = [
    (lambda m: m.joint_names.__setitem__(0, 'gripper'), "unknown joint 'gripper'", 'JOINTS'),
    (lambda m: m.points[1].velocities.__setitem__(1, math.nan), 'velocities is nan', 'GOAL'),
    (lambda m: m.points[1].positions.pop(), 'point 1: positions has 2 values', 'GOAL'),
]


@pytest.mark.parametrize(('change', 'reason', 'code'), BAD)
def test_a_goal_that_does_not_fit_is_refused_with_the_reason(scene, change, reason, code):
    with scene() as (_, observer, controller, client):
        observer.answer_to(state(Q))
        status, result = client.outcome(client.send(spoilt(change)))
        assert status == GoalStatus.STATUS_ABORTED
        assert result.error_code == getattr(Action.Result, f'INVALID_{code}')
        assert reason in result.error_string
        assert not controller.goals


def refusal(client):
    status, result = client.outcome(client.send(motion()))
    assert status == GoalStatus.STATUS_ABORTED
    return result.error_string


def test_without_a_robot_the_reason_is_given(scene):
    with scene() as (node, _, controller, client):
        node.trigger_deactivate()
        assert 'not active' in refusal(client)
        node.trigger_cleanup()
        assert 'not configured' in refusal(client)
        assert not controller.goals


def test_without_a_controller_the_reason_is_given(scene):
    with scene(controlled=False) as (node, _, _, client):
        assert f'no action server {NAME}' in refusal(client)
        node.trigger_deactivate()
        node.trigger_cleanup()
        node.set_parameters([Parameter('controller_action', value='')])
        node.trigger_configure()
        node.trigger_activate()
        assert 'set parameter controller_action' in refusal(client)
