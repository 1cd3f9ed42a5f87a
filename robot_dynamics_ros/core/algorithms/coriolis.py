"""The Coriolis matrix that is consistent with the Christoffel symbols, in the base frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..inertia import Inertia
from ..model import Joint, RobotModel
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
from .joint_tree import accumulate, ancestors, joint_frames, joint_rates


@dataclass(frozen=True)
class _Pair:
    """A twist (omega, velocity of the base origin) or a wrench (moment about it, force)."""

    angular: Vector = ZERO
    linear: Vector = ZERO

    def __add__(self, other: _Pair) -> _Pair:
        return _Pair(add(self.angular, other.angular), add(self.linear, other.linear))


@dataclass(frozen=True)
class _MovingBody:
    """A body in base coordinates: its inertia, K^T = integral p p_dot^T dm, and its momentum."""

    inertia: Inertia
    spin: Matrix
    momentum: Vector

    def __add__(self, other: _MovingBody) -> _MovingBody:
        return _MovingBody(
            self.inertia + other.inertia,
            add_matrices(self.spin, other.spin),
            add(self.momentum, other.momentum),
        )


def coriolis_matrix(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]
) -> list[list[Scalar]]:
    """C(q, v), shape (n, n), with C v the velocity torque and M_dot - 2 C skew-symmetric.

    Echeandia, Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols
    for rigid-body systems" (2021), algorithm 1. Its matrix B is written in mass moments: a
    particle that moves with J v has the Coriolis matrix m J^T J_dot, and the sum over a body
    with J = [-[p]x, 1] is B = [[tr(K) 1 - K, 0], [-[f]x, 0]], with K = integral p_dot p^T dm and
    the momentum f.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    axes, axis_rates, bodies = _forward(model, q, v)
    matrix: list[list[Scalar]] = [[0.0] * model.size for _ in range(model.size)]

    # Backward, tips to base: bodies[i] is all that joint i carries, as one.
    for i, joint in reversed(list(enumerate(model.joints))):
        body = bodies[i]
        column = _inertial(body, axis_rates[i]) + _coriolis(body, axes[i])
        row = _coriolis_transposed(body, axes[i])
        row_rate = _inertial(body, axes[i])
        accumulate(matrix, joint, joint, _power(axes[i], column))
        for j in ancestors(model, i):
            ancestor = model.joints[j]
            accumulate(matrix, ancestor, joint, _power(axes[j], column))
            entry = _power(axis_rates[j], row_rate) + _power(axes[j], row)
            accumulate(matrix, joint, ancestor, entry)
        if joint.parent >= 0:
            bodies[joint.parent] += body
    return matrix


def _forward(
    model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]
) -> tuple[list[_Pair], list[_Pair], list[_MovingBody]]:
    """Base to tips: the joint axes S, their rates S_dot, and the bodies, in base coordinates."""
    poses = [(IDENTITY, ZERO)]
    twists = [_Pair()]
    axes, axis_rates, bodies = [], [], []
    for joint, (rotation, translation), rate in zip(
        model.joints, joint_frames(model, q), joint_rates(model, v), strict=True
    ):
        base_rotation, base_translation = poses[joint.parent + 1]
        rotation = multiply(base_rotation, rotation)
        translation = add(base_translation, rotate(base_rotation, translation))
        poses.append((rotation, translation))

        axis, carrier = _axis(joint, rotation, translation), twists[joint.parent + 1]
        twist = carrier + _Pair(scale(rate, axis.angular), scale(rate, axis.linear))
        twists.append(twist)
        axes.append(axis)
        axis_rates.append(_carried_rate(carrier, axis))
        bodies.append(_moving(joint.inertia.moved(rotation, translation), twist))
    return axes, axis_rates, bodies


def _axis(joint: Joint, rotation: Matrix, translation: Vector) -> _Pair:
    direction = rotate(rotation, joint.axis)
    if joint.kind == 'prismatic':
        return _Pair(linear=direction)
    return _Pair(direction, cross(translation, direction))


def _carried_rate(carrier: _Pair, axis: _Pair) -> _Pair:
    """S_dot = carrier x S, the motion cross product."""
    linear = add(cross(carrier.angular, axis.linear), cross(carrier.linear, axis.angular))
    return _Pair(cross(carrier.angular, axis.angular), linear)


def _moving(inertia: Inertia, twist: _Pair) -> _MovingBody:
    first, second = inertia.first_moment, inertia.second_moment
    x, y, z = (
        add(scale(first[k], twist.linear), cross(twist.angular, second[k])) for k in range(3)
    )
    momentum = add(scale(inertia.mass, twist.linear), cross(twist.angular, first))
    return _MovingBody(inertia, (x, y, z), momentum)


def _inertial(body: _MovingBody, motion: _Pair) -> _Pair:
    """I motion, a wrench."""
    inertia = body.inertia
    return _Pair(
        add(
            rotate(inertia.rotational, motion.angular),
            cross(inertia.first_moment, motion.linear),
        ),
        add(scale(inertia.mass, motion.linear), cross(motion.angular, inertia.first_moment)),
    )


def _coriolis(body: _MovingBody, motion: _Pair) -> _Pair:
    """B motion, a wrench."""
    omega = motion.angular
    return _Pair(
        subtract(scale(trace(body.spin), omega), rotate_back(body.spin, omega)),
        cross(omega, body.momentum),
    )


def _coriolis_transposed(body: _MovingBody, motion: _Pair) -> _Pair:
    """B^T motion, which is a moment only."""
    omega = motion.angular
    moment = subtract(scale(trace(body.spin), omega), rotate(body.spin, omega))
    return _Pair(add(moment, cross(body.momentum, motion.linear)))


def _power(twist: _Pair, wrench: _Pair) -> Scalar:
    return dot(twist.angular, wrench.angular) + dot(twist.linear, wrench.linear)
