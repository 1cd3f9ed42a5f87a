"""Poses, twists and accelerations of bodies and frames, Jacobians, and the torque of a wrench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from ..model.robot import RobotModel
from ..model.tree import Frame
from ..scalar import Rows, Scalar, Scalars
from ..spatial import ZERO, Force, Motion, Transform, add, cross, rotate_back, subtract

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


def frame_pose(model: RobotModel, q: Scalars, frame: Frame) -> Rows:
    """Rotation and origin of a frame in the base, [R | p], shape (3, 4)."""
    return _rows(_placed(body_poses(model, q), frame))


def frame_poses(model: RobotModel, q: Scalars) -> list[Rows]:
    """Rotation and origin of every frame in the base, [R | p], shape (frames, 3, 4).

    Equivalent to `frame_pose` of each of `model.frames`.
    """
    poses = body_poses(model, q)
    return [_rows(_placed(poses, frame)) for frame in model.frames]


def frame_velocity(
    model: RobotModel, q: Scalars, v: Scalars, frame: Frame, axes: Axes
) -> list[Scalar]:
    """The twist of a frame, [linear; angular] [m/s, rad/s], shape (6,).

    Equivalent to jacobian(q) v, without the Jacobian: twists are carried from body to body.
    """
    poses = joint_poses(model, q)
    twists, _ = body_twists(model, poses, joint_rates(model, v))
    return _in_axes(model, poses, frame, axes, [Motion(), *twists][frame.body + 1])


def frame_acceleration(
    model: RobotModel, q: Scalars, v: Scalars, a: Scalars, frame: Frame, axes: Axes
) -> list[Scalar]:
    """The derivative in time of `frame_velocity` [m/s^2, rad/s^2], shape (6,).

    Equivalent to jacobian(q) a + jacobian_derivative(q, v) v. In LOCAL_WORLD_ALIGNED it is the
    acceleration of the origin of the frame; in LOCAL and WORLD, where the point or the axes are
    others at each instant, the spatial acceleration (Featherstone, "Rigid Body Dynamics
    Algorithms", 2008, section 2.11).
    """
    poses = joint_poses(model, q)
    rates, qdd = joint_rates(model, v), joint_rates(model, a)
    twists, parents = body_twists(model, poses, rates)
    accelerations = [Motion()]
    for i, joint in enumerate(model.joints):
        # S a + V x S v: the axis of the joint moves with the parent.
        S, carried = joint.subspace, accelerations[joint.parent + 1].seen_from(poses[i])
        accelerations.append(carried + S * qdd[i] + parents[i].cross(S * rates[i]))
    twist, acceleration = [Motion(), *twists][frame.body + 1], accelerations[frame.body + 1]
    if axes == 'LOCAL_WORLD_ALIGNED':
        # That of the point: its velocity v + omega x p turns with omega.
        point = add(twist.linear, cross(twist.angular, frame.placement.translation))
        turned = cross(twist.angular, point)
        acceleration = Motion(acceleration.angular, add(acceleration.linear, turned))
    return _in_axes(model, poses, frame, axes, acceleration)


def jacobian(model: RobotModel, q: Scalars, frame: Frame, axes: Axes) -> Rows:
    """J(q) with twist = J v, [linear; angular], shape (6, n).

    Siciliano, Sciavicco, Villani, Oriolo, "Robotics" (2009), section 3.1.
    """
    poses = body_poses(model if axes == 'WORLD' else model.at_origin, q)
    placed = _placed(poses, frame)
    point = ZERO if axes == 'WORLD' else placed.translation
    columns = {}
    for i in chain(model, frame.body):
        arm = Transform(translation=subtract(point, poses[i].translation))
        column = (Transform(poses[i].rotation) @ model.joints[i].subspace).seen_from(arm)
        columns[i] = column.seen_from(Transform(placed.rotation)) if axes == 'LOCAL' else column
    return _matrix(model, columns)


def jacobian_derivative(
    model: RobotModel, q: Scalars, v: Scalars, frame: Frame, axes: Axes
) -> Rows:
    """dJ/dt when q changes with v, shape (6, n): the acceleration of the frame is J a + J_dot v.

    The derivative of `jacobian`, term by term.
    """
    if axes != 'WORLD':
        model = model.at_origin
    poses = body_poses(model, q)
    directions = [
        Transform(pose.rotation) @ joint.subspace
        for joint, pose in zip(model.joints, poses, strict=True)
    ]
    velocities = _origin_velocities(model, poses, directions, joint_rates(model, v))
    placed = _placed(poses, frame)
    # Angular velocity of the frame; the point that J is about, and its velocity.
    omega, point, point_velocity = velocities[frame.body + 1].angular, ZERO, ZERO
    if axes != 'WORLD':
        point = placed.translation
        if frame.body >= 0:
            lever = subtract(point, poses[frame.body].translation)
            point_velocity = add(velocities[frame.body + 1].linear, cross(omega, lever))
    columns = {}
    for i in chain(model, frame.body):
        S, arm = directions[i], subtract(point, poses[i].translation)
        arm_rate = subtract(point_velocity, velocities[i + 1].linear)
        # The axis is fixed in the parent, too.
        turning = Motion(velocities[model.joints[i].parent + 1].angular)
        rate = turning.cross(S)
        change = rate + Motion(ZERO, add(cross(rate.angular, arm), cross(S.angular, arm_rate)))
        if axes == 'LOCAL':
            # d/dt (R^T J) = R^T (J_dot - omega x J).
            column = S + Motion(ZERO, cross(S.angular, arm))
            change += Motion(omega).cross(column) * -1.0
            change = change.seen_from(Transform(placed.rotation))
        columns[i] = change
    return _matrix(model, columns)


def external_torque(model: RobotModel, q: Scalars, wrench: Scalars, frame: Frame) -> list[Scalar]:
    """tau_external = J^T wrench [N m or N], shape (n,).

    The wrench is what the surroundings exert on the robot, as everywhere in this package: the
    drives and it move the robot with tau + tau_external, see docs/theory.md. J is the Jacobian of
    the frame in its LOCAL_WORLD_ALIGNED form; it is not formed: the wrench is passed down from
    joint to joint, as in RNEA. It is (6,): force [N], and moment about the origin of the frame
    [N m], in the axes of the base.
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


def _in_axes(
    model: RobotModel, poses: Sequence[Transform], frame: Frame, axes: Axes, motion: Motion
) -> list[Scalar]:
    """A motion of the body of a frame, from the axes of the body; [linear; angular], (6,)."""
    if axes == 'LOCAL':
        motion = motion.seen_from(frame.placement)
    else:
        if axes == 'LOCAL_WORLD_ALIGNED':
            motion = motion.seen_from(Transform(translation=frame.placement.translation))
            poses = [Transform(pose.rotation) for pose in poses]
        for i in chain(model, frame.body):
            motion = poses[i] @ motion
    return [*motion.linear, *motion.angular]


def _origin_velocities(
    model: RobotModel, poses: Sequence[Transform], directions: Sequence[Motion], rates: Scalars
) -> list[Motion]:
    """Angular velocity, and velocity of the origin, of the base and of every body."""
    velocities = [Motion()]
    for i, joint in enumerate(model.joints):
        start = poses[joint.parent].translation if joint.parent >= 0 else ZERO
        lever = Transform(translation=subtract(poses[i].translation, start))
        parent = velocities[joint.parent + 1].seen_from(lever)
        velocities.append(parent + directions[i] * rates[i])
    return velocities


def _matrix(model: RobotModel, columns: dict[int, Motion]) -> Rows:
    """(6, n), [linear; angular]."""
    matrix = zeros(6, len(model.joints))
    for i, column in columns.items():
        for row, entry in zip(matrix, (*column.linear, *column.angular), strict=True):
            row[i] = entry
    return generalized_rows(model, matrix)
