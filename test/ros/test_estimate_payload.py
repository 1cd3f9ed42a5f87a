"""`~/estimate_payload`: goals of an action client, states of the simulated arm with its tool."""

import math
import threading
from contextlib import contextmanager

import numpy as np
import pytest

pytest.importorskip('mujoco')

from action_msgs.msg import GoalStatus
from goal_client import GoalClient
from sensor_msgs.msg import JointState
from simulated_recordings import JOINTS, TOOL_CENTER, TOOL_MASS, simulated, urdf

from robot_dynamics_interfaces.action import EstimatePayload as Action
from robot_dynamics_interfaces.srv import GetPayload, SetPayload
from robot_dynamics_ros.ros.services import estimate_payload

FRAME = 'flange_link'


class Client(GoalClient):
    """Of the action."""

    def start(self, frame=FRAME, duration=600.0):
        return self.send(frame=frame, duration=duration)

    def cancelled(self, handle):
        handle.cancel_goal_async()
        status, result = self.outcome(handle)
        assert status == GoalStatus.STATUS_CANCELED
        return result

    def refusal(self, **goal):
        status, result = self.outcome(self.start(**goal))
        assert status == GoalStatus.STATUS_ABORTED
        assert not result.success
        assert np.isnan([result.inertia.m, result.mass_interval]).all()
        return result.message


class Player:
    """Publishes recorded states of the arm, as fast as the node uses them."""

    def __init__(self, node, observer):
        self._node, self._observer = node, observer
        self.last = 0.0

    def play(self, recorded, efforts=True):
        """All states; stamps go on from those of the last call."""
        counters = self._node.topic_counters['joint_states']
        start = self.last + 0.005 - recorded.times[0]
        rows = zip(
            recorded.times + start, recorded.positions, recorded.velocities, recorded.efforts,
            strict=True,
        )  # fmt: skip
        before = counters.used + counters.rejected
        for sent, (time, q, v, tau) in enumerate(rows):
            # As many as the publisher keeps for a reliable subscription.
            if sent % 8 == 0:
                self._observer.until(
                    lambda sent=sent: counters.used + counters.rejected >= before + sent, 'states'
                )
            message = JointState(name=list(JOINTS), position=q.tolist(), velocity=v.tolist())
            message.effort = tau.tolist() if efforts else []
            seconds = math.floor(time)
            message.header.stamp.sec = seconds + 1
            message.header.stamp.nanosec = int(1e9 * (time - seconds))
            self._observer.states.publish(message)
            self.last = time
        self._observer.until(
            lambda: counters.used + counters.rejected > before + sent, 'the last state'
        )


@pytest.fixture
def scene(graph, monkeypatch):
    """An active node of the arm without its tool, a client of the action, and a player."""
    monkeypatch.setattr(estimate_payload, 'ESTIMATE_PERIOD', 0.2)
    # No pause of the machine is taken for a driver that ceases.
    monkeypatch.setattr(estimate_payload, 'PATIENCE', 20.0)
    monkeypatch.setattr(estimate_payload, 'PERIOD', 0.02)

    @contextmanager
    def make(**parameters):
        reliable = {'qos_overrides./joint_states.subscription.reliability': 'reliable'}
        with graph(robot_description=urdf(), **reliable, **parameters) as (node, observer):
            action = Action, '/robot_dynamics/estimate_payload'
            client = Client(observer.node, *action, observer.until)
            yield node, observer, client, Player(node, observer)

    return make


def check_tool(result, share=0.01):
    """That it is found, the mass to this share of it."""
    assert result.success
    assert result.frame == FRAME
    assert abs(result.inertia.m - TOOL_MASS) < share * TOOL_MASS
    com = result.inertia.com
    assert np.abs(np.subtract([com.x, com.y, com.z], TOOL_CENTER)).max() < 0.005
    assert 0.0 < result.mass_interval < 2.0 * share * TOOL_MASS


def test_a_tool_is_found_set_and_found_again(scene):
    """Commands are those without an estimate until the payload is set."""
    with scene() as (node, observer, client, player):
        recorded = simulated(tool=True).part(slice(0, None, 2))
        # It ends by itself, when the estimate is exact.
        goal = client.start(duration=0.0)
        player.play(recorded)
        robot = node.robot_holder.require()
        observer.until(
            lambda: np.allclose(
                robot.guard.effort,
                robot.dynamics.bias_torque(robot.guard.state.q, robot.guard.state.v),
            ),
            'the torque of the last state',
        )
        status, result = client.outcome(goal)
        assert status == GoalStatus.STATUS_SUCCEEDED
        check_tool(result)
        assert not observer.call(GetPayload, 'get_payload').attached
        request = {'frame': result.frame, 'inertia': result.inertia}
        assert observer.call(SetPayload, 'set_payload', **request).success
        client.feedback.clear()
        goal = client.start()
        player.play(recorded.part(slice(0, 800)))
        observer.until(lambda: any(each.samples > 50 for each in client.feedback), 'feedback')
        assert client.feedback[-1].mass_interval > 0.0
        check_tool(client.cancelled(goal), share=0.03)


def test_goals_that_cannot_be_estimated(scene):
    with scene() as (node, _, client, player):
        assert "'nothing'" in client.refusal(frame='nothing')
        assert "'world'" in client.refusal(frame='world')
        for duration in (-1.0, math.nan):
            assert str(duration) in client.refusal(duration=duration)
        first = client.start()
        player.play(simulated(tool=True).part(slice(0, 40)))
        assert 'is being estimated' in client.refusal()
        node.trigger_deactivate()
        node.trigger_cleanup()
        status, result = client.outcome(first)
        assert (status, result.success) == (GoalStatus.STATUS_ABORTED, False)
        assert 'not configured' in client.refusal()
        # The end of the node ends the goal.
        node.trigger_configure()
        client.start()
    assert estimate_payload.NAME not in {thread.name for thread in threading.enumerate()}


def test_states_that_do_not_tell(scene, monkeypatch):
    """No efforts; too short a motion; states that a guard rejects; and none."""
    with scene() as (_, observer, client, player):
        goal = client.start()
        player.play(simulated(tool=True).part(slice(0, 200)), efforts=False)
        status, result = client.outcome(goal)
        assert status == GoalStatus.STATUS_ABORTED
        assert 'no effort is measured' in result.message
        # Motion that is too short: there is a fit, and no number of it looks like a payload.
        goal = client.start()
        player.play(simulated(tool=True).part(slice(0, 200)))
        result = client.cancelled(goal)
        assert 'too short' in result.message
        assert np.isnan([result.inertia.m, result.mass_interval]).all()
        monkeypatch.setattr(estimate_payload, 'PATIENCE', 0.5)
        assert 'no joint states' in client.refusal()
        monkeypatch.setattr(estimate_payload, 'PATIENCE', 2.0)
        found = client.start().get_result_async()

        def refused():
            observer.states.publish(JointState(name=list(JOINTS), position=[0.0]))
            return found.done()

        observer.until(refused, 'the result')
        assert found.result().status == GoalStatus.STATUS_ABORTED
        assert 'rejected' in found.result().result.message
