"""Limits and rates of the commanded joints, from parameters or from the description."""

import numpy as np
import pytest
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.settings import (
    Settings,
    per_joint,
    torque_limits,
    torque_rates,
)
from robot_dynamics_ros.core import ParameterError, parse_urdf

MODEL = parse_urdf(URDF)
# In another order than the model's, and not all of them.
SOME = ('wrist', 'slide')


def limits_and_rates(joints=JOINTS, model=MODEL, **settings):
    chosen = Settings(**settings)
    limits = torque_limits(model, joints, chosen)
    return limits.tolist(), torque_rates(limits).tolist()


def test_those_of_the_description_and_ten_times_as_much_in_a_second():
    assert limits_and_rates() == ([np.inf, 200.0, 20.0], [1000.0, 2000.0, 200.0])


def test_in_the_order_of_the_commanded_joints():
    assert limits_and_rates(SOME) == ([20.0, 200.0], [200.0, 2000.0])
    assert limits_and_rates(SOME, effort_limits=(1.0, 2.0)) == ([1.0, 2.0], [10.0, 20.0])


def test_one_value_is_that_of_all():
    assert limits_and_rates(effort_limits=(5.0,)) == ([5.0] * 3, [50.0] * 3)


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


@pytest.mark.parametrize('values', [(1.0, 2.0), (1.0,) * 4])
def test_another_number_of_values_is_refused_by_name(values):
    with pytest.raises(
        ParameterError, match=f'effort_limits.* {len(values)} .*turn, slide, wrist'
    ):
        limits_and_rates(effort_limits=values)


def test_values_of_each_joint():
    assert per_joint('x', (), JOINTS) is None
    assert per_joint('x', (), ()) is None
    assert per_joint('x', (2,), JOINTS).tolist() == [2.0] * 3
    values = per_joint('x', [1, 2, 3], JOINTS)
    assert values.tolist() == [1.0, 2.0, 3.0]
    assert values.dtype == np.float64
