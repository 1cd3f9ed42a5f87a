"""The laws of mechanics on every robot; `mechanics.laws` and `mechanics.model_laws` have them."""

import pytest
from mechanics import laws, model_laws
from mechanics.examples import MOVING_EXAMPLES, needs_examples
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN

pytestmark = pytest.mark.contract


@pytest.mark.parametrize('law', laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_law_evaluated_on_floats(robot, law):
    for state in robot.states(2):
        law(robot, FloatDynamics(robot.model), state)


@pytest.mark.parametrize('law', model_laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_law_between_robots(robot, law):
    for state in robot.states(1):
        law(robot, state)


@pytest.mark.parametrize('law', laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_law_compiled(robot, backend, law):
    for state in robot.states(3):
        law(robot, getattr(robot, backend), state)


# Larger robots take a second and more to compile; test_backends compares them with the floats.
@needs_examples
@pytest.mark.parametrize('law', laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize(
    'robot', [robot for robot in MOVING_EXAMPLES if robot.model.size <= 8], ids=str
)
def test_law_of_real_arm_in_native_code(robot, law):
    for state in robot.states(3):
        law(robot, robot.native, state)
