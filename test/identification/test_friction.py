"""Whether friction near reversals is that of the law, and what its intervals hold if not."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import COULOMB, exact_motion, identifiable, law
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.identification import (
    EquationOptions,
    Equations,
    MotionEquations,
    ParameterLayout,
    identify,
)
from robot_dynamics_ros.identification.base_parameters import structure_of
from robot_dynamics_ros.identification.friction import certain_smoothings
from robot_dynamics_ros.identification.identified_model import model_of_parameters
from robot_dynamics_ros.identification.parameters import TERMS


def test_friction_that_grows_with_speed_is_found_and_intervals_hold_that_of_fast_motion():
    """Those of the law are too narrow by far; it is full from 0.2 rad/s on, and 70 % at rest."""
    known = identifiable(hand_written('oblique').model, noise=0.002, count=1500)
    speeds = known.block.velocities
    share = 0.3 * np.maximum(0.0, 1.0 - np.abs(speeds) / 0.2)
    efforts = known.block.efforts - COULOMB * share * np.sign(speeds)
    of_the_law, other = (
        identify(one) for one in (known.block, replace(known.block, efforts=efforts))
    )
    assert of_the_law.other_friction == ()
    # At the joints with the least noise.
    assert {'third', 'fourth'} <= set(other.other_friction)
    columns = known.layout.columns('coulomb')
    errors = np.abs(other.final.parameters[columns] - COULOMB)
    narrow, wide = (1.96 * one.final.draws[:, columns].std(axis=0) for one in (of_the_law, other))
    certain = errors > 4.0 * narrow
    assert np.count_nonzero(certain) >= 2
    assert np.all(errors[certain] < 1.2 * wide[certain])


GANTRY = hand_written('gantry').model
LAYOUT = ParameterLayout(GANTRY)
COUNT = len(LAYOUT.joints)
DYNAMICS = RobotDynamics(GANTRY, backend='python')
OPTIONS = EquationOptions(cutoff=20.0, effort_levels=np.inf)


def searched(planted, *, noise=1e-4, inflation=1.0):
    """The smoothing that is found where the friction of the arm has another one."""
    exact = exact_motion(DYNAMICS, seconds=8.0, rate=100.0, cutoff=25.0)
    states = exact.positions, exact.velocities, exact.accelerations
    efforts = law(DYNAMICS, *states, np.array(planted))
    errors = np.random.default_rng(1).normal(size=efforts.shape)
    efforts = efforts + noise * efforts.std(axis=0) * errors
    made = MotionEquations(LAYOUT, OPTIONS, DYNAMICS)
    equations = Equations.joined(made.of_motions([replace(exact, efforts=efforts)]))
    return certain_smoothings(equations, (), structure_of(LAYOUT, DYNAMICS), inflation)


@pytest.mark.parametrize('shift', range(3))
def test_the_planted_smoothing_of_each_joint_is_found(shift):
    values = SMOOTHING, 0.05, 0.1, 0.2
    planted = tuple(values[(joint + shift) % len(values)] for joint in range(COUNT))
    assert searched(planted) == planted


def test_an_uncertain_smoothing_is_the_usual_one():
    """Noise hides it; or residuals are so correlated that it could be theirs."""
    assert set(searched((0.085,) * COUNT)) <= {0.07, 0.1}
    assert searched((0.05,) * COUNT, noise=1.0) == (SMOOTHING,) * COUNT
    assert searched((0.05,) * COUNT, inflation=1e6) == (SMOOTHING,) * COUNT


@pytest.mark.parametrize('terms', [TERMS[:4], TERMS[:3] + TERMS[4:6]])
def test_the_torque_of_the_model_is_that_of_its_rows(terms):
    """The judgement takes rows and parameters, the node the files of the model."""
    smoothing = tuple(np.linspace(0.02, 0.3, COUNT).tolist())
    layout = ParameterLayout(GANTRY, terms, smoothing=smoothing)
    parameters = layout.nominal()
    for seed, term in enumerate(terms):
        values = np.random.default_rng(seed).uniform(0.1, 1.0, COUNT)
        parameters[layout.columns(term)] = values
    motion = exact_motion(DYNAMICS, seconds=1.0, rate=100.0)
    rows = MotionEquations(layout, OPTIONS, DYNAMICS).of_samples(motion).rows
    torque = model_of_parameters(layout, parameters).inverse_dynamics(
        motion.positions, motion.velocities, motion.accelerations
    )
    np.testing.assert_allclose(rows @ parameters, torque, rtol=1e-9, atol=1e-9)
