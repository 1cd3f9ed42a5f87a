"""The weight of the prior: of what it is chosen, and that the choice predicts better."""

from dataclasses import replace

import numpy as np
import pytest
from identified_equations import exact_motion, truth
from mechanics.robots import hand_written

pytest.importorskip('scipy')

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification import EquationOptions, ParameterLayout, identify
from robot_dynamics_ros.identification.consistent import consistent
from robot_dynamics_ros.identification.motion_equations import MotionEquations
from robot_dynamics_ros.identification.prior import (
    FOLDS,
    folds,
    repeated_period,
)

ROBOT = hand_written('gantry').model
# Share of the largest torque, and how much of an error the next equation has too.
SIZE, REPEATED = 0.05, 0.95
# Equations in a second.
RATE = 10.0


def moving(seed, robot=ROBOT):
    """Exact equations of a motion of a robot, and the parameters of the URDF."""
    layout = ParameterLayout(ROBOT)
    dynamics = RobotDynamics(ROBOT, backend='python')
    made = MotionEquations(layout, EquationOptions(effort_levels=np.inf), dynamics)
    true = RobotDynamics(robot, backend='python')
    motion = exact_motion(true, seconds=40.0, rate=RATE, highest=0.4, seed=seed)
    return made.of_samples(motion), truth(layout)


def with_errors(equations, repeated):
    """The equations with errors of which each has a share of the one before."""
    random = np.random.default_rng(3)
    errors = np.zeros_like(equations.efforts)
    for row in range(len(errors)):
        new = random.normal(size=errors.shape[1])
        errors[row] = repeated * errors[row - 1] + np.sqrt(1.0 - repeated**2) * new
    largest = np.abs(equations.efforts).max(axis=0)
    return replace(equations, efforts=equations.efforts + SIZE * largest * errors)


@pytest.fixture(scope='module')
def lasting():
    """Efforts with errors that last."""
    fitted = with_errors(moving(0)[0], REPEATED)
    return fitted, identify(fitted)


def test_a_good_urdf_counts_more_where_errors_last(lasting):
    """More than one equation; the torques of the bodies in another motion are nearer the truth."""
    fitted, found = lasting
    assert found.final.prior_weight > 1.0
    usual = consistent(fitted.reduced(), found.unconstrained).estimate
    other, parameters = moving(7)
    bodies = slice(0, 10 * len(ROBOT.joints))
    rows = other.rows[:, :, bodies]
    errors = [
        np.linalg.norm(rows @ (one.parameters - parameters)[bodies])
        for one in (found.final, usual)
    ]
    assert errors[0] < 0.9 * errors[1], errors


def test_a_wrong_urdf_counts_little():
    """Where the bodies are others, with noise of the same size: it hinders more than it helps."""
    other = ROBOT.with_inertial_parameters(3.0 * ROBOT.inertial_parameters())
    fitted = with_errors(moving(0, other)[0], 0.0)
    assert identify(fitted).final.prior_weight <= 3.0


TIMES = np.arange(900) / 20.0


@pytest.mark.parametrize('period', [4.0, 10.0])
def test_a_motion_that_repeats_is_found(period):
    phase = 2.0 * np.pi * TIMES[:, None] / period
    velocities = np.sin(phase * [1.0, 2.0]) + 0.5 * np.cos(phase * [3.0, 1.0])
    noise = np.random.default_rng(0).normal(size=velocities.shape)
    assert 0.05 * repeated_period(velocities + 0.05 * noise) == pytest.approx(period, abs=0.1)
    chirp = np.sin(2.0 * np.pi * np.outer(TIMES, [0.31, 0.173]) + TIMES[:, None] ** 2 / 40.0)
    assert repeated_period(chirp) == 0


def test_all_repetitions_of_a_motion_are_in_one_fold(lasting):
    """So that no fold is predicted from its twin."""
    fitted, _ = lasting
    times = np.arange(len(fitted)) / RATE
    velocities = np.sin(2.0 * np.pi * times[:, None] / 10.0 * np.array([1.0, 2.0, 3.0]))
    labels = folds(replace(fitted, times=times, velocities=velocities))
    assert set(labels) == set(range(FOLDS))
    period = round(10.0 * RATE)
    assert np.mean(labels[period:] == labels[:-period]) > 0.98
    # Blocks: neighbours are in one fold.
    assert np.mean(np.diff(labels) == 0) > 0.9
