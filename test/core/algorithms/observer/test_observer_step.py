"""The compiled step is the algorithm, of single states and of batches."""

import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from observer_inputs import observer_inputs

from robot_dynamics_ros.core.algorithms.observer.observer_step import observer_step
from robot_dynamics_ros.core.codegen.kernel import native_obstacle
from robot_dynamics_ros.core.quantities import STEPS


@pytest.mark.parametrize('name', ['oblique', 'mimic'])
@pytest.mark.parametrize('backend', ['native', 'python'])
def test_compiled_is_evaluated(name, backend):
    robot = hand_written(name)
    dynamics = getattr(robot, backend)
    inputs = observer_inputs(robot.model, (3,))
    for row in range(3):
        sample = {key: rows[row] for key, rows in inputs.items()}
        lists = {key: values.tolist() for key, values in sample.items()}
        expected = observer_step(robot.model, gravity=(0.0, 0.0, -9.81), **lists)
        assert_close(dynamics.observer_step(**sample), expected)


@pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())
def test_a_batch_is_its_samples():
    dynamics = hand_written('oblique').native
    inputs = observer_inputs(dynamics.model, (11,))
    found = dynamics.observer_step(**inputs)
    for row in range(11):
        sample = {key: rows[row] for key, rows in inputs.items()}
        assert_close(found[row], dynamics.observer_step(**sample))


def test_the_program_takes_what_the_table_says():
    names = STEPS['observer_step'][1]
    assert set(names) == {*observer_inputs(hand_written('oblique').model), 'gravity'}
