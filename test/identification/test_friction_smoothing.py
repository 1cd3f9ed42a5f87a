"""The smoothing of friction: planted ones come out joint by joint, uncertain ones do not."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import exact_motion, law
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, RobotDynamics
from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.identification import EquationOptions, ParameterLayout
from robot_dynamics_ros.identification.friction_smoothing import (
    TRIED,
    certain_smoothings,
    smoothing_words,
)
from robot_dynamics_ros.identification.model_of_parameters import model_of_parameters
from robot_dynamics_ros.identification.observability import structure_of
from robot_dynamics_ros.identification.regression import MotionEquations, reduce

ROBOT = hand_written('gantry').model
LAYOUT = ParameterLayout(ROBOT)
COUNT = len(LAYOUT.joints)
LEVELS = dict.fromkeys(LAYOUT.joints, 1e9)


def made(layout, dynamics):
    return MotionEquations(layout, EquationOptions(cutoff=20.0, effort_levels=LEVELS), dynamics)


@pytest.fixture(scope='module')
def search():
    """The smoothing that is found where the friction of the arm has another one."""
    dynamics = RobotDynamics(ROBOT, backend='python')
    structure = structure_of(LAYOUT, dynamics)
    exact = exact_motion(dynamics, seconds=8.0, rate=100.0, cutoff=25.0)

    def found(planted, *, noise=1e-4, inflation=1.0):
        states = exact.positions, exact.velocities, exact.accelerations
        efforts = law(dynamics, *states, np.array(planted))
        errors = noise * efforts.std(axis=0)
        efforts = efforts + errors * np.random.default_rng(1).normal(size=efforts.shape)
        motion = replace(exact, efforts=efforts)

        def reduced_with(smoothing):
            layout = replace(LAYOUT, smoothing=(smoothing,) * COUNT)
            return reduce(made(layout, dynamics).of_motions([motion]))

        return certain_smoothings(reduced_with, structure, inflation)

    return found


@pytest.mark.parametrize('shift', range(3))
def test_the_planted_smoothing_of_each_joint_is_found(search, shift):
    values = TRIED[0], TRIED[3], TRIED[5], TRIED[7]
    planted = tuple(values[(joint + shift) % len(values)] for joint in range(COUNT))
    assert search(planted) == planted


def test_between_two_values_a_neighbour_is_found(search):
    assert set(search((0.085,) * COUNT)) <= {0.07, 0.1}


def test_an_uncertain_smoothing_is_the_usual_one(search):
    """Noise hides it; or residuals are so correlated that it could be theirs."""
    assert search((0.05,) * COUNT, noise=1.0) == (SMOOTHING,) * COUNT
    assert search((0.05,) * COUNT, inflation=1e6) == (SMOOTHING,) * COUNT


def test_equations_and_model_have_the_same_law():
    """The rows of a state times the parameters are the torque of the identified model."""
    dynamics = RobotDynamics(ROBOT, backend='python')
    layout = replace(LAYOUT, smoothing=tuple(np.linspace(0.02, 0.3, COUNT).tolist()))
    random = np.random.default_rng(2)
    parameters = layout.nominal()
    friction = np.concatenate([layout.columns(term) for term in ('viscous', 'coulomb')])
    parameters[friction] = random.uniform(0.5, 3.0, friction.size)
    motion = exact_motion(dynamics, seconds=1.0, rate=100.0)
    states = motion.positions, motion.velocities, motion.accelerations
    options = EquationOptions(effort_levels=LEVELS)
    block = MotionEquations(layout, options, dynamics).of_samples(motion)
    model = model_of_parameters(layout, parameters)
    np.testing.assert_allclose(
        block.rows @ parameters, model.inverse_dynamics(*states), rtol=1e-12, atol=1e-10
    )


def test_the_verdict_names_the_joints_of_another_smoothing():
    first, *others = LAYOUT.joints
    words = smoothing_words(replace(LAYOUT, smoothing=(0.2, *(SMOOTHING,) * len(others))))
    assert f'v_0 {first} 0.2 ' in words
    assert not any(f', {name} ' in words for name in others)
    assert not smoothing_words(LAYOUT)


@pytest.mark.parametrize('smoothing', [(0.1,), (0.0,) * COUNT, (np.nan,) * COUNT])
def test_a_smoothing_that_means_nothing_is_refused(smoothing):
    with pytest.raises(ParameterError, match='smoothing'):
        replace(LAYOUT, smoothing=smoothing)
