"""Parameters of friction: the model that they give, and what is refused."""

import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.ros.parameters import node_parameters
from robot_dynamics_ros.ros.parameters.node_table import TABLE

MODEL = hand_written('mimic').model
# They are not commanded.
MIMICS = [joint.name for joint in MODEL.joints if joint.name not in MODEL.joint_names]
DEFAULTS = {name: row.checked(row.default) for name, row in TABLE.rows.items()}


def friction(joints=MODEL.joint_names, **values):
    checked = {name: node_parameters.checked(name, value) for name, value in values.items()}
    return node_parameters.friction(DEFAULTS | checked, MODEL, joints)


def smoothing(joints=MODEL.joint_names, **values):
    """v_0 of each joint by name."""
    names = [joint.name for joint in MODEL.joints]
    return dict(zip(names, friction(joints, **values).smoothing.tolist(), strict=True))


def test_the_smoothing_of_each_joint_is_in_the_order_of_the_joints():
    first, second = MODEL.joint_names
    others = dict.fromkeys(MIMICS, 0.3)
    given = {'friction_smoothing': 0.3, 'friction_smoothing_by_joint': [0.05, 0.2]}
    assert smoothing(**given) == {first: 0.05, second: 0.2, **others}
    assert smoothing((second, first), **given) == {second: 0.05, first: 0.2, **others}


def test_without_a_value_by_joint_there_is_one_for_all():
    assert set(smoothing(friction_smoothing=0.3).values()) == {0.3}
    commanded = dict.fromkeys(MODEL.joint_names, 0.07)
    wanted = {**commanded, **dict.fromkeys(MIMICS, 0.01)}
    assert smoothing(friction_smoothing_by_joint=[0.07]) == wanted


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ([0.1, 0.1, 0.1], 'friction_smoothing_by_joint has 3 values'),
        ([0.1, 0.0], r'friction_smoothing_by_joint\[1\] is 0.0'),
        ([-0.1, 0.1], r'friction_smoothing_by_joint\[0\] is -0.1'),
        ([0.1, float('nan')], r'friction_smoothing_by_joint\[1\] is nan'),
        (0.1, 'friction_smoothing_by_joint is 0.1, .* write'),
    ],
)
def test_a_smoothing_that_cannot_be_meant_is_refused(values, words):
    with pytest.raises(ParameterError, match=words):
        friction(friction_smoothing_by_joint=values)
