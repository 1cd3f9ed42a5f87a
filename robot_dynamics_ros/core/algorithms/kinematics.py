"""Pose and Jacobian of the frames of the links, and the derivative of the Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from ..model.robot import RobotModel
from ..model.tree import Frame
from ..scalar import Scalar
from ..spatial import (
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    multiply,
    rotate,
    rotate_back,
    scale,
    subtract,
)
from .base_frame import Pair, body_poses
from .joint_tree import ancestors, joint_rates

# As Pinocchio names them. The linear velocity is that of the origin of the frame in LOCAL (axes
# of the frame) and LOCAL_WORLD_ALIGNED (axes of the base); in WORLD it is that of the point of
# the body that passes through the base origin, in the axes of the base.
Axes = Literal['LOCAL', 'WORLD', 'LOCAL_WORLD_ALIGNED']
AXES: tuple[Axes, ...] = get_args(Axes)

Pose = tuple[Matrix, Vector]


def frame_pose(model: RobotModel, q: Sequence[Scalar], frame: Frame) -> list[list[Scalar]]:
    """Rotation and origin of a frame in the base, [R | p], shape (3, 4).

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        frame: of the model.
    """
    return _rows(_placed(body_poses(model, q), frame))


def frame_poses(model: RobotModel, q: Sequence[Scalar]) -> list[list[list[Scalar]]]:
    """Rotation and origin of every frame in the base, [R | p], shape (frames, 3, 4).

    Equivalent to `frame_pose` of each of `model.frames`.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
    """
    poses = body_poses(model, q)
    return [_rows(_placed(poses, frame)) for frame in model.frames]


def jacobian(
    model: RobotModel, q: Sequence[Scalar], frame: Frame, axes: Axes
) -> list[list[Scalar]]:
    """J(q) with twist = J v, [linear; angular], shape (6, n).

    Siciliano, Sciavicco, Villani, Oriolo, "Robotics" (2009), section 3.1.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        frame: of the model.
        axes: see `Axes`.
    """
    poses = body_poses(model if axes == 'WORLD' else model.at_origin, q)
    rotation, translation = _placed(poses, frame)
    point = ZERO if axes == 'WORLD' else translation
    columns = []
    for i in _chain(model, frame):
        joint, (attitude, origin) = model.joints[i], poses[i]
        axis = rotate(attitude, joint.axis)
        if joint.kind == 'prismatic':
            column = Pair(linear=axis)
        else:
            column = Pair(axis, cross(axis, subtract(point, origin)))
        columns.append((i, _rotated_back(rotation, column) if axes == 'LOCAL' else column))
    return _matrix(model, columns)


def jacobian_derivative(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    frame: Frame,
    axes: Axes,
) -> list[list[Scalar]]:
    """dJ/dt when q changes with v, shape (6, n): the acceleration of the frame is J a + J_dot v.

    The derivative of `jacobian`, term by term.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        frame: of the model.
        axes: see `Axes`.
    """
    if axes != 'WORLD':
        model = model.at_origin
    poses, velocities = body_poses(model, q), _velocities(model, q, v)
    rotation, translation = _placed(poses, frame)
    # Angular velocity of the frame, and velocity of the point that J is about.
    omega, point_velocity = velocities[frame.body + 1]
    point = ZERO if axes == 'WORLD' else translation
    if frame.body < 0 or axes == 'WORLD':
        point_velocity = ZERO
    else:
        lever = subtract(translation, poses[frame.body][1])
        point_velocity = add(point_velocity, cross(omega, lever))
    columns = []
    for i in _chain(model, frame):
        joint, (attitude, origin) = model.joints[i], poses[i]
        axis, velocity = rotate(attitude, joint.axis), velocities[i + 1][1]
        # The axis is fixed in its body.
        rate = cross(velocities[joint.parent + 1][0], axis)
        if joint.kind == 'prismatic':
            column, change = Pair(linear=axis), Pair(linear=rate)
        else:
            arm, arm_rate = subtract(point, origin), subtract(point_velocity, velocity)
            column = Pair(axis, cross(axis, arm))
            change = Pair(rate, add(cross(rate, arm), cross(axis, arm_rate)))
        if axes == 'LOCAL':
            # d/dt (R^T J) = R^T (J_dot - omega x J).
            carried = Pair(cross(omega, column.angular), cross(omega, column.linear))
            change = _rotated_back(rotation, change + carried.times(-1.0))
        columns.append((i, change))
    return _matrix(model, columns)


def _placed(poses: Sequence[Pose], frame: Frame) -> Pose:
    """The pose of a frame in the base, from those of the bodies."""
    rotation, translation = frame.placement.rotation, frame.placement.translation
    if frame.body < 0:
        return rotation, translation
    attitude, origin = poses[frame.body]
    return multiply(attitude, rotation), add(origin, rotate(attitude, translation))


def _rows(pose: Pose) -> list[list[Scalar]]:
    rotation, translation = pose
    return [[*rotation[i], translation[i]] for i in range(3)]


def _velocities(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[tuple[Vector, Vector]]:
    """Angular velocity, and velocity of the origin, of the base and of every body."""
    poses, rates = body_poses(model, q), joint_rates(model, v)
    velocities = [(ZERO, ZERO)]
    for i, joint in enumerate(model.joints):
        attitude, origin = poses[i]
        omega, velocity = velocities[joint.parent + 1]
        start = poses[joint.parent][1] if joint.parent >= 0 else ZERO
        velocity = add(velocity, cross(omega, subtract(origin, start)))
        rate = scale(rates[i], rotate(attitude, joint.axis))
        if joint.kind == 'prismatic':
            velocity = add(velocity, rate)
        else:
            omega = add(omega, rate)
        velocities.append((omega, velocity))
    return velocities


def _chain(model: RobotModel, frame: Frame) -> list[int]:
    """Indices of the joints that carry the frame."""
    return [frame.body, *ancestors(model, frame.body)] if frame.body >= 0 else []


def _rotated_back(rotation: Matrix, pair: Pair) -> Pair:
    return Pair(rotate_back(rotation, pair.angular), rotate_back(rotation, pair.linear))


def _matrix(model: RobotModel, columns: list[tuple[int, Pair]]) -> list[list[Scalar]]:
    """(6, n); a mimic joint adds to the column of the joint that it mimics."""
    matrix: list[list[Scalar]] = [[0.0] * model.size for _ in range(6)]
    for i, column in columns:
        coordinate = model.joints[i].coordinate
        for row, entry in enumerate((*column.linear, *column.angular)):
            matrix[row][coordinate.index] += coordinate.multiplier * entry
    return matrix
