"""Batches of random samples, and the results of their samples one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.quantity import QUANTITIES

# What a quantity takes beside gravity.
ARGUMENTS = {name: quantity.arguments for name, quantity in QUANTITIES.items()}
# Of which all robots are tried: the others take minutes.
MAIN_QUANTITIES = (
    'inverse_dynamics', 'gravity_torque', 'bias_torque', 'torque_terms', 'mass_matrix',
    'coriolis_matrix',
)  # fmt: skip


def inputs_of(model: RobotModel, quantity: str, samples: int, seed: int = 0) -> list[Any]:
    """Random rows of each input."""
    random = np.random.default_rng(seed)
    labels = QUANTITIES[quantity].labels(model)
    sizes = [len(labels[name]) for name in ARGUMENTS[quantity]]
    return [random.uniform(-3.0, 3.0, (samples, size)) for size in sizes]


def call(dynamics: RobotDynamics, quantity: str, *inputs: Any, **options: Any) -> Any:
    """The result as one array; of a quantity of a frame at the last link."""
    if QUANTITIES[quantity].of_frame:
        options['frame'] = dynamics.model.links[-1].name
    result = getattr(dynamics, quantity)(*inputs, **options)
    if quantity == 'frame_pose':
        return np.concatenate([result[0], result[1][..., None]], axis=-1)
    return np.asarray(result)


def one_by_one(dynamics: RobotDynamics, quantity: str, inputs: list[Any]) -> Any:
    """The results of single calls, one row for each sample."""
    return np.array([call(dynamics, quantity, *sample) for sample in zip(*inputs, strict=True)])
