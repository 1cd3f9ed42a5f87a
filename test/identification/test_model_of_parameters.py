"""The model that is written has the torques that are judged, whatever terms are estimated."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from exact_motion import drawn
from mechanics.robots import hand_written

from robot_dynamics_ros.cli.identify.effort_options import equations_of
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification.model_of_parameters import (
    model_of_parameters,
    written_parameters,
)
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import EquationOptions, MotionEquations

# With a slide, and a joint that mimics another.
MODEL = hand_written('mimic').model
DYNAMICS = RobotDynamics(MODEL, backend='python')


def terms(asymmetric, springs, effort):
    """Those of the options of `robot_dynamics identify`."""
    gains = ['joint=2.0'] if effort == 'current' else []
    return equations_of(
        effort=effort, gains=gains, loads=[], asymmetric=asymmetric, springs=springs, form='torque'
    ).terms


OPTIONS = product([False, True], [False, True], ['torque', 'current'])


@pytest.mark.parametrize('terms', [terms(*given) for given in OPTIONS])
def test_the_torque_of_the_model_is_that_of_its_rows(terms):
    """The judgement takes rows and parameters, the node the files of the model."""
    layout = ParameterLayout(MODEL, terms)
    random = np.random.default_rng(1)
    parameters = layout.nominal()
    for term in terms:
        parameters[layout.columns(term)] = random.uniform(0.1, 1.0, MODEL.size)
    parameters[: 10 * len(MODEL.joints)] *= 1.1
    states = drawn(DYNAMICS, 20)
    # Without an effort the column of a gain is zero: what is left is the torque.
    made = MotionEquations(layout, EquationOptions(), DYNAMICS)
    rows = made.of_samples(replace(states, efforts=np.zeros_like(states.efforts))).rows
    model = model_of_parameters(layout, parameters)
    torque = model.inverse_dynamics(states.positions, states.velocities, states.accelerations)
    np.testing.assert_allclose(
        rows @ written_parameters(layout, parameters), torque, rtol=1e-9, atol=1e-9
    )
    assert ('stiffness' in terms) == (not np.allclose(rows @ parameters, torque))
