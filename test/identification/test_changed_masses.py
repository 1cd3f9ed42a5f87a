"""Masses that are far from the description, as of a robot of another size."""

from dataclasses import replace

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.identification import ParameterLayout
from robot_dynamics_ros.identification.changed_masses import mass_findings
from robot_dynamics_ros.identification.estimation import Estimate

LAYOUT = ParameterLayout(hand_written('oblique').model)
NOTHING = np.zeros(0)


def findings(factors):
    """Those of an estimate whose masses are these multiples of the described ones."""
    parameters = LAYOUT.nominal()
    parameters[: 10 * len(factors) : 10] *= factors
    return list(mass_findings(Estimate(LAYOUT, parameters, (), NOTHING, NOTHING, 'consistent')))


@pytest.mark.parametrize(
    ('factor', 'code'),
    [
        (0.4, 'other_masses'),
        (2.5, 'other_masses'),
        (0.04, 'impossible_masses'),
        (25.0, 'impossible_masses'),
        (0.0, 'impossible_masses'),
    ],
)
def test_another_mass_is_found(factor, code):
    (finding,) = findings([1.0, factor, 1.5, 0.7])
    assert finding.code == code
    assert finding.joints == LAYOUT.joints[1:2]
    assert finding.value == pytest.approx(factor)


def test_masses_that_a_description_may_miss_are_none():
    assert not findings([1.0, 1.9, 0.6, 0.8])


def test_a_tool_may_be_many_times_as_heavy_as_its_flange():
    model = LAYOUT.model
    bodies = model.inertial_parameters()
    bodies[-10:] *= 1e-2
    layout = ParameterLayout(model.with_inertial_parameters(bodies))
    parameters = layout.nominal()
    parameters[10 * (len(model.joints) - 1)] *= 9.0
    estimate = Estimate(layout, parameters, (), NOTHING, NOTHING, 'consistent')
    assert not list(mass_findings(estimate))
    heavier = replace(estimate, layout=LAYOUT, parameters=parameters)
    assert list(mass_findings(heavier))
