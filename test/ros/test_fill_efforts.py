"""Efforts of trajectories, by service and in goals."""

import math
import re
from contextlib import contextmanager

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from three_joints import JOINTS, URDF, state
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_interfaces.srv import FillEfforts, InverseDynamics
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.ros import trajectory_action

Q, V, A = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]
REST = [0.1, 0.2, -0.3]
NODE = '/robot_dynamics'
FILL = f'{NODE}/fill_efforts'


def trajectory(joints=JOINTS, count=4, given='qva'):
    """Points half a second apart, each a little farther and faster."""
    message = JointTrajectory(joint_names=list(joints))
    fields = {'q': ('positions', Q), 'v': ('velocities', V), 'a': ('accelerations', A)}
    for index in range(count):
        point = JointTrajectoryPoint(time_from_start=Duration(nanosec=0))
        point.time_from_start.sec, half = divmod(index, 2)
        point.time_from_start.nanosec = half * 500_000_000
        for field, values in (fields[letter] for letter in given):
            chosen = [values[JOINTS.index(name)] * (1 + 0.1 * index) for name in joints]
            setattr(point, field, chosen)
        message.points.append(point)
    return message


@pytest.mark.parametrize('joints', [JOINTS, ('wrist', 'turn', 'slide'), ('wrist', 'turn')])
def test_efforts_are_those_of_inverse_dynamics_in_the_order_of_the_request(graph, joints):
    """Whatever joints are commanded; one that is not named rests where it was measured."""
    with graph(robot_description=URDF) as (_, observer):
        observer.answer_to(state(REST, V))
        response = observer.call(FillEfforts, FILL, trajectory=trajectory(joints))
        assert response.success, response.message
        assert tuple(response.trajectory.joint_names) == joints
        for point in response.trajectory.points:
            moving = dict(zip(joints, point.positions, strict=True))
            speeds = dict(zip(joints, point.velocities, strict=True))
            request = state(
                [moving.get(name, REST[JOINTS.index(name)]) for name in JOINTS],
                [speeds.get(name, 0.0) for name in JOINTS],
            )
            accelerations = dict(zip(joints, point.accelerations, strict=True))
            inverse = observer.call(
                InverseDynamics,
                f'{NODE}/inverse_dynamics',
                state=request,
                acceleration=[accelerations.get(name, 0.0) for name in request.name],
            )
            torques = dict(zip(inverse.joint_names, inverse.effort, strict=True))
            expected = [torques[name] for name in joints]
            np.testing.assert_allclose(point.effort, expected, rtol=1e-11)


def test_all_else_comes_back_as_it_went(graph):
    asked = trajectory(given='q')
    asked.header.frame_id = 'base'
    asked.points[1].effort = [1.0]
    with graph(robot_description=URDF) as (_, observer):
        response = observer.call(FillEfforts, FILL, trajectory=asked)
    assert response.success, response.message
    for point in (*response.trajectory.points, *asked.points):
        point.effort = []
    assert response.trajectory == asked


def test_terms_leave_out_what_the_driver_adds(graph, dynamics):
    with graph(robot_description=URDF) as (_, observer):
        whole = observer.call(FillEfforts, FILL, trajectory=trajectory())
        driven = observer.call(
            FillEfforts, FILL, trajectory=trajectory(), terms=['coriolis', 'inertial']
        )
    for point, other in zip(whole.trajectory.points, driven.trajectory.points, strict=True):
        left_out = np.array(point.effort) - np.array(other.effort)
        np.testing.assert_allclose(left_out, dynamics.gravity_torque(point.positions), rtol=1e-9)
    # The motor bears the whole, whoever asks for it.
    assert driven.demands == whole.demands


def test_efforts_may_be_left_empty_and_demands_are_still_told(graph):
    asked = trajectory()
    asked.points[0].effort = [1.0, 2.0, 3.0]
    with graph(robot_description=URDF) as (_, observer):
        filled = observer.call(FillEfforts, FILL, trajectory=trajectory())
        response = observer.call(FillEfforts, FILL, trajectory=asked, leave_efforts_empty=True)
    assert response.success, response.message
    assert not any(point.effort for point in response.trajectory.points)
    assert response.demands == filled.demands


def test_demands_are_beside_the_limits_of_the_description(graph):
    with graph(robot_description=URDF, unguarded=False) as (_, observer):
        within = observer.call(FillEfforts, FILL, trajectory=trajectory(count=1))
        beyond = trajectory()
        beyond.points[2].positions[1] = 0.8
        beyond.points[3].velocities[2] = -4.0
        beyond.points[0].accelerations[1] = 100.0
        response = observer.call(FillEfforts, FILL, trajectory=beyond)
    assert not within.message
    turn, slide, wrist = response.demands
    assert turn.joint_name == 'turn'
    assert turn.effort_limit == turn.velocity_limit == turn.position_upper == math.inf
    assert not any([turn.effort_exceeded, turn.velocity_exceeded, turn.position_exceeded])
    assert slide.effort == np.abs([point.effort[1] for point in response.trajectory.points]).max()
    assert (slide.effort_limit, slide.effort_exceeded, slide.effort_point) == (200.0, True, 0)
    assert (slide.position, slide.position_exceeded, slide.position_point) == (0.8, True, 2)
    assert (wrist.velocity, wrist.velocity_exceeded, wrist.velocity_point) == (4.0, True, 3)
    assert (wrist.position_lower, wrist.position_upper) == (-2.0, 2.0)
    assert re.search(r'slide: position 0\.8 .*point 2.* -0\.5 .* 0\.5', response.message)
    assert re.search('wrist: velocity 4 .*point 3.* 3', response.message)


def changed(change):
    message = trajectory()
    change(message)
    return message


BAD = [
    (lambda m: m.joint_names.append('gripper'), "unknown joint 'gripper'"),
    (lambda m: m.joint_names.__setitem__(0, 'wrist'), "'wrist' is named twice"),
    (lambda m: m.joint_names.clear(), 'joint_names of the trajectory'),
    (lambda m: m.points.clear(), 'no points'),
    (lambda m: m.points[1].positions.pop(), 'point 1: positions has 2 values'),
    (lambda m: m.points[2].velocities.__setitem__(1, math.nan), 'point 2: velocities is nan'),
    (lambda m: setattr(m.points[1], 'velocities', []), 'accelerations but no velocities'),
    (lambda m: setattr(m.points[3], 'time_from_start', Duration()), 'times must increase'),
]


@pytest.mark.parametrize(('change', 'reason'), BAD)
def test_bad_trajectories_are_answered_with_the_reason(graph, change, reason):
    with graph(robot_description=URDF) as (_, observer):
        response = observer.call(FillEfforts, FILL, trajectory=changed(change))
    assert not response.success
    assert reason in response.message
    assert not response.trajectory.points
    assert not response.demands


def test_joints_neither_named_nor_measured_are_missed_by_name(graph):
    with graph(robot_description=URDF) as (_, observer):
        response = observer.call(FillEfforts, FILL, trajectory=trajectory(['slide']))
    assert not response.success
    assert 'not name turn, wrist' in response.message


@contextmanager
def preparation(graph, **parameters):
    """A function that makes a goal fit for the controller, by the parameters of a node."""
    with graph(robot_description=URDF, **parameters) as (node, observer):
        prepare = node._trajectory_action.prepare

        def prepared(message):
            prepare(message)
            return message

        yield prepared, node, observer


@pytest.mark.parametrize('terms', [[], ['gravity']])
def test_a_goal_gets_the_efforts_of_the_service(graph, terms):
    chosen = {'terms': terms} if terms else {}
    with preparation(graph, **chosen) as (prepared, _, observer):
        response = observer.call(FillEfforts, FILL, trajectory=trajectory(), terms=terms)
        assert prepared(trajectory()) == response.trajectory


def test_a_goal_without_points_stays_as_it_is(graph):
    with preparation(graph) as (prepared, _, _):
        assert prepared(JointTrajectory(joint_names=JOINTS)) == JointTrajectory(joint_names=JOINTS)


def test_a_goal_is_refused_while_the_node_is_not_active(graph):
    with preparation(graph) as (prepared, node, _):
        node.trigger_deactivate()
        with pytest.raises(StateError, match='not active'):
            prepared(trajectory())


@pytest.mark.parametrize('given', ['q', 'qv', 'qva'])
def test_commanded_joints_are_added_where_they_were_measured(graph, given):
    """A controller refuses a trajectory that lacks a joint, or gives the joint no effort."""
    with preparation(graph) as (prepared, _, observer):
        observer.answer_to(state(REST, V))
        added = prepared(trajectory(['wrist', 'turn'], given=given))
        assert list(added.joint_names) == ['wrist', 'turn', 'slide']
        whole = trajectory(given=given)
        for index, point in enumerate(whole.points):
            point.positions[1] = REST[1]
            for field in ('velocities', 'accelerations'):
                if getattr(point, field):
                    getattr(point, field)[1] = 0.0
            at = added.points[index]
            for field in ('positions', 'velocities', 'accelerations'):
                values = list(getattr(point, field))
                assert list(getattr(at, field)) == ([values[2], *values[:2]] if values else [])
        expected = observer.call(FillEfforts, FILL, trajectory=whole).trajectory
        for at, point in zip(added.points, expected.points, strict=True):
            turn, slide, wrist = point.effort
            np.testing.assert_allclose(at.effort, [wrist, turn, slide], rtol=1e-12)


def test_no_joint_is_added_that_is_not_commanded(graph):
    with preparation(graph, joints=['turn', 'slide']) as (prepared, _, observer):
        observer.answer_to(state(REST, V))
        assert list(prepared(trajectory(['turn'])).joint_names) == ['turn', 'slide']


def test_without_a_measurement_no_joint_is_added(graph):
    with preparation(graph) as (prepared, _, _), pytest.raises(StateError, match='slide, wrist'):
        prepared(trajectory(['turn']))


def test_without_control_msgs_the_node_starts_and_says_what_is_missing(graph, capfd, monkeypatch):
    monkeypatch.setattr(trajectory_action, 'FollowJointTrajectory', None)
    with graph(robot_description=URDF) as (_, observer):
        observer.answer_to(state(REST, V))
        observer.until(lambda: 'control_msgs is not installed' in capfd.readouterr().err, 'line')
