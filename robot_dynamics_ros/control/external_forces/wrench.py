"""The wrench at a frame that explains external torques, and what a robot cannot feel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.algorithms.kinematics import Axes
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.task.twist_rows import SPATIAL_ENTRIES, in_words, without_rounding

# Below this share of the largest singular value a direction counts as hardly felt: noise of the
# torques is amplified fifty times as much there as in the direction that is felt best.
HARDLY_FELT = 0.02
# As long a lever makes a moment as large as a force [m].
LEVER = 0.1


@dataclass(frozen=True)
class FeltDirections:
    """Which wrenches at a frame the joints feel, at one pose.

    Attributes:
        unfelt: (i, 6) orthonormal wrenches [force; moment] that (nearly) no joint feels.
        conditioning: smallest of the six singular values of J^T as a share of the largest,
            with moments in units of `LEVER`; 0 where a wrench is not felt at all.
    """

    unfelt: Array
    conditioning: float

    def remarks(self) -> list[str]:
        """The directions that are not felt, in words, one each; empty where all are felt."""
        return [in_words(direction, SPATIAL_ENTRIES) for direction in self.unfelt]


@dataclass(frozen=True)
class WrenchEstimate:
    """The wrench that the surroundings exert, from the external torques of the joints.

    Attributes:
        wrench: (6,) force [N], and moment [N m], at the frame and in the axes of the estimator.
        felt: which wrenches the joints feel; the estimate has nothing of the others.
        unexplained: (k,) external torque that no wrench at this frame explains [N m or N]: of a
            contact elsewhere, or of a second one.
    """

    wrench: Array
    felt: FeltDirections
    unexplained: Array


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
            axes: of the wrench: its moment is about the origin of the frame, and its axes are
                those of the frame (LOCAL) or of the base (LOCAL_WORLD_ALIGNED); or both are those
                of the base (WORLD).
            joints: whose external torque is known; all if empty.

        Raises:
            UnknownNameError: there is no such link or joint.
            ParameterError: there are no such axes, or a joint is named twice.
        """
        model = dynamics.model
        dynamics.compile(('jacobian', frame, axes))
        self.frame, self.axes = frame, axes
        self._dynamics = dynamics
        self._indices = model.indices_of(joints or model.joint_names)

    def estimate(self, q: Array, r: Array) -> WrenchEstimate:
        """The wrench at a pose.

        Args:
            q: (n,) positions [rad or m].
            r: (n,) external torques, see `ExternalForceObserver` [N m or N].

        Raises:
            StateError: q has a wrong size or is not finite.
        """
        jacobian = self._dynamics.jacobian(q, self.frame, self.axes)
        reach = self._dynamics.model.reach
        columns = without_rounding(jacobian, reach)[:, self._indices]
        return estimated_wrench(columns, r[self._indices])


def estimated_wrench(jacobian: Array, r: Array) -> WrenchEstimate:
    """The smallest h with J^T h nearest to r, both in the least-squares sense.

    Only the directions that are hardly felt are damped, and the more the less they are felt, as
    in `core.task.resolved_rate.resolve_twist` (Maciejewski, Klein 1988): where the robot feels a
    direction well, the estimate has no bias; one that it does not feel at all has zero.

    Args:
        jacobian: (6, k) [linear; angular], columns of the joints whose r is known.
        r: (k,) their external torques [N m or N].
    """
    # Moments in units of a force at a lever: then no singular value has a unit of its own.
    scale = np.repeat([1.0, LEVER], 3)
    left, values, right = np.linalg.svd(jacobian.T / scale)
    felt = np.zeros(6)
    felt[: len(values)] = values
    threshold = HARDLY_FELT * float(felt[0])
    hardly = felt <= threshold
    damping = np.clip(threshold**2 - values**2, 0.0, None)
    shares = np.zeros(6)
    if felt[0] > 0.0:
        answer = values / (values**2 + damping)
        shares[: len(values)] = answer * (left.T[: len(values)] @ r)
    wrench = right.T @ shares / scale
    unfelt = np.linalg.qr((right[hardly] / scale).T)[0].T
    conditioning = float(felt[-1] / felt[0]) if felt[0] > 0.0 else 0.0
    directions = FeltDirections(unfelt, conditioning)
    return WrenchEstimate(wrench, directions, r - jacobian.T @ wrench)
