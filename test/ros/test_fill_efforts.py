"""Efforts of trajectories, by service and in goals."""

import math

import numpy as np
import pytest
from references import point, trajectory
from three_joints import JOINTS, URDF, state
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.srv import FillEfforts
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.tree import Limits
from robot_dynamics_ros.ros import trajectory_action

MOTION = np.array([[0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]])
# Near the state of the other tests of the shared node.
REST = np.array([0.35, 0.12, -0.65])
FILL = FillEfforts, 'fill_efforts'


def motion(joints=JOINTS, count=4, given=3):
    """Points half a second apart, each a little farther and faster; q, then v, then a is given."""
    rows = MOTION[:given, [JOINTS.index(name) for name in joints]]
    points = (point(*rows * (1 + 0.1 * at), seconds=0.5 * at) for at in range(count))
    return trajectory(*points, names=joints)


def efforts(message):
    return np.array([each.effort for each in message.points])


@pytest.mark.parametrize('joints', [('wrist', 'turn', 'slide'), ('wrist', 'turn')])
def test_efforts_are_those_of_inverse_dynamics_in_the_order_of_the_request(
    shared, dynamics, joints
):
    """A joint that is not named rests where it was measured."""
    chosen, observer = [JOINTS.index(name) for name in joints], shared()
    observer.answer_to(state(REST, MOTION[1]))
    response = observer.call(*FILL, trajectory=motion(joints))
    assert response.success, response.message
    assert tuple(response.trajectory.joint_names) == joints
    for at, row in enumerate(efforts(response.trajectory)):
        moved = np.array([REST, np.zeros(3), np.zeros(3)])
        moved[:, chosen] = (1 + 0.1 * at) * MOTION[:, chosen]
        np.testing.assert_allclose(row, dynamics.inverse_dynamics(*moved)[chosen], rtol=1e-11)


def test_all_else_comes_back_as_it_went(shared):
    asked = motion(given=1)
    asked.header.frame_id = 'base'
    asked.points[1].effort = [1.0]
    response = shared().call(*FILL, trajectory=asked)
    emptied = shared().call(*FILL, trajectory=asked, leave_efforts_empty=True)
    assert not any(each.effort for each in emptied.trajectory.points)
    assert emptied.demands == response.demands
    for each in (*response.trajectory.points, *asked.points):
        each.effort = []
    assert response.trajectory == asked


def test_terms_leave_out_what_the_driver_adds(shared, dynamics):
    whole = shared().call(*FILL, trajectory=motion())
    driven = shared().call(*FILL, trajectory=motion(), terms=['coriolis', 'inertial'])
    left_out = efforts(whole.trajectory) - efforts(driven.trajectory)
    gravity = [dynamics.gravity_torque(each.positions) for each in motion().points]
    np.testing.assert_allclose(left_out, gravity, rtol=1e-9, atol=1e-12)
    # The motor bears the whole, whoever asks for it.
    assert driven.demands == whole.demands
    refused = shared().call(*FILL, trajectory=motion(), terms=['drag'])
    assert not refused.success
    assert 'drag' in refused.message


def test_demands_are_beside_the_limits_of_the_description(graph):
    with graph(robot_description=URDF, unguarded=False) as (_, observer):
        within = observer.call(*FILL, trajectory=motion(count=1))
        beyond = motion()
        beyond.points[2].positions[1] = 0.8
        beyond.points[3].velocities[2] = -4.0
        beyond.points[0].accelerations[1] = 100.0
        response = observer.call(*FILL, trajectory=beyond)
        # Joints neither named nor measured; what is no trajectory: test_waypoints.py.
        assert 'turn, wrist' in observer.refusal(*FILL, trajectory=motion(['slide']))
        assert 'points' in observer.refusal(*FILL, trajectory=motion(count=0))
    assert not within.message
    turn, slide, wrist = response.demands
    assert turn.joint_name == 'turn'
    assert turn.effort_limit == turn.velocity_limit == turn.position_upper == math.inf
    assert not any([turn.effort_exceeded, turn.velocity_exceeded, turn.position_exceeded])
    assert slide.effort == np.abs(efforts(response.trajectory)[:, 1]).max()
    assert (slide.effort_limit, slide.effort_exceeded, slide.effort_point) == (200.0, True, 0)
    assert (slide.position, slide.position_exceeded, slide.position_point) == (0.8, True, 2)
    assert (wrist.velocity, wrist.velocity_exceeded, wrist.velocity_point) == (4.0, True, 3)
    assert (wrist.position_lower, wrist.position_upper) == (-2.0, 2.0)
    assert 'slide' in response.message


def test_a_goal_gets_the_efforts_of_the_service(graph, monkeypatch):
    """Commanded joints are added where they were measured: a controller needs each of them."""
    monkeypatch.setattr(trajectory_action, 'FollowJointTrajectory', None)
    terms = {'terms': ['gravity']}
    with graph(robot_description=URDF, **terms) as (node, observer):

        def prepared(message):
            node._trajectory_action.prepare(message)
            return message

        stop = JointTrajectory(joint_names=JOINTS)
        assert prepared(stop) == JointTrajectory(joint_names=JOINTS)
        with pytest.raises(StateError, match='slide'):
            prepared(motion(['wrist', 'turn']))
        observer.answer_to(state(REST, MOTION[1]))
        for given in (1, 2, 3):
            whole = motion(['wrist', 'turn', 'slide'], given=given)
            for each in whole.points:
                each.positions[2] = REST[1]
                for values in filter(None, (each.velocities, each.accelerations)):
                    values[2] = 0.0
            expected = observer.call(*FILL, trajectory=whole, **terms).trajectory
            assert prepared(motion(['wrist', 'turn'], given=given)) == expected
        node.trigger_deactivate()
        with pytest.raises(StateError, match='not active'):
            prepared(motion())


def test_demands_are_the_largest_magnitudes_and_limits_are_exceeded_beyond_them():
    q, v, a = np.random.default_rng(7).uniform(-1.0, 1.0, (3, 6, 3))
    total, speeds, lowest, highest = abs(a), abs(v), q.min(axis=0), q.max(axis=0)
    largest = np.array([lowest, highest, speeds.max(axis=0), total.max(axis=0)])
    for share, exceeded in ((1.0, False), (0.99, True)):
        limits = [Limits(*column) for column in (share * largest).T.tolist()]
        demands = trajectory_action.joint_demands(np.array([q, v, a]), a, JOINTS, limits)
        for index, demand in enumerate(demands):
            assert demand.effort == total[:, index].max() == total[demand.effort_point, index]
            assert demand.velocity == speeds[:, index].max()
            assert demand.position in (lowest[index], highest[index])
            for kind in ('effort', 'velocity', 'position'):
                assert getattr(demand, f'{kind}_exceeded') is exceeded
        assert trajectory_action.excesses(demands).count('allowed is') == 9 * exceeded
