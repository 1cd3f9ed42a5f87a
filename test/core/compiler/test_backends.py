"""Both back ends compute what the same algorithm computes on floats: every quantity."""

import numpy as np
import pytest
from mechanics.batches import MAIN_QUANTITIES, axes_of, call, cases, inputs_of
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.odd_robots import chain
from mechanics.random_trees import random_robot
from mechanics.robots import HAND_WRITTEN, SINGULAR

from robot_dynamics_ros.core.quantity import QUANTITIES

# Of all quantities; forward dynamics has no answer where M is singular.
TREES = [random_robot(number, plausible=True) for number in range(4)]
REGULAR = [robot for robot in HAND_WRITTEN + TREES if robot.name not in SINGULAR]
OTHERS = set(QUANTITIES) - set(MAIN_QUANTITIES)
# Neither tracing nor the compilers recurse; more steps than most are compiled quickly.
LONG = [(chain(200), 'inverse_dynamics'), (chain(70), 'mass_matrix')]


@pytest.mark.parametrize(
    ('robot', 'quantity'),
    [*cases(HAND_WRITTEN + MOVING_EXAMPLES, MAIN_QUANTITIES), *cases(REGULAR, OTHERS), *LONG],
)
def test_a_back_end_computes_what_the_algorithm_does(robot, quantity, backend):
    dynamics, reference = getattr(robot, backend), FloatDynamics(robot.model)
    for inputs in zip(*inputs_of(robot.model, quantity, 3), strict=True):
        for axes in axes_of(quantity):
            expected = call(reference, quantity, *inputs, axes=axes)
            # Entries are sums of terms that may cancel: C of one joint is zero.
            scale = 10.0 * np.abs(expected).max() + 1.0
            assert_close(call(dynamics, quantity, *inputs, axes=axes), expected, scale)
