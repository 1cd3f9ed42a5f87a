"""How joints relate to q and to each other: what every algorithm starts from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model import Joint, RobotModel
from ..scalar import Scalar
from ..spatial import Matrix, Vector, add, multiply, rotate, rotation_about, scale


def joint_frames(model: RobotModel, q: Sequence[Scalar]) -> list[tuple[Matrix, Vector]]:
    """Rotation and origin of every body in its parent body, at the positions q (n,)."""
    return [
        joint_frame(joint, joint_position(joint, q[joint.coordinate.index]))
        for joint in model.joints
    ]


def joint_position(joint: Joint, coordinate: Scalar) -> Scalar:
    """Position of a joint from its entry of q."""
    return joint.coordinate.multiplier * coordinate + joint.coordinate.offset


def joint_frame(joint: Joint, position: Scalar) -> tuple[Matrix, Vector]:
    """Rotation and origin of the body of a joint in its parent body, at a position."""
    rotation, translation = joint.placement.rotation, joint.placement.translation
    if joint.kind == 'prismatic':
        return rotation, add(translation, rotate(rotation, scale(position, joint.axis)))
    return multiply(rotation, rotation_about(joint.axis, position)), translation


def joint_rates(model: RobotModel, rates: Sequence[Scalar]) -> list[Scalar]:
    """Velocity (or acceleration) of every joint from that of the independent ones (n,)."""
    return [joint.coordinate.multiplier * rates[joint.coordinate.index] for joint in model.joints]


def ancestors(model: RobotModel, index: int) -> Iterator[int]:
    """Indices of the joints between a joint and the base, the nearest first."""
    while (index := model.joints[index].parent) >= 0:
        yield index


def accumulate(matrix: list[list[Scalar]], row: Joint, column: Joint, entry: Scalar) -> None:
    """Add one entry of a joint-by-joint matrix A to G^T A G.

    G maps q_dot (n,) to the rate of every joint: mimic joints share the column of their driver.
    """
    i, j = row.coordinate, column.coordinate
    matrix[i.index][j.index] += i.multiplier * j.multiplier * entry
