"""What names a quantity, a frame and axes, and what is refused."""

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, RobotDynamics, UnknownNameError


@pytest.fixture
def dynamics():
    return RobotDynamics(hand_written('tree').model, backend='python')


def test_names_that_do_not_exist_are_refused(dynamics):
    with pytest.raises(UnknownNameError, match=r"'torque'.*inverse"):
        dynamics.compile('torque')
    with pytest.raises(ParameterError, match=r'jacobian.*frame'):
        dynamics.compile('jacobian')
    with pytest.raises(UnknownNameError, match="unknown frame 'hand'"):
        dynamics.compile(('frame_pose', 'hand'))
    with pytest.raises(ParameterError, match=r"axes.*'BASE'.*LOCAL, WORLD"):
        dynamics.compile(('jacobian', dynamics.model.frames[0].name, 'BASE'))


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
        (('mass_matrix', 'waist'), "mass_matrix.*no frame.*'waist'"),
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
