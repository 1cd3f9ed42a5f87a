"""The file that keeps thresholds by joint name."""

import numpy as np
import pytest
from three_joints import JOINTS

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.threshold_file import LearnedThresholds, read_thresholds

COEFFICIENTS = np.random.default_rng(0).uniform(0.5, 3.0, (2, 3, 3)).round(2)
BANDWIDTHS = [20.0, 10.0, 5.0]
JOINT = 'turn: {bandwidth: 20.0, collision: C, push: {constant: 1, velocity: 0, acceleration: 0}}'


@pytest.fixture
def file(tmp_path):
    """A file as the command writes it."""
    by_joint = dict(zip(JOINTS, np.moveaxis(COEFFICIENTS, 2, 0), strict=True))
    bandwidths = dict(zip(JOINTS, BANDWIDTHS, strict=True))
    path = tmp_path / 'thresholds.yaml'
    path.write_text(LearnedThresholds(bandwidths, by_joint).text())
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
        ('\x00', 'cannot be read'),
        ('/**: {ros__parameters: {push_threshold: [1.0]}}', '`joints`'),
        ('{constant: 1.0, velocity: 0.0}', 'acceleration of collision of turn is None'),
        ('{constant: yes, velocity: 0, acceleration: 0}', 'constant of collision of turn is True'),
        ('{constant: 0.0, velocity: 0, acceleration: 0}', 'constant of joint 0 is 0.0'),
        ('{constant: 1.0, velocity: -1, acceleration: 0}', 'velocity of joint 0 is -1.0'),
        ('{constant: 1.0, velocity: 0, acceleration: .inf}', 'of turn is inf'),
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
