"""The laws of mechanics, evaluated on floats: on each robot, on random trees, in closed form.

That the back ends compute the same is tested by `compiler/test_backends.py`.
"""

import datetime
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics import laws, model_laws
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.kinetics_laws import KINETICS_LAWS
from mechanics.random_trees import random_robot
from mechanics.robots import HAND_WRITTEN, hand_written, random_state
from numpy import cos, sin
from property_settings import ALL, examples

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


@examples(100)
@given(st.integers(0, 10**6))
def test_laws_hold_on_any_tree(number):
    robot = random_robot(number, plausible=True)
    state = random_state(robot.model, np.random.default_rng(number))
    for law in (*laws.LAWS, laws_between_robots):
        law(robot, FloatDynamics(robot.model), state)


# Each mutant is a process: a share, another each day; all by hand.
EVERY = {'algorithms': 32, 'control': 32}
TODAY = datetime.date.today().toordinal()


@pytest.mark.timeout(1200)
@pytest.mark.parametrize('room', EVERY if ALL else ['algorithms'])
def test_no_wrong_sign_escapes(room):
    """Neither in the algorithms, where the laws judge, nor in control, where its tests do."""
    script = Path(__file__).parents[2] / 'scripts' / 'mutate.py'
    share = ['--every', str(EVERY[room]), '--first', str(TODAY % EVERY[room])]
    result = subprocess.run(
        [sys.executable, str(script), room, *share], capture_output=True, text=True, check=False
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


def test_wheel_turns_about_a_fixed_axis(backend):
    """M is the moment of inertia about the axis, whatever the position."""
    dynamics = getattr(hand_written('wheel'), backend)
    moment = 0.05 + 2.5 * (0.05**2 + 0.02**2)
    for q in (0.0, 1.0, -50.0, 1e4):
        assert_close(dynamics.mass_matrix([q]), [[moment]])
    assert_close(dynamics.bias_torque([2.0], [300.0]), dynamics.gravity_torque([2.0]))
