"""The rows agree with the code that uses the parameters."""

from dataclasses import fields
from typing import get_args

import pytest

from robot_dynamics_ros.control.feedforward import EVALUATION_POINTS, TERMS
from robot_dynamics_ros.control.settings import OnStale, OnStop, Settings
from robot_dynamics_ros.core.codegen.kernel import Backend
from robot_dynamics_ros.ros.parameters.node_table import TABLE
from robot_dynamics_ros.ros.parameters.parameter import Parameter
from robot_dynamics_ros.ros.parameters.table import Group, ParameterTable


@pytest.mark.parametrize(
    ('name', 'choices'),
    [
        ('terms', TERMS),
        ('evaluate_at', EVALUATION_POINTS),
        ('on_stale', get_args(OnStale)),
        ('on_stop', get_args(OnStop)),
        ('backend', ('auto', *get_args(Backend))),
    ],
)
def test_the_choices_are_those_that_the_code_knows(name, choices):
    assert set(TABLE.rows[name].choices) == set(choices)


@pytest.mark.parametrize('setting', fields(Settings), ids=lambda setting: setting.name)
def test_each_setting_of_the_guards_is_a_parameter_with_its_default(setting):
    default = TABLE.rows[setting.name].default
    assert (tuple(default) if isinstance(default, list) else default) == setting.default


def test_a_name_that_occurs_twice_is_refused():
    groups = [Group('', (Parameter('size', 'int', default, 'Size.'),)) for default in (1, 2)]
    with pytest.raises(ValueError, match="'size'"):
        ParameterTable(tuple(groups), read='on configure')
