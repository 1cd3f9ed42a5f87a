"""Limits and rates of the commanded joints, from parameters or from the description."""

import numpy as np
import pytest
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.guards.settings import (
    GuardSettings,
    per_joint,
    torque_limits,
    torque_rates,
)
from robot_dynamics_ros.core import ParameterError, parse_urdf

MODEL = parse_urdf(URDF)
# In another order than the model's, and not all of them.
SOME = ('wrist', 'slide')


def limits_and_rates(joints=JOINTS, model=MODEL, **settings):
    chosen = GuardSettings(**settings)
    limits = torque_limits(model, joints, chosen)
    return limits.tolist(), torque_rates(limits, joints, chosen).tolist()


def test_those_of_the_description_and_ten_times_as_much_in_a_second():
    assert limits_and_rates() == ([np.inf, 200.0, 20.0], [1000.0, 2000.0, 200.0])


def test_in_the_order_of_the_commanded_joints():
    assert limits_and_rates(SOME) == ([20.0, 200.0], [200.0, 2000.0])
    given = limits_and_rates(SOME, effort_limits=(1.0, 2.0), effort_rate_limits=(3.0, 4.0))
    assert given == ([1.0, 2.0], [3.0, 4.0])


def test_a_share_of_the_limits():
    limits, _ = limits_and_rates(effort_scale=0.25)
    assert limits == [np.inf, 50.0, 5.0]
    limits, _ = limits_and_rates(effort_scale=0.25, effort_limits=(8.0,))
    assert limits == [2.0, 2.0, 2.0]


def test_one_value_is_that_of_all():
    given = limits_and_rates(effort_limits=(5.0,), effort_rate_limits=(7.0,))
    assert given == ([5.0] * 3, [7.0] * 3)


@pytest.mark.parametrize('described', ['0', '-20'])
def test_a_described_limit_of_nothing_is_none(described):
    """One below zero would be a command of its own: within +20 and -20 there is then none."""
    model = parse_urdf(URDF.replace('effort="20"', f'effort="{described}"'))
    assert limits_and_rates(model=model) == ([np.inf, 200.0, np.inf], [1000.0, 2000.0, 1000.0])


def test_a_limit_of_zero_is_applied():
    """Ten times zero would be no way down."""
    limits, rates = limits_and_rates(effort_limits=(0.0, 3.0, 4.0))
    assert limits == [0.0, 3.0, 4.0]
    assert rates == [1000.0, 30.0, 40.0]


@pytest.mark.parametrize('name', ['effort_limits', 'effort_rate_limits'])
@pytest.mark.parametrize('values', [(1.0, 2.0), (1.0,) * 4])
def test_another_number_of_values_is_refused_by_name(name, values):
    with pytest.raises(ParameterError, match=f'{name}.* {len(values)} .*turn, slide, wrist'):
        limits_and_rates(**{name: values})


def test_values_of_each_joint():
    assert per_joint('x', (), JOINTS) is None
    assert per_joint('x', (), ()) is None
    assert per_joint('x', (2,), JOINTS).tolist() == [2.0] * 3
    values = per_joint('x', [1, 2, 3], JOINTS)
    assert values.tolist() == [1.0, 2.0, 3.0]
    assert values.dtype == np.float64
