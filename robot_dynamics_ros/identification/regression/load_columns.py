"""The columns of bodies that are carried during some of the data."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS, body_of, parameters_of
from robot_dynamics_ros.core.spatial import Matrix, Transform, Vector

from ..parameters.load import Load


class LoadColumns:
    """From the columns of bodies to those of loads on them.

    Attributes:
        bodies: (L,) index of the body that carries each load.
    """

    def __init__(self, model: RobotModel, loads: tuple[Load, ...]) -> None:
        """Find the bodies, and the map of parameters from each link to its body."""
        frames = [model.frame(load.frame) for load in loads]
        self.bodies = [frame.body for frame in frames]
        self._loads = loads
        self._maps = [
            _to_body(frame.placement.rotation, frame.placement.translation) for frame in frames
        ]

    def carried(self, times: Array, recording: str) -> Array:
        """Whether each load is carried (N, L), as 0 or 1.

        Args:
            times: (N,) since the start of the recording [s].
            recording: its name.
        """
        carried = np.zeros((len(times), len(self._loads)))
        for column, load in enumerate(self._loads):
            for name, start, stop in load.periods:
                if name in ('', recording):
                    carried[(times >= start) & (times <= stop), column] = 1.0
        return carried

    def columns(self, inertial: Array, carried: Array) -> Array:
        """The columns (N, r, 10 L) of the loads.

        Args:
            inertial: (N, r, 10 bodies) of the bodies.
            carried: (N, L).
        """
        count = len(PARAMETERS)
        result = np.empty((*inertial.shape[:2], count * len(self._loads)))
        for k, (body, to_body) in enumerate(zip(self.bodies, self._maps, strict=True)):
            own = inertial[:, :, count * body : count * body + count] @ to_body
            result[:, :, count * k : count * k + count] = carried[:, k, None, None] * own
        return result


def _to_body(rotation: Matrix, translation: Vector) -> Array:
    """The matrix (10, 10) from parameters in a placed frame to those in the body's frame."""
    units = np.eye(len(PARAMETERS)).tolist()
    moved = [parameters_of(Transform(rotation, translation) @ body_of(unit)) for unit in units]
    return np.array(moved).T
