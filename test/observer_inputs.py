"""Random inputs of one step of the observer."""

import numpy as np

from robot_dynamics_ros.core.quantity import STEPS

POSITIVE = ('friction', 'rates', 'interval')


def observer_inputs(model, shape=(), seed=5):
    """Random values of each input but gravity, by name; intervals and smoothing are positive.

    Args:
        model: of the robot.
        shape: before the entries of each input.
        seed: of the values.
    """
    random = np.random.default_rng(seed)
    return {
        name: random.uniform(0.01, 3.0, (*shape, len(entries)))
        * (1.0 if name in POSITIVE else random.choice([-1.0, 1.0]))
        for name, entries in STEPS['observer_step'].labels(model).items()
        if name != 'gravity'
    }


def slopes_at_rest(friction):
    """Mean of F_v + F_s / v_0 of both directions (n,), of joints without mimics."""
    viscous, coulomb, viscous_back, coulomb_back, smoothing = np.reshape(friction, (5, -1))
    return 0.5 * (viscous + viscous_back + (coulomb + coulomb_back) / smoothing)
