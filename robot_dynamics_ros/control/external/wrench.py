"""The wrench at a frame that explains external torques, and what a robot cannot feel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.algorithms.kinematics import Axes
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.task import (
    SPATIAL_ENTRIES,
    damped_reciprocals,
    in_words,
    length_units,
)

# Below this share of the largest singular value a direction counts as hardly felt: it has a lever
# of 2 cm where the best felt one has 1 m, and noise of the torques gives fifty times the force.
# Of the poses of common arms, 3 to 20 % have such a direction.
HARDLY_FELT = 0.02


@dataclass(frozen=True)
class WrenchEstimate:
    """The wrench that the surroundings exert, from the external torques of the joints.

    Attributes:
        wrench: (6,) force [N], and moment [N m], at the frame and in the axes of the estimator.
        unfelt: (i, 6) orthonormal wrenches [force; moment] that (nearly) no joint feels at this
            pose; the estimate has nothing of them.
        unexplained: (k,) external torque that no wrench at this frame explains [N m or N]: of a
            contact elsewhere, or of a second one.
    """

    wrench: Array
    unfelt: Array
    unexplained: Array

    def remarks(self) -> list[str]:
        """The directions that are not felt, in words, one each; empty where all are felt."""
        return [in_words(direction, SPATIAL_ENTRIES) for direction in self.unfelt]


class WrenchEstimator:
    """Damped least squares of J^T h = r at one frame.

    The gravity of a payload that the model has is not part of r, and so not of the wrench.

    Attributes:
        frame: name of the link.
        axes: of the wrench, as for `RobotDynamics.jacobian`.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        frame: str,
        axes: Axes = 'LOCAL_WORLD_ALIGNED',
        joints: Sequence[str] = (),
    ) -> None:
        """Compile the Jacobian, if the dynamics have not yet.

        Args:
            dynamics: of the robot.
            frame: name of a link.
            axes: of the wrench, whose moment is about the origin of the frame: those of the frame
                (LOCAL) or of the base (LOCAL_WORLD_ALIGNED).
            joints: whose external torque is known; all if empty.

        Raises:
            UnknownNameError: there is no such link or joint.
            ParameterError: the axes are others, or a joint is named twice.
        """
        model = dynamics.model
        if axes == 'WORLD':
            raise ParameterError('a wrench is about the origin of its frame: not WORLD axes')
        dynamics.compile(('jacobian', frame, axes))
        self.frame, self.axes = frame, axes
        self._dynamics = dynamics
        self._indices = model.indices_of(joints or model.joint_names)
        self._sliding = model.sliding[self._indices]

    def estimate(self, q: Array, r: Array) -> WrenchEstimate:
        """The wrench at a pose.

        Args:
            q: (n,) positions [rad or m].
            r: (n,) external torques, see `ExternalForceObserver` [N m or N].

        Raises:
            StateError: q has a wrong size or is not finite.
        """
        jacobian = self._dynamics.jacobian(q, self.frame, self.axes)
        return estimated_wrench(jacobian[:, self._indices], r[self._indices], self._sliding)


def estimated_wrench(jacobian: Array, r: Array, sliding: npt.NDArray[np.bool_]) -> WrenchEstimate:
    """The smallest h with J^T h nearest to r, both in the least-squares sense.

    Only the directions that are hardly felt are damped, and the more the less they are felt, see
    `damped_reciprocals`: where the robot feels a direction well, the estimate has no bias; one
    that it does not feel at all has zero. All entries of J are lengths, see `length_units`.

    Args:
        jacobian: (6, k) [linear; angular] of the frame, columns of the joints whose r is known.
        r: (k,) their external torques [N m or N].
        sliding: (k,) whether a joint slides.
    """
    moments, joints = length_units(jacobian, sliding)
    left, values, right = np.linalg.svd(jacobian.T * moments * joints[:, None])
    wrench, felt, count = np.zeros(6), np.zeros(6), len(values)
    if values[0]:
        felt[:count] = values
        answers = damped_reciprocals(values, HARDLY_FELT) * ((joints * r) @ left)[:count]
        wrench = moments * (answers @ right[:count])
    unfelt = right[felt <= HARDLY_FELT * values[0]] * moments
    unfelt = np.asarray(np.linalg.qr(unfelt.T)[0].T)
    return WrenchEstimate(wrench, unfelt, r - jacobian.T @ wrench)
