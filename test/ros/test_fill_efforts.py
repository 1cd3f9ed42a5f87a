"""Efforts of trajectories, by service and in goals."""

import math
import re
from contextlib import contextmanager

import numpy as np
import pytest
from references import point, trajectory
from three_joints import JOINTS, URDF, state
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.srv import FillEfforts
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.ros import trajectory_action

MOTION = np.array([[0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]])
REST = np.array([0.1, 0.2, -0.3])
FILL = '/robot_dynamics/fill_efforts'


def motion(joints=JOINTS, count=4, given=3):
    """Points half a second apart, each a little farther and faster; q, then v, then a is given."""
    rows = MOTION[:given, [JOINTS.index(name) for name in joints]]
    points = (point(*rows * (1 + 0.1 * at), seconds=0.5 * at) for at in range(count))
    return trajectory(*points, names=joints)


def efforts(message):
    return np.array([each.effort for each in message.points])


@pytest.mark.parametrize('joints', [JOINTS, ('wrist', 'turn', 'slide'), ('wrist', 'turn')])
def test_efforts_are_those_of_inverse_dynamics_in_the_order_of_the_request(
    shared, dynamics, joints
):
    """A joint that is not named rests where it was measured."""
    chosen = [JOINTS.index(name) for name in joints]
    observer = shared()
    observer.answer_to(state(REST, MOTION[1]))
    response = observer.call(FillEfforts, FILL, trajectory=motion(joints))
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
    response = shared().call(FillEfforts, FILL, trajectory=asked)
    emptied = shared().call(FillEfforts, FILL, trajectory=asked, leave_efforts_empty=True)
    assert not any(each.effort for each in emptied.trajectory.points)
    assert emptied.demands == response.demands
    for each in (*response.trajectory.points, *asked.points):
        each.effort = []
    assert response.trajectory == asked


def test_terms_leave_out_what_the_driver_adds(shared, dynamics):
    whole = shared().call(FillEfforts, FILL, trajectory=motion())
    terms = ['coriolis', 'inertial']
    driven = shared().call(FillEfforts, FILL, trajectory=motion(), terms=terms)
    left_out = efforts(whole.trajectory) - efforts(driven.trajectory)
    gravity = [dynamics.gravity_torque(each.positions) for each in motion().points]
    np.testing.assert_allclose(left_out, gravity, rtol=1e-9, atol=1e-12)
    # The motor bears the whole, whoever asks for it.
    assert driven.demands == whole.demands


def test_demands_are_beside_the_limits_of_the_description(graph):
    with graph(robot_description=URDF, unguarded=False) as (_, observer):
        within = observer.call(FillEfforts, FILL, trajectory=motion(count=1))
        beyond = motion()
        beyond.points[2].positions[1] = 0.8
        beyond.points[3].velocities[2] = -4.0
        beyond.points[0].accelerations[1] = 100.0
        response = observer.call(FillEfforts, FILL, trajectory=beyond)
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
    assert re.search(r'slide: position 0\.8 .*2.*wrist: velocity 4 .*3', response.message)


BAD = [
    (lambda m: m.joint_names.append('gripper'), "unknown joint 'gripper'"),
    (lambda m: m.joint_names.clear(), 'joint_names'),
    (lambda m: m.points.clear(), 'no points'),
    (lambda m: m.points[1].positions.pop(), 'point 1: positions has 2 values'),
]


@contextmanager
def preparation(graph, **parameters):
    """A function that makes a goal fit for the controller, by the parameters of a node."""
    with graph(robot_description=URDF, **parameters) as (node, observer):

        def prepared(message):
            node._trajectory_action.prepare(message)
            return message

        yield prepared, node, observer


@pytest.mark.parametrize('chosen', [{}, {'terms': ['gravity']}])
def test_a_goal_gets_the_efforts_of_the_service(graph, chosen):
    with preparation(graph, **chosen) as (prepared, node, observer):
        response = observer.call(FillEfforts, FILL, trajectory=motion(), **chosen)
        assert prepared(motion()) == response.trajectory
        stop = JointTrajectory(joint_names=JOINTS)
        assert prepared(stop) == JointTrajectory(joint_names=JOINTS)
        node.trigger_deactivate()
        with pytest.raises(StateError, match='not active'):
            prepared(motion())


@pytest.mark.parametrize('given', [1, 2, 3])
def test_commanded_joints_are_added_where_they_were_measured(graph, given):
    """A controller refuses a trajectory that lacks a joint, or gives the joint no effort."""
    with preparation(graph) as (prepared, _, observer):
        with pytest.raises(StateError, match='slide'):
            prepared(motion(['wrist', 'turn']))
        observer.answer_to(state(REST, MOTION[1]))
        added = prepared(motion(['wrist', 'turn'], given=given))
        whole = motion(['wrist', 'turn', 'slide'], given=given)
        for each in whole.points:
            each.positions[2] = REST[1]
            for values in filter(None, (each.velocities, each.accelerations)):
                values[2] = 0.0
        expected = observer.call(FillEfforts, FILL, trajectory=whole).trajectory
    assert added == expected


def test_without_control_msgs_the_node_starts_and_names_what_is_missing(graph, capfd, monkeypatch):
    monkeypatch.setattr(trajectory_action, 'FollowJointTrajectory', None)
    with graph(robot_description=URDF) as (_, observer):
        observer.answer_to(state(REST, MOTION[1]))
        observer.until(lambda: 'control_msgs is not installed' in capfd.readouterr().err, 'line')


def test_bad_trajectories_are_answered_with_the_reason(graph):
    with graph(robot_description=URDF) as (_, observer):
        for change, reason in BAD:
            message = motion()
            change(message)
            response = observer.call(FillEfforts, FILL, trajectory=message)
            assert not response.success
            assert reason in response.message
            assert not response.trajectory.points
            assert not response.demands
        # Joints neither named nor measured.
        response = observer.call(FillEfforts, FILL, trajectory=motion(['slide']))
        assert not response.success
        assert 'turn, wrist' in response.message
