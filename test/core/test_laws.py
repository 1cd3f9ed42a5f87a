"""The laws of mechanics, evaluated on floats: on each robot, on random trees, in closed form.

That the back ends compute the same is tested by `test_batches.py`.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics import laws, model_laws
from mechanics.batches import call, inputs_of
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.kinetics_laws import KINETICS_LAWS
from mechanics.random_trees import random_robot
from mechanics.robots import HAND_WRITTEN, hand_written, random_state
from numpy import cos, sin
from property_settings import ALL, examples

from robot_dynamics_ros.core import parse_urdf

pytestmark = pytest.mark.contract

ROBOTS = HAND_WRITTEN + MOVING_EXAMPLES
# What a complex step through all coordinates of a humanoid costs is not worth it here.
SMALL = [robot for robot in ROBOTS if robot.model.size <= 12]


def laws_between_robots(robot, dynamics, state):
    for law in model_laws.LAWS:
        law(robot, state)


CASES = [(law, robot) for some, robots in ((laws.LAWS, ROBOTS), (KINETICS_LAWS, SMALL),
                                           ([laws_between_robots], ROBOTS))
         for law in some for robot in robots]  # fmt: skip


@pytest.mark.parametrize(
    ('law', 'robot'), CASES, ids=lambda case: getattr(case, '__name__', str(case))
)
def test_law(law, robot):
    for state in robot.states(2):
        law(robot, FloatDynamics(robot.model), state)


@examples(100 if ALL else 40)
@given(st.integers(0, 10**6))
def test_laws_hold_on_any_tree(number):
    robot = random_robot(number, plausible=True)
    state = random_state(robot.model, np.random.default_rng(number))
    for law in (*laws.LAWS, laws_between_robots):
        law(robot, FloatDynamics(robot.model), state)


AWAY = 1e4 * np.array([0.6, -0.64, 0.48])
# What does not depend on the place of the base.
UNMOVED = ('inverse_dynamics', 'torque_terms', 'regressor', 'inverse_dynamics_derivatives',
           'forward_dynamics', 'forward_dynamics_derivatives', 'coriolis_matrix', 'kinetic_energy',
           'momentum_terms', 'mass_matrix', 'mass_matrix_inverse',
           'center_of_mass_jacobian')  # fmt: skip


@pytest.mark.parametrize('robot', [hand_written('oblique'), hand_written('tree')], ids=str)
def test_a_base_10_km_away_costs_no_digit(robot):
    pedestal = (
        '<link name="far"/><joint name="away" type="fixed"><parent link="far"/><child link="{}"/>'
        '<origin xyz="{} {} {}"/></joint></robot>'
    ).format(robot.model.frames[0].name, *AWAY)
    near = FloatDynamics(robot.model)
    far = FloatDynamics(parse_urdf(robot.text.replace('</robot>', pedestal)))
    for quantity in UNMOVED:
        for inputs in zip(*inputs_of(robot.model, quantity, 2), strict=True):
            expected = call(near, quantity, *inputs)
            assert_close(call(far, quantity, *inputs), expected, np.abs(expected).max() + 1.0)
    frame, ((q, v, _, _),) = robot.model.frames[-1].name, robot.states(1)
    for axes in ('LOCAL', 'LOCAL_WORLD_ALIGNED'):
        assert_close(far.jacobian(q, frame, axes), near.jacobian(q, frame, axes), 10.0)
    assert_close(far.frame_pose(q, frame)[1], near.frame_pose(q, frame)[1] + AWAY)
    assert_close(far.center_of_mass(q), near.center_of_mass(q) + AWAY)
    linear, angular = np.split(near.momentum(q, v), 2)
    moved = [*linear, *angular + np.cross(AWAY, linear)]
    assert_close(far.momentum(q, v), moved, 1e4 * np.abs(linear).max() + 1.0)


@pytest.mark.timeout(1200)
def test_no_wrong_sign_escapes():
    """A share of the algorithms' mutants, the same each time; scripts/mutate.py runs them all."""
    script = Path(__file__).parents[2] / 'scripts' / 'mutate.py'
    share = ['algorithms', '--every', '32' if ALL else '128']
    result = subprocess.run(
        [sys.executable, str(script), *share], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


# Robots whose equations of motion stand in textbooks.

G = 9.81


def test_pendulum(backend):
    """(I + m l^2) a + m g l sin q = tau, about a horizontal axis through its suspension."""
    dynamics = getattr(hand_written('pendulum'), backend)
    m, length, inertia = 1.7, 0.4, 0.2
    for q, v, a in np.random.default_rng(0).uniform(-np.pi, np.pi, (20, 3)):
        swing, fall = (inertia + m * length**2) * a, m * G * length * sin(q)
        assert_close(dynamics.inverse_dynamics([q], [v], [a]), [swing + fall], m * G * length)
        assert_close(dynamics.gravity_torque([q]), [fall], m * G * length)
        assert_close(dynamics.mass_matrix([q]), [[inertia + m * length**2]])
        assert_close(dynamics.coriolis_matrix([q], [v]), [[0.0]], scale=inertia)


def test_gantry(backend):
    """Sliding joints alone: each accelerates all that it carries, and nothing turns."""
    dynamics = getattr(hand_written('gantry'), backend)
    bridge, trolley, hook = 12.0, 5.0, 3.0
    x, y = np.eye(3)[:2]
    slope = np.array([0.2, 0.1, -1.0]) / np.sqrt(1.05)
    slope = np.array([[cos(0.3), 0, sin(0.3)], [0, 1, 0], [-sin(0.3), 0, cos(0.3)]]) @ slope
    axes, carried = np.array([x, y, slope]), [bridge + trolley + hook, trolley + hook, hook]
    M = np.array([[carried[max(i, j)] * axes[i] @ axes[j] for j in range(3)] for i in range(3)])
    for q, v, a in np.random.default_rng(1).uniform(-1.0, 1.0, (5, 3, 3)):
        assert_close(dynamics.mass_matrix(q), M)
        assert_close(dynamics.coriolis_matrix(q, v), np.zeros((3, 3)))
        weight = np.array([0.0, 0.0, G * hook * slope[2]])
        assert_close(dynamics.inverse_dynamics(q, v, a), M @ a + weight)
