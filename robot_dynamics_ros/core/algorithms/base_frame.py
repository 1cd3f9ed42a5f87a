"""Bodies in base axes: joint axes, twists, wrenches, inertias, momenta, all about one point.

Every branch is computed about the origin of its first joint (`RobotModel.at_origin`): about a
distant base origin, moments lose digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.inertia import Inertia
from ..model.robot import RobotModel
from ..model.tree import Joint
from ..scalar import Scalar
from ..spatial import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    add_matrices,
    cross,
    dot,
    multiply,
    rotate,
    rotate_back,
    scale,
    subtract,
    trace,
)
from .joint_tree import joint_frames, joint_rates


@dataclass(frozen=True)
class Pair:
    """A twist (omega, velocity of the origin) or a wrench (moment about it, force)."""

    angular: Vector = ZERO
    linear: Vector = ZERO

    def __add__(self, other: Pair) -> Pair:
        return Pair(add(self.angular, other.angular), add(self.linear, other.linear))

    def times(self, factor: Scalar) -> Pair:
        """factor * pair."""
        return Pair(scale(factor, self.angular), scale(factor, self.linear))


@dataclass(frozen=True)
class MovingBody:
    """A body in base axes.

    Attributes:
        inertia: its mass moments about the origin.
        velocity_moment: (3, 3) K^T = integral p p_dot^T dm [kg m^2/s].
        momentum: (3,) integral p_dot dm [kg m/s].
    """

    inertia: Inertia
    velocity_moment: Matrix
    momentum: Vector

    def __add__(self, other: MovingBody) -> MovingBody:
        return MovingBody(
            self.inertia + other.inertia,
            add_matrices(self.velocity_moment, other.velocity_moment),
            add(self.momentum, other.momentum),
        )


@dataclass(frozen=True)
class MovingTree:
    """The robot in motion, one entry per joint.

    Attributes:
        carriers: twist of the body that carries the joint.
        twists: twist of the body that the joint carries.
        axes: S, the twist of a unit rate of the joint.
        axis_rates: S_dot, its derivative in time.
        bodies: the body that the joint carries.
    """

    carriers: list[Pair]
    twists: list[Pair]
    axes: list[Pair]
    axis_rates: list[Pair]
    bodies: list[MovingBody]


def moving_tree(model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]) -> MovingTree:
    """Base to tips: the joint axes S, their rates S_dot, and the bodies.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    model = model.at_origin
    twists = [Pair()]
    tree = MovingTree([], [], [], [], [])
    for joint, (rotation, translation), rate in zip(
        model.joints, body_poses(model, q), joint_rates(model, v), strict=True
    ):
        axis, carrier = axis_of(joint, rotation, translation), twists[joint.parent + 1]
        twist = carrier + axis.times(rate)
        twists.append(twist)
        tree.carriers.append(carrier)
        tree.twists.append(twist)
        tree.axes.append(axis)
        tree.axis_rates.append(motion_cross(carrier, axis))
        tree.bodies.append(moving(joint.inertia.moved(rotation, translation), twist))
    return tree


def body_poses(model: RobotModel, q: Sequence[Scalar]) -> list[tuple[Matrix, Vector]]:
    """Rotation and origin of every body in the base, at the positions q (n,)."""
    poses = [(IDENTITY, ZERO)]
    for joint, (rotation, translation) in zip(model.joints, joint_frames(model, q), strict=True):
        base_rotation, base_translation = poses[joint.parent + 1]
        poses.append(
            (
                multiply(base_rotation, rotation),
                add(base_translation, rotate(base_rotation, translation)),
            )
        )
    return poses[1:]


def axis_of(joint: Joint, rotation: Matrix, translation: Vector) -> Pair:
    """S, the twist of a unit rate of a joint, from the pose of its body in the base."""
    direction = rotate(rotation, joint.axis)
    if joint.kind == 'prismatic':
        return Pair(linear=direction)
    return Pair(direction, cross(translation, direction))


def motion_cross(twist: Pair, motion: Pair) -> Pair:
    """twist x motion: the rate of a motion vector that is fixed to a body with that twist."""
    linear = add(cross(twist.angular, motion.linear), cross(twist.linear, motion.angular))
    return Pair(cross(twist.angular, motion.angular), linear)


def force_cross(twist: Pair, wrench: Pair) -> Pair:
    """twist x* wrench: the rate of a wrench that is fixed to a body with that twist."""
    moment = add(cross(twist.angular, wrench.angular), cross(twist.linear, wrench.linear))
    return Pair(moment, cross(twist.angular, wrench.linear))


def moving(inertia: Inertia, twist: Pair) -> MovingBody:
    """The body of an inertia and a twist, both in one frame."""
    first, second = inertia.first_moment, inertia.second_moment
    x, y, z = (
        add(scale(first[k], twist.linear), cross(twist.angular, second[k])) for k in range(3)
    )
    momentum = add(scale(inertia.mass, twist.linear), cross(twist.angular, first))
    return MovingBody(inertia, (x, y, z), momentum)


def inertial(inertia: Inertia, motion: Pair) -> Pair:
    """I motion, the wrench that gives a body at rest this acceleration."""
    return Pair(
        add(
            rotate(inertia.rotational, motion.angular),
            cross(inertia.first_moment, motion.linear),
        ),
        add(scale(inertia.mass, motion.linear), cross(motion.angular, inertia.first_moment)),
    )


def coriolis(body: MovingBody, motion: Pair) -> Pair:
    """B motion, a wrench; B is the Coriolis matrix of the body (see `coriolis_matrix`)."""
    omega, K_transposed = motion.angular, body.velocity_moment
    moment = subtract(scale(trace(K_transposed), omega), rotate_back(K_transposed, omega))
    return Pair(moment, cross(omega, body.momentum))


def coriolis_transposed(body: MovingBody, motion: Pair) -> Pair:
    """B^T motion, a wrench without force."""
    omega, K_transposed = motion.angular, body.velocity_moment
    moment = subtract(scale(trace(K_transposed), omega), rotate(K_transposed, omega))
    return Pair(add(moment, cross(body.momentum, motion.linear)))


def power(twist: Pair, wrench: Pair) -> Scalar:
    """The power of a wrench on a twist."""
    return dot(twist.angular, wrench.angular) + dot(twist.linear, wrench.linear)
