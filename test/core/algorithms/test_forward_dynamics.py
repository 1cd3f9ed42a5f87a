"""Forward dynamics where there is none, and under another gravity."""

import numpy as np
from mechanics.closeness import assert_close
from mechanics.examples import example

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.compiler.python import compile_python


def test_gravity_can_change_after_compilation():
    dynamics = RobotDynamics(example('ur_description/urdf/ur5_robot.urdf').model)
    q, zero = np.linspace(0.1, 1.0, 6), np.zeros(6)
    falling = dynamics.forward_dynamics(q, zero, zero)
    dynamics.gravity = (0.0, 0.0, 0.0)
    assert_close(dynamics.forward_dynamics(q, zero, zero), zero)
    assert np.abs(falling).max() > 1.0


def test_plain_python_divides_by_zero_as_the_processor_does():
    divide = compile_python(trace('ratio', lambda x: [x[0] / x[1]], {'x': 2}))
    assert divide([1.0, 0.0]) == [np.inf]
    assert divide([1.0, -0.0]) == [-np.inf]
    assert np.isnan(divide([0.0, 0.0])).all()
    assert divide([1.0, 4.0]) == [0.25]
