"""Random inputs of one step of the observer."""

import numpy as np

from robot_dynamics_ros.core.algorithms.friction import KINDS
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


def slopes_at_rest(inputs):
    """Of the friction (n,), of joints without mimics; of both directions, their mean."""
    kind = dict(zip(KINDS, np.reshape(inputs['friction'], (len(KINDS), -1)), strict=True))
    dry = 0.5 * (kind['coulomb'] + kind['coulomb_negative']) + kind['stribeck']
    dry += kind['load'] * np.abs(inputs['effort'] - inputs['offset'])
    viscous = 0.5 * (kind['viscous'] + kind['viscous_negative'])
    return viscous + dry / kind['smoothing'] + kind['gradual'] / kind['gradual_smoothing']
