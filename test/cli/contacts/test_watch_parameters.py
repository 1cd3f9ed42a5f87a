"""Parameter files of contacts and thresholds: the friction of the robot that is watched."""

import re

import pytest

pytest.importorskip('ruamel.yaml')
from three_joints import URDF

from robot_dynamics_ros.cli.contacts.watch_parameters import settings_of_files
from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings
from robot_dynamics_ros.core import ParameterError, parse_urdf

MODEL = parse_urdf(URDF)


def settings_of(tmp_path, *blocks):
    """The settings of parameter files of these contents."""
    files = []
    for count, block in enumerate(blocks):
        files.append(tmp_path / f'{count}.yaml')
        files[-1].write_text(f'/**: {{ros__parameters: {{{block}}}}}')
    return settings_of_files(files, MODEL.joint_names)


def smoothing(tmp_path, *blocks):
    """v_0 of each joint of the robot, by name, with parameter files of these contents."""
    found = WatchedRobot(MODEL, settings_of(tmp_path, *blocks)).friction.smoothing
    return dict(zip([joint.name for joint in MODEL.joints], found.tolist(), strict=True))


def test_the_smoothing_of_each_joint_is_used(tmp_path):
    by_joint = 'joints: [wrist, turn], friction_smoothing_by_joint: [0.2, 0.05]'
    named = {'wrist': 0.2, 'turn': 0.05}
    assert smoothing(tmp_path, by_joint) == {**named, 'slide': 0.01}
    both = smoothing(tmp_path, f'{by_joint}, friction_smoothing: 0.3')
    assert both == {**named, 'slide': 0.3}
    # As in the node: a later file does not change what it does not have.
    assert smoothing(tmp_path, by_joint, 'friction_smoothing: 0.3') == both


def test_one_smoothing_is_that_of_all_joints(tmp_path):
    assert set(smoothing(tmp_path, 'friction_smoothing_by_joint: [0.2]').values()) == {0.2}
    assert set(smoothing(tmp_path, 'friction_smoothing: 0.3').values()) == {0.3}


@pytest.mark.parametrize(
    ('block', 'words'),
    [
        ('friction_smoothing_by_joint: [0.1, 0.1]', 'friction_smoothing_by_joint is .* 3 joints'),
        ('friction_smoothing_by_joint: [0.0]', "joint 'turn' is 0.0"),
        ('friction_smoothing_by_joint: [.nan]', 'friction_smoothing_by_joint has nan'),
        ('friction_smoothing: 0.0', 'smoothing .* is 0.0'),
    ],
)
def test_a_smoothing_that_cannot_be_meant_is_refused(tmp_path, block, words):
    with pytest.raises(ParameterError, match=words):
        smoothing(tmp_path, block)


@pytest.mark.parametrize(
    'name',
    [
        'friction_viscous',
        'friction_coulomb_negative',
        'friction_smoothing_by_joint',
        'torque_offset',
        'armature',
        'collision_threshold',
        'push_threshold',
    ],
)
def test_an_empty_list_of_a_later_file_takes_back_that_of_an_earlier_one(tmp_path, name):
    first, without = f'joints: [wrist], {name}: [0.3]', WatchSettings(joints=('wrist',))
    assert settings_of(tmp_path, first, 'joints: [wrist]') != without
    assert settings_of(tmp_path, first, f'joints: [wrist], {name}: []') == without


def test_lists_of_a_file_without_joints_are_for_those_of_the_other_files(tmp_path):
    """As in the node, in which the parameters of all files are one set."""
    offset = 'torque_offset: [1.0, 2.0]'
    for blocks in ((offset, 'joints: [wrist, turn]'), ('joints: [wrist, turn]', offset)):
        found = settings_of(tmp_path, *blocks)
        assert found.offset == {'wrist': 1.0, 'turn': 2.0}
        assert found.joints == ('wrist', 'turn')


TURNED = 'joints: [turn, wrist], torque_offset: [1.0, 2.0]'


@pytest.mark.parametrize('joints', ['wrist, turn', 'turn, wrist, slide', 'wrist', ''])
def test_a_list_that_the_node_would_take_for_other_joints_is_refused_with_both_files(
    tmp_path, joints
):
    with pytest.raises(ParameterError) as refused:
        settings_of(tmp_path, TURNED, f'joints: [{joints}]')
    text = str(refused.value)
    commanded = joints or 'turn, slide, wrist'
    assert re.match(f'{tmp_path / "0.yaml"}: torque_offset .*turn, wrist, ', text)
    assert re.search(f'{tmp_path / "1.yaml"} .*{commanded}', text)


def test_one_value_is_that_of_its_own_joints(tmp_path):
    """Their order does not matter; a joint that its file does not name gets none."""
    one = 'joints: [turn, wrist], torque_offset: [1.0]'
    assert settings_of(tmp_path, one, 'joints: [wrist, turn]').offset == {'wrist': 1, 'turn': 1}
    with pytest.raises(ParameterError, match=r'torque_offset.*joints turn, wrist'):
        settings_of(tmp_path, one, 'joints: [wrist, turn, slide]')


def test_a_list_that_a_later_file_replaces_is_for_any_joints(tmp_path):
    later = 'joints: [wrist, turn], torque_offset: [3.0, 4.0]'
    assert settings_of(tmp_path, TURNED, later).offset == {'wrist': 3.0, 'turn': 4.0}


def test_a_part_of_a_threshold_without_its_constant_is_refused_with_the_joints():
    velocity = {'push_threshold_velocity': {'turn': 1.0, 'wrist': 1.0}}
    for constants in ({}, {'push_threshold': {'turn': 3.0}}):
        with pytest.raises(ParameterError, match=r'push_threshold.*wrist'):
            WatchSettings(thresholds=velocity | constants)
    constant = {'push_threshold': dict.fromkeys(('turn', 'wrist'), 3.0)}
    assert WatchSettings(thresholds=velocity | constant).joints_with_thresholds
