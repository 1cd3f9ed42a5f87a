"""Which terms of friction are found: those that an arm has, and no others."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import exact_motion, law
from mechanics.robots import hand_written

from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.identification import (
    Equations,
    MotionEquations,
    ParameterLayout,
    identify,
)
from robot_dynamics_ros.identification.friction import chosen_friction
from robot_dynamics_ros.identification.identified_model import model_of_parameters
from robot_dynamics_ros.identification.parameters import TERMS

GANTRY = hand_written('gantry').model
LAYOUT = ParameterLayout(GANTRY)
NAMES = GANTRY.joint_names
DYNAMICS = RobotDynamics(GANTRY, backend='python')
OPTIONS = {'cutoff': 20.0, 'effort_levels': np.inf}
# Of each joint, beside what `law` has.
PLANTED = {
    NAMES[0]: {'presliding': 4.0, 'displacement': 0.005},
    NAMES[1]: {'load': 0.2},
    NAMES[2]: {'stribeck': 3.0},
}


def chosen(planted, noise=1e-3):
    """The choice for an arm with this friction."""
    exact = exact_motion(DYNAMICS, seconds=24.0, rate=100.0, cutoff=25.0)
    states = exact.positions, exact.velocities, exact.accelerations
    given = {kind: dict.fromkeys(NAMES, 0.0) for kind in ('viscous', 'coulomb')}
    for joint, kinds in planted.items():
        for kind, value in kinds.items():
            given.setdefault(kind, {})[joint] = value
    friction = JointFriction(GANTRY, **given)
    slips, load = friction.slips().along(states[0]), DYNAMICS.inverse_dynamics(*states)
    efforts = law(DYNAMICS, *states) + friction.torque(states[1], load=load, slips=slips)
    errors = np.random.default_rng(1).normal(size=efforts.shape)
    efforts = efforts + noise * efforts.std(axis=0) * errors
    made = MotionEquations(LAYOUT, DYNAMICS, **OPTIONS)
    equations = Equations.joined(made.of_motions([replace(exact, efforts=efforts)]))
    found = identify(equations)
    loaded = equations.with_load(found.final.parameters[: LAYOUT.felt.shape[1]])
    return chosen_friction(loaded, found.left_out, found.base.structure, found.final)


def test_the_terms_that_an_arm_has_are_found_with_their_gains():
    choice = chosen(PLANTED)
    for joint, kinds in PLANTED.items():
        value, low, high = choice.gains[joint][next(kind for kind in kinds if kind in TERMS)]
        assert low <= value <= high < 1.0
    assert choice.constants['displacement'][0] == pytest.approx(0.005)


def test_an_arm_without_them_gets_none():
    choice = chosen({})
    assert choice.gains == {}
    assert choice.terms == LAYOUT.terms
    assert choice.constants == {}


@pytest.mark.parametrize('smoothing', [0.05, 0.2])
def test_the_planted_smoothing_is_found(smoothing):
    choice = chosen({NAMES[0]: {'coulomb': 30.0, 'smoothing': smoothing}})
    assert choice.constants['smoothing'][0] == smoothing


@pytest.mark.parametrize(
    ('terms', 'later'), [(TERMS[:3] + TERMS[4:9], False), (TERMS[:4] + TERMS[6:9], True)]
)
def test_the_torque_of_the_model_is_that_of_its_rows(terms, later):
    """The judgement takes rows and parameters, the node the files of the model.

    Terms and smoothing may be chosen when the equations are there already.
    """
    constants = {'smoothing': (0.02, 0.1, 0.3)}
    layout = ParameterLayout(GANTRY, terms, constants=constants)
    parameters = layout.nominal()
    for seed, term in enumerate(terms):
        values = np.random.default_rng(seed).uniform(0.1, 1.0, len(NAMES))
        parameters[layout.columns(term)] = values
    motion = exact_motion(DYNAMICS, seconds=1.0, rate=100.0)
    equations = MotionEquations(LAYOUT if later else layout, DYNAMICS, **OPTIONS).of_samples(
        motion
    )
    if later:
        equations = equations.with_friction(terms, constants)
    rows = equations.with_load(parameters[: layout.felt.shape[1]]).rows
    torque = model_of_parameters(layout, parameters).inverse_dynamics(
        motion.positions, motion.velocities, motion.accelerations
    )
    np.testing.assert_allclose(rows @ parameters, torque, rtol=1e-9, atol=1e-9)
