"""The friction of `model.friction.JointFriction`, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.robot import RobotModel
from ...scalar import Scalar, sqrt
from ..joint_tree import joint_rates

# Added to a speed in quadrature, as a share of the smoothing: a root has no derivative at zero,
# and its square is above the least number of single precision.
NEGLIGIBLE = 1e-15


def smooth_friction(
    model: RobotModel, v: Sequence[Scalar], friction: Sequence[Scalar]
) -> list[Scalar]:
    """F_v v + F_s s(v) [N m or N], shape (n,): equivalent to `JointFriction.torque`.

    With different coefficients of the two directions F = (F+ + F-) / 2 + sgn(v) (F+ - F-) / 2, so
    that no branch is needed: sgn(v) v = |v| and sgn(v) s(v) = |s(v)|. The derivative at rest is
    the mean of those of both directions.

    Args:
        model: the robot, with N joints.
        v: (n,) velocities [rad/s or m/s].
        friction: (5 N,) F_v at positive velocity of all joints, F_s of the same, F_v and F_s
            at negative velocity, and the smoothing v_0 > 0; see `JointFriction.coefficients`.
    """
    count = len(model.joints)
    viscous, coulomb, viscous_back, coulomb_back, smoothing = (
        friction[k * count : (k + 1) * count] for k in range(5)
    )
    result: list[Scalar] = [0.0] * model.size
    for i, (joint, rate) in enumerate(zip(model.joints, joint_rates(model, v), strict=True)):
        square, least = rate * rate, NEGLIGIBLE * smoothing[i]
        speed = sqrt(square + least * least) - least
        # s(v) = v / hypot and |s(v)| = |v| / hypot.
        length = sqrt(square + smoothing[i] * smoothing[i])
        slope = viscous[i] + viscous_back[i] + (coulomb[i] + coulomb_back[i]) / length
        excess = viscous[i] - viscous_back[i] + (coulomb[i] - coulomb_back[i]) / length
        torque = 0.5 * (slope * rate + excess * speed)
        result[joint.coordinate.index] += joint.coordinate.multiplier * torque
    return result
