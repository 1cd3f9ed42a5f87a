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
    with pytest.raises(ParameterError, match='jacobian is that of a frame: name one'):
        dynamics.compile('jacobian')
    with pytest.raises(UnknownNameError, match="unknown frame 'hand'"):
        dynamics.compile(('frame_pose', 'hand'))
    with pytest.raises(ParameterError, match="reference is 'BASE', allowed are LOCAL, WORLD"):
        dynamics.compile(('jacobian', dynamics.model.frames[0].name, 'BASE'))
    with pytest.raises(ParameterError, match='reference'):
        dynamics.compile(('jacobian', dynamics.model.frames[0].name))
