"""Batches of random samples for each quantity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from mechanics.robots import Robot
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.algorithms.kinematics import AXES
from robot_dynamics_ros.core.quantity import QUANTITIES

# What a quantity takes beside gravity.
ARGUMENTS = {name: quantity.arguments for name, quantity in QUANTITIES.items()}
# Of which all robots are tried: the others take minutes.
MAIN_QUANTITIES = (
    'inverse_dynamics', 'gravity_torque', 'bias_torque', 'torque_terms', 'mass_matrix',
    'coriolis_matrix',
)  # fmt: skip
# To compile the others for all robots takes minutes.
MOST_JOINTS = {'inverse_dynamics': 1000, 'mass_matrix': 40}
MOST_JOINTS_OTHERWISE = 8


def cases(robots: Iterable[Robot], quantities: Iterable[str]) -> list[Any]:
    """Robots with the quantities that compile for them in a moment."""
    return [
        pytest.param(robot, quantity, id=f'{robot}-{quantity}')
        for robot in robots
        for quantity in sorted(quantities)
        if robot.model.size <= MOST_JOINTS.get(quantity, MOST_JOINTS_OTHERWISE)
    ]


def inputs_of(model: RobotModel, quantity: str, samples: int, seed: int = 0) -> list[Any]:
    """Random rows of each input."""
    random = np.random.default_rng(seed)
    labels = QUANTITIES[quantity].labels(model)
    sizes = [len(labels[name]) for name in ARGUMENTS[quantity]]
    return [random.uniform(-3.0, 3.0, (samples, size)) for size in sizes]


def call(dynamics: Any, quantity: str, *inputs: Any, axes: str = '', **options: Any) -> Any:
    """The result as one array; of a quantity of a frame at the last link."""
    if QUANTITIES[quantity].of_frame:
        inputs = (*inputs, dynamics.model.links[-1].name)
    if axes and QUANTITIES[quantity].takes_axes:
        inputs = (*inputs, axes)
    result = getattr(dynamics, quantity)(*inputs, **options)
    if quantity == 'frame_pose':
        return np.concatenate([result[0], result[1][..., None]], axis=-1)
    return np.asarray(result)


def axes_of(quantity: str) -> tuple[str, ...]:
    """All axes in which a quantity can be asked for; one empty name if it takes none."""
    return AXES if QUANTITIES[quantity].takes_axes else ('',)
