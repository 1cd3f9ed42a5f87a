"""Every quantity of `RobotDynamics` evaluated on plain floats, with nothing compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.quantities import EVERY_QUANTITY


class FloatKinetics:
    """Its methods are those of `RobotDynamics`, without `out`."""

    def __init__(self, model: RobotModel, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        self.model = model
        self.gravity = np.array(gravity, dtype=float)

    def __getattr__(self, quantity: str) -> Callable[..., Any]:
        if quantity not in EVERY_QUANTITY:
            raise AttributeError(quantity)
        algorithm, names = EVERY_QUANTITY[quantity]

        def method(*arguments: Any) -> Any:
            vectors = [np.asarray(x).tolist() for x in arguments if not isinstance(x, str)]
            options = [x for x in arguments if isinstance(x, str)]
            if 'gravity' in names:
                vectors.append(self.gravity.tolist())
            if options:
                options[0] = self.model.frame(options[0])
            return np.array(algorithm(self.model, *vectors, *options))

        return method

    def frame_pose(self, q: Any, frame: str) -> tuple[Any, Any]:
        pose = self.__getattr__('frame_pose')(q, frame)
        return pose[:, :3], pose[:, 3]

    def inertial_parameters(self) -> Any:
        return self.model.inertial_parameters()
