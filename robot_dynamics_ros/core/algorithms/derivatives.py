"""Derivatives of inverse dynamics in position, velocity and acceleration, in the base frame."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.robot import RobotModel
from ..scalar import Scalar
from ..spatial import Vector, scale
from .base_frame import (
    MovingTree,
    Pair,
    coriolis,
    coriolis_transposed,
    force_cross,
    inertial,
    motion_cross,
    moving_tree,
    power,
)
from .joint_tree import accumulate, ancestors, joint_rates


def inverse_dynamics_derivatives(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector,
) -> list[list[list[Scalar]]]:
    """dtau/dq, dtau/dv and dtau/da = M, shape (3, n, n).

    Singh, Russell, Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial
    vector algebra" (2022), algorithm 1. A motion of joint j rotates all that it carries: their
    acceleration changes by S_ddot, their velocity by S_dot, and the wrench on them rotates with
    them. dtau/dv is twice the Coriolis matrix of the Christoffel symbols, as the torque is
    quadratic in v.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        a: (n,) accelerations [rad/s^2 or m/s^2].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """
    tree = moving_tree(model, q, v)
    axes, bodies = tree.axes, tree.bodies
    axis_accelerations, wrenches = _forward(model, tree, v, a, gravity)
    twice_rates = [rate.times(2.0) for rate in tree.axis_rates]
    in_q, in_v, in_a = ([[0.0] * model.size for _ in range(model.size)] for _ in range(3))

    # Backward, tips to base: bodies[i] is all that joint i carries, as one; wrenches[i] moves it.
    for i, joint in reversed(list(enumerate(model.joints))):
        body, axis, axis_rate = bodies[i], axes[i], tree.axis_rates[i]
        momentum = inertial(body.inertia, axis)
        column_v = (inertial(body.inertia, axis_rate) + coriolis(body, axis)).times(2.0)
        row = coriolis_transposed(body, axis).times(2.0)
        column_q = inertial(body.inertia, axis_accelerations[i]) + coriolis(body, twice_rates[i])
        accumulate(in_q, joint, joint, power(axis, column_q))
        accumulate(in_v, joint, joint, power(axis, column_v))
        accumulate(in_a, joint, joint, power(axis, momentum) + joint.armature)
        # The joint's own axis rotates with the wrench, the axis of an ancestor does not.
        column_q += force_cross(axis, wrenches[i])
        for j in ancestors(model, i):
            ancestor = model.joints[j]
            accumulate(in_q, ancestor, joint, power(axes[j], column_q))
            below = power(axis_accelerations[j], momentum) + power(tree.axis_rates[j], row)
            accumulate(in_q, joint, ancestor, below)
            accumulate(in_v, ancestor, joint, power(axes[j], column_v))
            below = power(twice_rates[j], momentum) + power(axes[j], row)
            accumulate(in_v, joint, ancestor, below)
            entry = power(axes[j], momentum)
            accumulate(in_a, ancestor, joint, entry)
            accumulate(in_a, joint, ancestor, entry)
        if joint.parent >= 0:
            bodies[joint.parent] += body
            wrenches[joint.parent] += wrenches[i]
    return [in_q, in_v, in_a]


def _forward(
    model: RobotModel,
    tree: MovingTree,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector,
) -> tuple[list[Pair], list[Pair]]:
    """Base to tips: S_ddot of every axis, and the wrench that moves every body."""
    # Gravity enters as an upward acceleration of the base.
    accelerations = [Pair(linear=scale(-1.0, gravity))]
    axis_accelerations, wrenches = [], []
    for i, (joint, rate, acceleration) in enumerate(
        zip(model.joints, joint_rates(model, v), joint_rates(model, a), strict=True)
    ):
        carrier, axis, axis_rate = tree.carriers[i], tree.axes[i], tree.axis_rates[i]
        carried = accelerations[joint.parent + 1]
        axis_accelerations.append(motion_cross(carried, axis) + motion_cross(carrier, axis_rate))
        accelerations.append(carried + axis.times(acceleration) + axis_rate.times(rate))
        body = tree.bodies[i]
        wrenches.append(inertial(body.inertia, accelerations[-1]) + coriolis(body, tree.twists[i]))
    return axis_accelerations, wrenches
