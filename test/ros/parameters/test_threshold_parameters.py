"""Parameters about contacts: what fits together, and files of `robot_dynamics thresholds`."""

from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from three_joints import JOINTS, URDF

from robot_dynamics_ros.cli.contacts import watch_parameters
from robot_dynamics_ros.cli.contacts.threshold_file import threshold_file
from robot_dynamics_ros.control.external_forces.detection import ContactThresholds
from robot_dynamics_ros.core import ParameterError, UnknownNameError, parse_urdf
from robot_dynamics_ros.ros.parameters import node_parameters
from robot_dynamics_ros.ros.parameters.bounds import Bounds
from robot_dynamics_ros.ros.parameters.node_table import TABLE

MODEL = parse_urdf(URDF)
DEFAULTS = {name: row.checked(row.default) for name, row in TABLE.rows.items()}


def settings(joints=JOINTS, **values):
    checked = {name: node_parameters.checked(name, value) for name, value in values.items()}
    return node_parameters.external_settings(DEFAULTS | checked, MODEL, joints)


def test_a_threshold_file_of_the_command_is_read_by_the_node():
    coefficients = np.random.default_rng(0).uniform(0.5, 3.0, (2, 3, 3)).round(2)
    survey = SimpleNamespace(
        robot='three',
        thresholds=ContactThresholds.of_coefficients(coefficients, 0.1, 60.0),
        joints=JOINTS,
        recordings=[SimpleNamespace(bandwidth=np.array([20.0, 10.0, 5.0]))],
        cutoff=4.0,
        largest_motion=np.ones((2, 3)),
        margin=1.0,
    )
    (block,) = yaml.safe_load(threshold_file(survey, 'thresholds.yaml')).values()
    values = block['ros__parameters']
    assert node_parameters.checked('joints', values.pop('joints')) == list(JOINTS)
    read = settings(**values)
    assert read.external_observer
    assert (read.external_bandwidth, read.contact_cutoff) == ((20.0, 10.0, 5.0), 4.0)
    for kind, band in zip(('collision', 'push'), coefficients, strict=True):
        for part, expected in zip(('', '_velocity', '_acceleration'), band, strict=True):
            np.testing.assert_array_equal(getattr(read, f'{kind}_threshold{part}'), expected)


def test_one_value_stands_for_all_joints():
    assert settings(push_threshold=[2.0]).push_threshold == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({'push_threshold': [1.0, 2.0]}, 'push_threshold has 2 values'),
        ({'push_threshold': [0.0]}, 'push_threshold.0. is 0.0'),
        ({'push_threshold_velocity': [1.0]}, 'push_threshold is empty: set'),
        ({'collision_threshold_acceleration': [1.0]}, 'collision_threshold is empty'),
        ({'external_bandwidth': [0.0]}, 'external_bandwidth.0. is 0.0'),
        ({'external_bandwidth': []}, 'external_bandwidth is empty'),
        ({'contact_cutoff': 1e-9}, 'contact_cutoff is 1e-09'),
        ({'threshold_margin': 1e308}, 'threshold_margin is 1e.308'),
        ({'on_collision': 'brake'}, "on_collision is 'brake'"),
    ],
)
def test_what_does_not_fit_is_refused(values, words):
    with pytest.raises(ParameterError, match=words):
        settings(**values)


def test_the_options_of_the_command_have_the_bounds_of_the_parameters():
    assert TABLE.rows['contact_cutoff'].bounds == Bounds(watch_parameters.LEAST_CUTOFF)
    assert TABLE.rows['threshold_margin'].bounds == Bounds(1.0, watch_parameters.LARGEST_MARGIN)


def test_an_unknown_link_is_refused():
    with pytest.raises(UnknownNameError, match='nose'):
        settings(external_frame='nose')


def test_a_link_that_no_commanded_joint_moves_is_refused():
    """Its wrench would be zero for ever."""
    with pytest.raises(ParameterError, match=r"external_frame.*'base'.*base"):
        settings(external_frame='base')
    assert settings(('wrist',), external_frame='hand').external_frame == 'hand'
    words = 'commanded joints wrist moves: .*: hand'
    with pytest.raises(ParameterError, match=words):
        settings(('wrist',), external_frame='slider')
