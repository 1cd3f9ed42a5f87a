"""The file that keeps thresholds by joint name."""

from types import SimpleNamespace

import numpy as np
import pytest
from three_joints import JOINTS

from robot_dynamics_ros.cli.contacts.threshold_file import threshold_file
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.threshold_file import read_thresholds

COEFFICIENTS = np.random.default_rng(0).uniform(0.5, 3.0, (2, 3, 3)).round(2)
BANDWIDTHS = [20.0, 10.0, 5.0]
JOINT = 'turn: {bandwidth: 20.0, collision: C, push: {constant: 1, velocity: 0, acceleration: 0}}'


@pytest.fixture
def file(tmp_path):
    """A file as the command writes it."""
    survey = SimpleNamespace(
        robot='three',
        thresholds=ContactThresholds(COEFFICIENTS, 0.1, 60.0),
        joints=JOINTS,
        recordings=[SimpleNamespace(bandwidth=np.array(BANDWIDTHS))],
        largest_motion=np.ones((2, 3)),
        margin=1.0,
    )
    path = tmp_path / 'thresholds.yaml'
    path.write_text(threshold_file(survey, path.name, ['a doubt']))
    return path


def test_what_is_written_is_read_by_joint_name_in_any_order(file):
    learned = read_thresholds(file, (*JOINTS, 'other'))
    assert list(learned.bandwidths.values()) == BANDWIDTHS
    np.testing.assert_array_equal(learned.of(JOINTS).coefficients, COEFFICIENTS)
    some = learned.of(['wrist', 'turn']).coefficients
    np.testing.assert_array_equal(some, COEFFICIENTS[..., [2, 0]])


def test_joints_that_do_not_fit_are_named(file):
    with pytest.raises(ParameterError, match=r'thresholds\.yaml: .*slide.*another robot'):
        read_thresholds(file, ('turn', 'wrist'))
    with pytest.raises(ParameterError, match='no thresholds of other'):
        read_thresholds(file, (*JOINTS, 'other')).of(['turn', 'other'])


@pytest.mark.parametrize(
    ('content', 'words'),
    [
        ('joints: [', 'cannot be read'),
        ('\x00', 'cannot be read'),
        ('3', 'by joint name'),
        ('joints: {}', 'by joint name'),
        ('/**: {ros__parameters: {push_threshold: [1.0]}}', 'by joint name'),
        ('joints: {turn: 3}', 'collision of turn is None'),
        ('{constant: 1.0, velocity: 0.0}', 'collision of turn is'),
        ('{constant: yes, velocity: 0, acceleration: 0}', 'collision of turn is'),
        ('{constant: 0.0, velocity: 0, acceleration: 0}', 'constant of joint 0 is 0.0'),
        ('{constant: 1.0, velocity: -1, acceleration: 0}', 'velocity of joint 0 is -1.0'),
        ('{constant: 1.0, velocity: 0, acceleration: .inf}', 'acceleration of joint 0 is inf'),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_name(tmp_path, content, words):
    path = tmp_path / 'bad.yaml'
    whole = JOINT.replace('C', content)
    path.write_text(f'joints: {{{whole}}}' if content.startswith('{') else content)
    with pytest.raises(ParameterError, match=rf'bad\.yaml: .*{words}'):
        read_thresholds(path, JOINTS)
    with pytest.raises(ParameterError, match='cannot be read'):
        read_thresholds(tmp_path / 'none.yaml', JOINTS)
