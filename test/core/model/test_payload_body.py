"""Which link carries a payload if nobody says so."""

import pytest
from mechanics.examples import MOVING_EXAMPLES

from robot_dynamics_ros.core import ParameterError, UnknownNameError, parse_urdf
from robot_dynamics_ros.core.model.payload_body import tip_frame

LINK = '<link name="{name}"/>'
JOINT = (
    '<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    '{mimic}<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)


def robot(*joints):
    """Of joints (name, kind, parent, joint that it mimics); each leads to a link of its name."""
    links = ''.join(LINK.format(name=name) for name in ('base', *(joint[0] for joint in joints)))
    text = links + ''.join(
        JOINT.format(
            name=f'to {name}',
            kind=kind,
            parent=parent,
            child=name,
            mimic=f'<mimic joint="to {mimicked}"/>' if mimicked else '',
        )
        for name, kind, parent, mimicked in joints
    )
    return parse_urdf(f'<robot name="r">{text}</robot>')


ARM = [('upper', 'revolute', 'base', ''), ('wrist', 'revolute', 'upper', '')]
HANDS = {
    'no hand': [],
    'two fingers that slide': [
        ('left', 'prismatic', 'wrist', ''),
        ('right', 'prismatic', 'wrist', 'left'),
    ],
    'a finger that another one follows': [
        ('left', 'revolute', 'wrist', ''),
        ('tip of left', 'revolute', 'left', 'left'),
    ],
    'three fingers with two joints each': [
        *((f'finger {i}', 'revolute', 'wrist', '') for i in '123'),
        *((f'tip {i}', 'revolute', f'finger {i}', f'finger {i}') for i in '123'),
    ],
}


@pytest.mark.parametrize('hand', HANDS)
def test_is_what_carries_the_fingers(hand):
    model = robot(*ARM, *HANDS[hand])
    assert tip_frame(model, model.joint_names) == 'wrist'


def test_is_the_last_of_the_commanded_joints():
    model = robot(*ARM, ('quill', 'prismatic', 'wrist', ''))
    assert tip_frame(model, model.joint_names) == 'quill'
    assert tip_frame(model, ['to wrist', 'to upper']) == 'wrist'
    assert tip_frame(model, ['to upper']) == 'upper'


@pytest.mark.parametrize(
    ('name', 'frame'),
    [
        ('ur_description/urdf/ur5_robot.urdf', 'wrist_3_link'),
        ('panda_description/urdf/panda.urdf', 'panda_link7'),
        ('xarm_description/urdf/xarm7.urdf', 'link7'),
    ],
)
def test_of_real_arms(name, frame):
    found = [example for example in MOVING_EXAMPLES if example.name == name]
    if not found:
        pytest.skip('example-robot-data is not installed')
    model = found[0].model
    assert tip_frame(model, model.joint_names) == frame


def test_what_is_no_joint_is_refused():
    model = robot(*ARM)
    with pytest.raises(UnknownNameError, match="unknown joint 'elbow'"):
        tip_frame(model, ['elbow'])
    with pytest.raises(ParameterError, match='named twice'):
        tip_frame(model, ['to wrist', 'to wrist'])
