"""Positions, rates and ancestors of the joints, which every algorithm starts from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model.robot import RobotModel
from ..model.tree import Joint, joint_frame, joint_position
from ..scalar import Scalar
from ..spatial import Matrix, Vector


def joint_frames(model: RobotModel, q: Sequence[Scalar]) -> list[tuple[Matrix, Vector]]:
    """Rotation and origin of every body in its parent body, at the positions q (n,)."""
    return [
        joint_frame(joint, joint_position(joint, q[joint.coordinate.index]))
        for joint in model.joints
    ]


def joint_rates(model: RobotModel, rates: Sequence[Scalar]) -> list[Scalar]:
    """Velocity (or acceleration) of every joint from that of the independent ones (n,)."""
    return [joint.coordinate.multiplier * rates[joint.coordinate.index] for joint in model.joints]


def ancestors(model: RobotModel, index: int) -> Iterator[int]:
    """Indices of the joints between a joint and the base, the nearest first."""
    while (index := model.joints[index].parent) >= 0:
        yield index


def accumulate(matrix: list[list[Scalar]], row: Joint, column: Joint, entry: Scalar) -> None:
    """Add one entry of a joint-by-joint matrix A to G^T A G.

    G maps q_dot (n,) to the rates of all joints. A mimic joint shares the column of the joint that
    it mimics.

    Args:
        matrix: (n, n) G^T A G so far, changed in place.
        row: the joint of the row of A.
        column: the joint of the column of A.
        entry: of A.
    """
    i, j = row.coordinate, column.coordinate
    matrix[i.index][j.index] += i.multiplier * j.multiplier * entry
