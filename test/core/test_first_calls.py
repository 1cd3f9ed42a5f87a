"""Two tiers behind one call."""

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError, programs


def test_the_first_calls_are_evaluated_and_equal_the_compiled_ones(monkeypatch):
    """But for rounding; what is asked for often, in batches or with `out`, is compiled."""
    kernels = []
    original = programs.Kernel
    monkeypatch.setattr(
        programs, 'Kernel', lambda *x: [kernels.append(x[0].name), original(*x)][1]
    )
    model = hand_written('oblique').model
    dynamics, compiled = RobotDynamics(model), RobotDynamics(model, backend='python')
    q = np.linspace(-1.0, 1.0, model.size)
    expected = compiled.mass_matrix(q)
    kernels.clear()
    for call in range(programs.FIRST_CALLS + 1):
        assert kernels == [], call
        np.testing.assert_allclose(dynamics.mass_matrix(q), expected, rtol=1e-12, atol=1e-15)
    dynamics.mass_matrix(q)
    assert kernels == ['mass_matrix']
    dynamics.gravity_torque(q[None])
    dynamics.coriolis_matrix(q, q, np.empty((model.size, model.size)))
    assert kernels == ['mass_matrix', 'gravity_torque', 'coriolis_matrix']
    with pytest.raises(StateError, match='nan'):
        dynamics.bias_torque(q * np.nan, q)
