"""Both back ends compute what the same algorithm computes on floats, on every robot."""

import numpy as np
import pytest
from mechanics.batches import ARGUMENTS, MAIN_QUANTITIES
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN

# To compile C of all robots takes minutes, and its program has no operation of its own.
MOST_JOINTS = {'inverse_dynamics': 1000, 'mass_matrix': 1000}
MOST_JOINTS_OTHERWISE = 12


def compare(robot, back_end, quantity):
    if robot.model.size > MOST_JOINTS.get(quantity, MOST_JOINTS_OTHERWISE):
        return
    dynamics = getattr(robot, back_end)
    reference = FloatDynamics(robot.model)
    for state in robot.states(3):
        inputs = [getattr(state, name) for name in ARGUMENTS[quantity]]
        expected = getattr(reference, quantity)(*inputs)
        if quantity == 'coriolis_matrix':
            # C is the difference of larger terms: it is zero for one joint.
            scale = np.abs(reference.mass_matrix(state.q)).max() * np.abs(state.v).max()
        else:
            scale = 0.0
        assert_close(getattr(dynamics, quantity)(*inputs), expected, scale)


@pytest.mark.parametrize('quantity', MAIN_QUANTITIES)
@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_native_code_computes_what_the_algorithm_does(robot, quantity):
    compare(robot, 'native', quantity)


@pytest.mark.parametrize('quantity', MAIN_QUANTITIES)
@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_plain_python_computes_what_the_algorithm_does(robot, quantity):
    compare(robot, 'python', quantity)
