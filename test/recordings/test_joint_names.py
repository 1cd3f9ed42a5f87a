"""Renaming of joints, and what is offered where names nearly fit."""

import pytest

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings.joint_names import offered_renaming, renamed

FER = tuple(f'fer_joint{i}' for i in range(1, 8))
PANDA = tuple(f'panda_joint{i}' for i in range(1, 8))
UR = ('shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint')


def test_names_and_prefixes_are_replaced():
    assert renamed(FER, {'fer_': 'panda_'}) == PANDA
    assert renamed(('joint1', 'joint10', 'x'), {'joint1': 'a'}) == ('a', 'joint10', 'x')
    assert renamed(('l_a', 'l_r_b'), {'l_': '', 'l_r_': 'right_'}) == ('a', 'right_b')
    assert renamed(('a', 'b'), {'': 'l_', 'b': 'c'}) == ('l_a', 'c')
    assert renamed(FER, {}) == FER


def test_what_renames_nothing_or_ambiguously_is_refused():
    with pytest.raises(RecordingError, match=r"'panda_': .* fer_joint1"):
        renamed(FER, {'panda_': 'fer_'})
    with pytest.raises(RecordingError, match=r"two joints.*'b'"):
        renamed(('a', 'b'), {'a': 'b'})


CASES = [
    ((*FER, 'fer_finger_joint1'), PANDA, {'fer_': 'panda_'}),
    (FER, ('panda_finger_joint1', *PANDA, 'panda_finger_joint2'), {'fer_': 'panda_'}),
    (('left_a', 'left_b'), ('wheel', 'a', 'b'), {'left_': ''}),
    (('a', 'b'), ('wheel', 'left_a', 'left_b'), {'': 'left_'}),
    (tuple('left_' + name for name in UR), UR, {'left_': ''}),
    (UR, tuple('ur10/' + name for name in UR), {'': 'ur10/'}),
    (('joint_a1', 'joint_a2'), ('lbr_A1', 'lbr_A2'), {'joint_a': 'lbr_A'}),
    (UR, ('hip', 'knee'), {}),
    (('a_joint1', 'b_joint1'), ('c_joint1',), {}),
]


@pytest.mark.parametrize(('recorded', 'wanted', 'expected'), CASES)
def test_a_renaming_is_offered_where_it_is_obvious(recorded, wanted, expected):
    offered = offered_renaming(recorded, wanted)
    assert offered == expected
    # It does what it is offered for.
    names = set(renamed(recorded, offered))
    assert not offered or set(wanted) <= names or names <= set(wanted)
