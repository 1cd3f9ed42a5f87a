"""Parameter files of contacts and thresholds: the joint model and the lists of the node."""

import re

import pytest

pytest.importorskip('yaml')
from three_joints import URDF

from robot_dynamics_ros.cli.node_parameters import settings_of_files
from robot_dynamics_ros.contacts import WatchSettings
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.joint_model import JointModel

MODEL = parse_urdf(URDF)


def settings_of(tmp_path, *blocks):
    """The settings of parameter files of these contents."""
    files = []
    for count, block in enumerate(blocks):
        files.append(tmp_path / f'{count}.yaml')
        files[-1].write_text(f'/**: {{ros__parameters: {{{block}}}}}')
    return settings_of_files(files, MODEL.joint_names)


def test_the_joint_model_is_that_of_the_last_file_that_names_one(tmp_path):
    for name, value in (('a', 0.3), ('b', 0.7)):
        (tmp_path / f'{name}.yaml').write_text(f'joints: {{wrist: {{coulomb: {value}}}}}')
    first, other, none = 'joint_model: a.yaml', 'joint_model: b.yaml', "joint_model: ''"
    named = settings_of(tmp_path, first, 'driver_gravity_check: true').joint_model
    assert named.coulomb == (('wrist', 0.3),)
    assert settings_of(tmp_path, first, other).joint_model.coulomb == (('wrist', 0.7),)
    assert settings_of(tmp_path, first, none).joint_model == JointModel()


@pytest.mark.parametrize(
    'name',
    [
        'external_bandwidth',
        'collision_threshold',
        'push_threshold',
    ],
)
def test_an_empty_list_of_a_later_file_takes_back_that_of_an_earlier_one(tmp_path, name):
    first, without = f'joints: [wrist], {name}: [0.3]', WatchSettings()
    assert settings_of(tmp_path, first, 'joints: [wrist]') != without
    assert settings_of(tmp_path, first, f'joints: [wrist], {name}: []') == without


def test_lists_of_a_file_without_joints_are_for_those_of_the_other_files(tmp_path):
    """As in the node, in which the parameters of all files are one set."""
    offset = 'external_bandwidth: [1.0, 2.0]'
    for blocks in ((offset, 'joints: [wrist, turn]'), ('joints: [wrist, turn]', offset)):
        found = settings_of(tmp_path, *blocks)
        assert found.bandwidth == {'wrist': 1.0, 'turn': 2.0}


TURNED = 'joints: [turn, wrist], external_bandwidth: [1.0, 2.0]'


@pytest.mark.parametrize('joints', ['wrist, turn', 'turn, wrist, slide', 'wrist', ''])
def test_a_list_that_the_node_would_take_for_other_joints_is_refused_with_both_files(
    tmp_path, joints
):
    with pytest.raises(ParameterError) as refused:
        settings_of(tmp_path, TURNED, f'joints: [{joints}]')
    text = str(refused.value)
    commanded = joints or 'turn, slide, wrist'
    assert re.match(f'{tmp_path / "0.yaml"}: external_bandwidth .*turn, wrist, ', text)
    assert re.search(f'{tmp_path / "1.yaml"} .*{commanded}', text)


def test_one_value_is_that_of_its_own_joints(tmp_path):
    """Their order does not matter; a joint that its file does not name gets none."""
    one = 'joints: [turn, wrist], external_bandwidth: [1.0]'
    assert settings_of(tmp_path, one, 'joints: [wrist, turn]').bandwidth == {'wrist': 1, 'turn': 1}
    with pytest.raises(ParameterError, match=r'external_bandwidth.*joints turn, wrist'):
        settings_of(tmp_path, one, 'joints: [wrist, turn, slide]')


def test_a_list_that_a_later_file_replaces_is_for_any_joints(tmp_path):
    later = 'joints: [wrist, turn], external_bandwidth: [3.0, 4.0]'
    assert settings_of(tmp_path, TURNED, later).bandwidth == {'wrist': 3.0, 'turn': 4.0}
