"""The laws of mechanics, evaluated on floats: on each robot, and on random trees.

That the back ends compute the same is tested by `compiler/test_backends.py`.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics import laws, model_laws
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.kinetics_laws import KINETICS_LAWS
from mechanics.random_trees import random_robot
from mechanics.robots import HAND_WRITTEN, random_state
from property_settings import examples

pytestmark = pytest.mark.contract

ROBOTS = HAND_WRITTEN + MOVING_EXAMPLES
# What a complex step through all coordinates of a humanoid costs is not worth it here.
SMALL = [robot for robot in ROBOTS if robot.model.size <= 12]
CASES = [(law, robot) for laws_, robots in ((laws.LAWS, ROBOTS), (KINETICS_LAWS, SMALL))
         for law in laws_ for robot in robots]  # fmt: skip
BETWEEN = [(law, robot) for law in model_laws.LAWS for robot in ROBOTS]


def named(case):
    return getattr(case, '__name__', str(case))


@pytest.mark.parametrize(('law', 'robot'), CASES, ids=named)
def test_law(law, robot):
    for state in robot.states(2):
        law(robot, FloatDynamics(robot.model), state)


@pytest.mark.parametrize(('law', 'robot'), BETWEEN, ids=named)
def test_law_between_robots(law, robot):
    for state in robot.states(1):
        law(robot, state)


@examples(100)
@given(st.integers(0, 10**6))
def test_laws_hold_on_any_tree(number):
    robot = random_robot(number, plausible=True)
    state = random_state(robot.model, np.random.default_rng(number))
    for law in laws.LAWS:
        law(robot, FloatDynamics(robot.model), state)
    for law in model_laws.LAWS:
        law(robot, state)
