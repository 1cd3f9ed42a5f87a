"""The laws of `mechanics.kinetics_laws` on every robot, and compiled on the small ones."""

import pytest
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.kinetics_laws import KINETICS_LAWS
from mechanics.robots import HAND_WRITTEN

pytestmark = pytest.mark.contract

# What a complex step through all coordinates of a humanoid costs is not worth it here.
ROBOTS = HAND_WRITTEN + [robot for robot in MOVING_EXAMPLES if robot.model.size <= 12]


@pytest.mark.parametrize('law', KINETICS_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_law_evaluated_on_floats(robot, law):
    for state in robot.states(2):
        law(robot, FloatDynamics(robot.model), state)


@pytest.mark.parametrize('law', KINETICS_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize('backend', ['native', 'python'])
@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_law_compiled(robot, backend, law):
    for state in robot.states(2):
        law(robot, getattr(robot, backend), state)
