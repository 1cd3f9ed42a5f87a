"""What is read from a joint state, of any of the joints."""

import math

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from three_joints import JOINTS, state

from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.ros.joint_states import JointStateReader

NAN, INF = math.nan, math.inf


def of(names, q, v=(), effort=()):
    return JointState(name=list(names), position=list(q), velocity=list(v), effort=list(effort))


@pytest.mark.parametrize(('effort', 'read'), [(-7.0, -7.0), (NAN, NAN), (INF, NAN), (-1e200, NAN)])
def test_efforts_that_no_drive_has_are_no_reason_to_refuse_a_state(effort, read):
    reader = JointStateReader(JOINTS)
    message = state([0.1, 0.2, 0.3])
    message.effort = [0.0, 3.0, effort, 1.0]
    reader.read(message)
    assert reader.has_effort
    np.testing.assert_array_equal(reader.q, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(reader.effort, [1.0, read, 3.0])


def test_joints_that_a_message_does_not_name_are_nan():
    """Two drivers that alternate, in orders of their own."""
    reader = JointStateReader(JOINTS)
    for _ in range(2):
        reader.read(of(['wrist', 'gripper', 'turn'], [3.0, 9.0, 1.0], [0.3, 9.0, 0.1]))
        np.testing.assert_array_equal(reader.q, [1.0, NAN, 3.0])
        np.testing.assert_array_equal(reader.v, [0.1, NAN, 0.3])
        reader.read(of(['slide'], [2.0]))
        np.testing.assert_array_equal(reader.q, [NAN, 2.0, NAN])
        assert not reader.has_velocity


@pytest.mark.parametrize(
    ('message', 'names'),
    [
        (of([], []), 'turn, slide, wrist'),
        (of(['turn', 'turn'], [1.0, 2.0]), 'turn'),
        (of(JOINTS, [1.0, 2.0]), r'position.*2.*3'),
        (of(JOINTS, [1.0, 2.0, 3.0], [0.1]), r'velocity.*1.*3'),
        (of(JOINTS, [1.0, 2.0, 3.0], [], [1.0] * 4), r'effort.*4.*3'),
        (of(JOINTS, [1.0, NAN, 3.0]), r'position.*slide.*nan'),
        (of(JOINTS, [1.0, 2.0, 3.0], [0.1, -INF, 0.3]), r'velocity.*slide.*-inf'),
    ],
)
def test_what_is_wrong_is_named(message, names):
    with pytest.raises(StateError, match=names):
        JointStateReader(JOINTS, commanded=['turn', 'slide']).read(message)


def test_what_the_hardware_does_not_measure_may_be_nan():
    reader = JointStateReader(JOINTS, commanded=['turn', 'slide'])
    reader.read(of(JOINTS, [1.0, 2.0, NAN], [NAN, 0.2, NAN]))
    np.testing.assert_array_equal(reader.q, [1.0, 2.0, NAN])
    np.testing.assert_array_equal(reader.v, [NAN, 0.2, NAN])
    with pytest.raises(StateError, match='wrist'):
        reader.read_all(of(JOINTS, [1.0, 2.0, NAN]))
    with pytest.raises(StateError, match='turn'):
        reader.read_all(of(JOINTS, [1.0, 2.0, 3.0], [NAN, 0.2, 0.3]))


def test_a_locked_joint_stands_where_it_is_locked():
    reader = JointStateReader(JOINTS, locked={'wrist': 0.7})
    for message in (of(JOINTS[:2], [1.0, 2.0]), of(JOINTS, [1.0, 2.0, NAN])):
        reader.read_all(message)
        np.testing.assert_array_equal(reader.q, [1.0, 2.0, 0.7])
