"""What is read from a joint state, of any of the joints."""

import math

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from three_joints import JOINTS, state

from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.ros.messages.joint_state_reader import JointStateReader


@pytest.mark.parametrize(
    ('effort', 'measured'), [(-7.0, True), (math.nan, False), (math.inf, False), (-1e200, False)]
)
def test_efforts_that_no_drive_has_are_no_reason_to_refuse_a_state(effort, measured):
    reader = JointStateReader(JOINTS)
    message = state([0.1, 0.2, 0.3])
    message.effort = [0.0, 3.0, effort, 1.0]
    reader.read(message)
    assert reader.has_effort
    np.testing.assert_array_equal(reader.q, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(reader.effort, [1.0, -7.0 if measured else math.nan, 3.0])


def of(names, q, v=()):
    return JointState(name=list(names), position=list(q), velocity=list(v))


def test_joints_that_a_message_does_not_name_are_nan():
    """Two drivers that alternate, in orders of their own."""
    reader = JointStateReader(JOINTS)
    for _ in range(2):
        reader.read(of(['wrist', 'gripper', 'turn'], [3.0, 9.0, 1.0], [0.3, 9.0, 0.1]))
        np.testing.assert_array_equal(reader.q, [1.0, math.nan, 3.0])
        np.testing.assert_array_equal(reader.v, [0.1, math.nan, 0.3])
        reader.read(of(['slide'], [2.0]))
        np.testing.assert_array_equal(reader.q, [math.nan, 2.0, math.nan])
        assert not reader.has_velocity


def test_velocities_that_are_nan_are_not_measured_and_infinite_ones_are_refused():
    reader = JointStateReader(JOINTS)
    reader.read(of(JOINTS, [1.0, 2.0, 3.0], [math.nan, 0.2, math.nan]))
    np.testing.assert_array_equal(reader.v, [math.nan, 0.2, math.nan])
    with pytest.raises(StateError, match="velocity of 'slide' is -inf"):
        reader.read(of(JOINTS, [1.0, 2.0, 3.0], [0.1, -math.inf, 0.3]))


def test_a_nan_position_is_refused_of_a_commanded_joint_only():
    reader = JointStateReader(JOINTS, commanded=['turn', 'slide'])
    reader.read(of(JOINTS, [1.0, 2.0, math.nan]))
    np.testing.assert_array_equal(reader.q, [1.0, 2.0, math.nan])
    with pytest.raises(StateError, match="position of 'slide' is nan"):
        reader.read(of(JOINTS, [1.0, math.nan, 3.0]))
    with pytest.raises(StateError, match="position of 'wrist' is inf"):
        reader.read(of(JOINTS, [1.0, 2.0, math.inf]))


def test_a_locked_joint_stands_where_it_is_locked():
    reader = JointStateReader(JOINTS, locked={'wrist': 0.7})
    for message in (of(JOINTS[:2], [1.0, 2.0]), of(JOINTS, [1.0, 2.0, math.nan])):
        reader.read_all(message)
        np.testing.assert_array_equal(reader.q, [1.0, 2.0, 0.7])
    # A state of locked joints alone says nothing.
    assert reader.names_other_joints_only(of(['wrist'], [0.1]))


def test_which_messages_name_a_commanded_joint():
    reader = JointStateReader(JOINTS, commanded=['turn', 'slide'])
    for names, ours, commanded in (
        (['wrist'], True, False),
        (['slide', 'wrist'], True, True),
        (['gripper'], False, False),
    ):
        message = of(names, [0.1] * len(names))
        # Again and again, as one driver sends them.
        for _ in range(2):
            assert reader.names_other_joints_only(message) is not ours
        reader.read(message)
        assert reader.names_commanded == commanded


def test_all_joints_are_needed_of_a_state_that_is_asked_about():
    reader = JointStateReader(JOINTS)
    with pytest.raises(StateError, match=r'joints.*slide.*turn, slide, wrist'):
        reader.read_all(of(['wrist', 'turn'], [3.0, 1.0]))
    with pytest.raises(StateError, match="velocity of 'turn' is nan"):
        reader.read_all(of(JOINTS, [1.0, 2.0, 3.0], [math.nan, 0.2, 0.3]))


def test_any_number_of_lists_of_names():
    reader = JointStateReader(JOINTS)
    for index in range(100):
        reader.read(of([f'other_{index}', 'slide'], [9.0, float(index)]))
        assert reader.q[1] == index
