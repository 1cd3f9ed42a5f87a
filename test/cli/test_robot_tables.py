"""The tree of joints as text."""

import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.cli.tables.robot_tables import _tree


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_every_joint_once_and_in_order(robot):
    assert [joint for _, joint in _tree(robot.model)] == list(robot.model.joints)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_only_joints_with_siblings_have_a_branch(robot):
    joints = robot.model.joints
    for branch, joint in _tree(robot.model):
        siblings = [other for other in joints if other.parent == joint.parent]
        if len(siblings) == 1:
            assert not branch.endswith(('├ ', '└ '))
        else:
            assert branch.endswith('└ ' if joint is siblings[-1] else '├ ')


def test_a_chain_stays_in_its_column():
    assert {branch for branch, _ in _tree(hand_written('oblique').model)} == {''}
