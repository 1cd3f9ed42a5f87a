"""Poses, twists and accelerations of bodies and frames, Jacobians, and the torque of a wrench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from ..dual import along, slope_of
from ..model.robot import RobotModel
from ..model.tree import Frame
from ..scalar import Rows, Scalar, Scalars
from ..spatial import ZERO, Force, Motion, Transform, rotate_back, subtract
from .record import quantity

# As Pinocchio names them. The linear velocity is that of the origin of the frame in LOCAL (axes
# of the frame) and LOCAL_WORLD_ALIGNED (axes of the base); in WORLD it is that of the point of
# the body that passes through the base origin, in the axes of the base.
Axes = Literal['LOCAL', 'WORLD', 'LOCAL_WORLD_ALIGNED']
AXES: tuple[Axes, ...] = get_args(Axes)


def joint_poses(model: RobotModel, q: Scalars) -> list[Transform]:
    """Pose of every body in its parent body, at the positions q (n,)."""
    return [joint.pose(q) for joint in model.joints]


def joint_rates(model: RobotModel, v: Scalars) -> list[Scalar]:
    """G v, the velocity (or acceleration) of every joint from that of the independent ones (n,).

    Algorithms work with a rate and an effort of every joint. A mimic joint shares the coordinate
    of the joint that it mimics: efforts become G^T tau, and M becomes G^T M G.
    """
    return [joint.coordinate.multiplier * v[joint.index] for joint in model.joints]


def generalized_forces(model: RobotModel, efforts: Scalars) -> list[Scalar]:
    """G^T tau (n,) of the efforts of all joints."""
    total: list[Scalar] = [0.0] * model.size
    for joint, effort in zip(model.joints, efforts, strict=True):
        total[joint.index] += joint.coordinate.multiplier * effort
    return total


def generalized_rows(model: RobotModel, rows: Rows) -> Rows:
    """A G, shape (m, n), of a matrix with one column per joint."""
    return [generalized_forces(model, row) for row in rows]


def generalized_matrix(model: RobotModel, matrix: Rows) -> Rows:
    """G^T A G, shape (n, n), of a matrix with one row and one column per joint."""
    total, coordinates = zeros(model.size, model.size), [j.coordinate for j in model.joints]
    # Entries and their mirrors together: a symmetric matrix stays so to the last bit.
    for a, i in enumerate(coordinates):
        for b, j in enumerate(coordinates[: a + 1]):
            factor = i.multiplier * j.multiplier
            total[i.index][j.index] += factor * matrix[a][b]
            if a != b:
                total[j.index][i.index] += factor * matrix[b][a]
    return total


def zeros(rows: int, columns: int) -> Rows:
    """A matrix of zeros."""
    return [[0.0] * columns for _ in range(rows)]


def body_poses(model: RobotModel, q: Scalars) -> list[Transform]:
    """Pose of every body in the base, at the positions q (n,)."""
    poses: list[Transform] = []
    for joint, pose in zip(model.joints, joint_poses(model, q), strict=True):
        poses.append(pose if joint.parent < 0 else poses[joint.parent] @ pose)
    return poses


def body_twists(
    model: RobotModel, poses: Sequence[Transform], rates: Scalars
) -> tuple[list[Motion], list[Motion]]:
    """Twist of every body, and that of its parent, both about its origin and in its axes.

    The twist of the parent is that of the body as if its own joint stood still.
    """
    twists, parents = [Motion()], []
    for joint, pose, rate in zip(model.joints, poses, rates, strict=True):
        parents.append(twists[joint.parent + 1].seen_from(pose))
        twists.append(parents[-1] + joint.subspace * rate)
    return twists[1:], parents


def chain(model: RobotModel, body: int) -> list[int]:
    """Indices of the joints that carry a body, from its own to the base; none for the base."""
    found = []
    while body >= 0:
        found.append(body)
        body = model.joints[body].parent
    return found


@quantity(3, 4, unit='1; m', of_inertia=False)
def frame_pose(model: RobotModel, q: Scalars, frame: Frame) -> Rows:
    """[R | p] of a frame, rotation and origin in the base.

    The method returns R (3, 3) and p (3,), two views of one array (3, 4).
    """
    return _rows(_placed(body_poses(model, q), frame))


@quantity('frames', 3, 4, unit='1; m', of_inertia=False)
def frame_poses(model: RobotModel, q: Scalars) -> list[Rows]:
    """[R | p] of every frame, rotation and origin in the base.

    The order is that of `model.frames`: entry i is the rotation of the link `model.frames[i].name`
    and its origin in the last column, as of `frame_pose`.
    """
    poses = body_poses(model, q)
    return [_rows(_placed(poses, frame)) for frame in model.frames]


@quantity(6, 'n', unit='m or 1; 1 or 0', of_inertia=False)
def jacobian(model: RobotModel, q: Scalars, frame: Frame, axes: Axes) -> Rows:
    """J(q): the twist [linear; angular] of a frame is J v.

    Siciliano, Sciavicco, Villani, Oriolo, "Robotics" (2009), section 3.1.
    """
    poses = body_poses(model if axes == 'WORLD' else model.at_origin, q)
    placed = _placed(poses, frame)
    point = ZERO if axes == 'WORLD' else placed.translation
    matrix = zeros(6, len(model.joints))
    for i in chain(model, frame.body):
        arm = Transform(translation=subtract(point, poses[i].translation))
        column = (Transform(poses[i].rotation) @ model.joints[i].subspace).seen_from(arm)
        if axes == 'LOCAL':
            column = column.seen_from(Transform(placed.rotation))
        for row, entry in zip(matrix, (*column.linear, *column.angular), strict=True):
            row[i] = entry
    return generalized_rows(model, matrix)


@quantity(6, 'n', unit='m/s; 1/s', of_inertia=False)
def jacobian_derivative(
    model: RobotModel, q: Scalars, v: Scalars, frame: Frame, axes: Axes
) -> Rows:
    """dJ/dt at q and v.

    The derivative of the twist of the frame is J a + dJ/dt v.
    """
    return [[slope_of(x) for x in row] for row in jacobian(model, along(q, v), frame, axes)]


@quantity(6, unit='m/s; rad/s', of_inertia=False)
def frame_velocity(
    model: RobotModel, q: Scalars, v: Scalars, frame: Frame, axes: Axes
) -> list[Scalar]:
    """J v, the twist [linear; angular] of a frame.

    Without the Jacobian: twists are carried from body to body.
    """
    poses = joint_poses(model, q)
    twists, _ = body_twists(model, poses, joint_rates(model, v))
    motion = [Motion(), *twists][frame.body + 1]
    if axes == 'LOCAL':
        motion = motion.seen_from(frame.placement)
    else:
        if axes == 'LOCAL_WORLD_ALIGNED':
            motion = motion.seen_from(Transform(translation=frame.placement.translation))
            poses = [Transform(pose.rotation) for pose in poses]
        for i in chain(model, frame.body):
            motion = poses[i] @ motion
    return [*motion.linear, *motion.angular]


@quantity(6, unit='m/s^2; rad/s^2', of_inertia=False)
def frame_acceleration(
    model: RobotModel, q: Scalars, v: Scalars, a: Scalars, frame: Frame, axes: Axes
) -> list[Scalar]:
    """J a + dJ/dt v, the derivative of frame_velocity.

    In LOCAL_WORLD_ALIGNED it is the acceleration of the origin of the frame; in LOCAL and WORLD,
    whose point or axes move, the spatial acceleration (Featherstone, "Rigid Body Dynamics
    Algorithms", 2008, section 2.11).
    """
    twist = frame_velocity(model, along(q, v), along(v, a), frame, axes)
    return [slope_of(x) for x in twist]


@quantity('n', unit='N m or N', of_inertia=False)
def external_torque(model: RobotModel, q: Scalars, wrench: Scalars, frame: Frame) -> list[Scalar]:
    """tau_external = J^T wrench: M a + C v + g = tau + tau_external.

    What a wrench that the surroundings exert on a frame does: subtract it from inverse_dynamics
    while the wrench acts. Signs are explained in docs/theory.md. J, in LOCAL_WORLD_ALIGNED axes,
    is not formed: the wrench is passed from joint to joint, as in RNEA.
    """
    poses = joint_poses(model, q)
    moved_by = chain(model, frame.body)
    force, moment = (wrench[0], wrench[1], wrench[2]), (wrench[3], wrench[4], wrench[5])

    # Forward, base to the body: the wrench in the axes of the body.
    for i in reversed(moved_by):
        rotation = poses[i].rotation
        force, moment = rotate_back(rotation, force), rotate_back(rotation, moment)
    load = Transform(translation=frame.placement.translation) @ Force(moment, force)

    # Backward, body to base: each joint gives its part along its axis.
    tau: list[Scalar] = [0.0] * len(poses)
    for i in moved_by:
        tau[i] = model.joints[i].subspace.dot(load)
        load = poses[i] @ load
    return generalized_forces(model, tau)


def _placed(poses: Sequence[Transform], frame: Frame) -> Transform:
    """The pose of a frame in the base, from those of the bodies."""
    return frame.placement if frame.body < 0 else poses[frame.body] @ frame.placement


def _rows(pose: Transform) -> Rows:
    return [[*pose.rotation[i], pose.translation[i]] for i in range(3)]
