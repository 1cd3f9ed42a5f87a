"""Programs are compiled when they are asked for, and no others."""

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, RobotDynamics, UnknownNameError


@pytest.fixture
def dynamics():
    return RobotDynamics(hand_written('tree').model, backend='python')


def test_nothing_is_compiled_before_it_is_asked_for(dynamics):
    assert not dynamics._call
    q, frame = np.zeros(dynamics.model.size), dynamics.model.frames[-1].name
    dynamics.mass_matrix(q)
    dynamics.jacobian(q, frame, 'LOCAL')
    assert set(dynamics._call) == {'mass_matrix', ('jacobian', frame, 'LOCAL')}


def test_programs_of_a_frame_can_be_compiled_beforehand(dynamics):
    frame = dynamics.model.frames[-1].name
    dynamics.compile('forward_dynamics', ('jacobian', frame, 'WORLD'), ('frame_pose', frame))
    compiled = dict(dynamics._call)
    q = np.zeros(dynamics.model.size)
    dynamics.forward_dynamics(q, q, q)
    dynamics.jacobian(q, frame, 'WORLD')
    dynamics.frame_pose(q, frame)
    assert dynamics._call == compiled


def test_names_that_do_not_exist_are_refused(dynamics):
    with pytest.raises(UnknownNameError, match="unknown quantity 'torque': known are inverse"):
        dynamics.compile('torque')
    with pytest.raises(ParameterError, match=r'jacobian.*frame'):
        dynamics.compile('jacobian')
    with pytest.raises(UnknownNameError, match="unknown frame 'hand'"):
        dynamics.compile(('frame_pose', 'hand'))
    with pytest.raises(ParameterError, match="axes are 'BASE', allowed are LOCAL, WORLD"):
        dynamics.compile(('jacobian', dynamics.model.frames[0].name, 'BASE'))


def test_a_jacobian_is_that_of_the_default_axes(dynamics):
    frame = dynamics.model.frames[-1].name
    dynamics.compile(('jacobian', frame))
    compiled = dict(dynamics._call)
    dynamics.jacobian(np.zeros(dynamics.model.size), frame)
    assert dynamics._call == compiled


@pytest.mark.parametrize(
    ('key', 'message'),
    [
        (5, 'quantity is 5, one name'),
        (['mass_matrix'], r"quantity is \['mass_matrix'\], one name"),
        ((), 'is not .quantity, frame, axes.'),
        (('jacobian', 'waist', 'LOCAL', 'LOCAL'), 'is not .quantity, frame, axes.'),
        (('jacobian', 5), 'frame is 5, one name'),
        (('jacobian', ['waist']), r"frame is \['waist'\], one name"),
        (('jacobian', 'waist', ['LOCAL']), r"axes are \['LOCAL'\], allowed are LOCAL"),
        (('mass_matrix', 'waist'), "mass_matrix takes no frame, got 'waist'"),
        (('frame_pose', 'waist', 'LOCAL'), "axes, got 'LOCAL'"),
    ],
)
def test_what_is_no_key_is_refused(dynamics, key, message):
    with pytest.raises(ParameterError, match=message):
        dynamics.compile(key)


def test_bind_says_what_a_frame_is_for(dynamics):
    q, n = np.zeros(dynamics.model.size), dynamics.model.size
    with pytest.raises(ParameterError, match=r"name one, bind\('jacobian', ..., frame=...\)"):
        dynamics.bind('jacobian', q, out=np.zeros((6, n)))
    with pytest.raises(ParameterError, match='mass_matrix takes no frame'):
        dynamics.bind('mass_matrix', q, out=np.zeros((n, n)), frame='waist')
    with pytest.raises(ParameterError, match='mass_matrix takes no axes'):
        dynamics.bind('mass_matrix', q, out=np.zeros((n, n)), axes='LOCAL')


@pytest.mark.parametrize('frame', [['waist'], 5, None, ('waist', 'LOCAL')])
def test_a_frame_is_a_name(dynamics, frame):
    q = np.zeros(dynamics.model.size)
    for call in (
        lambda: dynamics.frame_pose(q, frame),
        lambda: dynamics.jacobian(q, frame),
        lambda: dynamics.jacobian_derivative(q, q, frame),
        lambda: dynamics.external_torque(q, np.zeros(6), frame),
        lambda: dynamics.joint_velocity(q, np.zeros(6), frame),
        lambda: dynamics.task_space(q, q, frame),
        lambda: dynamics.model.frame(frame),
    ):
        with pytest.raises(ParameterError, match='frame'):
            call()
