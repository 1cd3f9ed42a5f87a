"""Which joints of a robot are read where several drivers publish on one topic."""

from types import SimpleNamespace

import pytest

from robot_dynamics_ros.cli.recordings import needed_joints
from robot_dynamics_ros.core import parse_urdf

LEFT, RIGHT, FINGER = ('l1', 'l2'), ('r1', 'r2'), ('grip',)


def chain(names, masses, before='world'):
    """Joints about y, each with a link of some mass."""
    parts = []
    for name, mass in zip(names, masses, strict=True):
        parts.append(
            f'<link name="{name}_link"><inertial><origin xyz="0.1 0 0.2"/><mass value="{mass}"/>'
            '<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="{name}" type="continuous"><parent link="{before}"/>'
            f'<child link="{name}_link"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/></joint>'
        )
        before = f'{name}_link'
    return ''.join(parts)


ROBOT = parse_urdf(
    '<robot name="two"><link name="world"/>'
    + chain(LEFT, (3.0, 2.0)) + chain(RIGHT, (3.0, 2.0)) + chain(FINGER, (0.05,), 'l2_link')
    + '</robot>'
)  # fmt: skip


def read(**intervals):
    """Joints that are read where these kinds of messages come, each at an interval [s]."""
    kinds = {
        tuple(joint for part in name.split('_') for joint in globals()[part]): interval
        for name, interval in intervals.items()
    }
    most = max(kinds, key=len)
    recording = SimpleNamespace(joints=most, kinds=kinds, interval=kinds[most])
    return set(needed_joints(ROBOT, recording))


def test_a_finger_is_left_out_at_any_rate():
    for interval in (0.001, 0.033):
        assert read(LEFT=0.001, FINGER=interval) == {*LEFT}
    assert read(LEFT_FINGER=0.001) == {*LEFT, *FINGER}


def test_another_arm_is_read_if_it_comes_as_often():
    assert read(LEFT=0.002, RIGHT=0.002) == {*LEFT, *RIGHT}
    assert read(LEFT=0.002, RIGHT=0.001, FINGER=0.03) == {*LEFT, *RIGHT}
    assert read(LEFT=0.001, RIGHT=0.01) == {*LEFT}


@pytest.mark.parametrize(
    ('kinds', 'joints'),
    [
        # The other half of an arm at any rate; joints that are only in smaller messages.
        ({('l1', 'r1'): 0.001, ('l2',): 0.02}, ('l1', 'l2', 'r1')),
        ({tuple(f'other{number}' for number in range(9)): 0.001, LEFT: 0.01}, LEFT),
    ],
)
def test_joints_that_matter_are_read_at_any_rate(kinds, joints):
    recording = SimpleNamespace(joints=next(iter(kinds)), kinds=kinds, interval=0.001)
    assert needed_joints(ROBOT, recording) == joints
