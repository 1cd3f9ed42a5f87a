"""Inverse dynamics in screw form: Newton-Euler on a product of exponentials.

Notes on Modern Robotics, chapter 8 (document 003), section "RNEA"; Lynch, Park, "Modern Robotics"
(2017), section 8.3. It shares nothing but the kinematic tree with `algorithms/rnea.py`: frames are
at the centres of mass, joints are screw axes at the home position, velocities are twists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Frame, Joint
from robot_dynamics_ros.core.spatial import ZERO, Transform, Vector, cross, rotate

from .rigid_body import body_wrench, spatial_inertia
from .screw import Array, adjoint, exponential, inverse, lie_bracket


@dataclass(frozen=True)
class ScrewLink:
    """A link and its joint at the home position, q = 0.

    Attributes:
        home: M_(parent, i), pose of the link's frame in its parent's; both at centres of mass.
        axis: (6,) A_i, the screw axis of the joint, in the link's frame.
        inertia: (6, 6) G_i, about the centre of mass.
    """

    home: Transform
    axis: Array
    inertia: Array


def screw_links(model: RobotModel) -> list[ScrewLink]:
    """The robot as M_(i-1, i) = M_(i-1)^-1 M_i, A_i = Ad_(M_i^-1) S_i and G_i.

    M_i is the pose of link i and S_i the axis of joint i, in the base, with every joint at zero.
    """
    bodies: list[Transform] = []
    centers: list[Transform] = []
    links = []
    for joint in model.joints:
        root = joint.parent < 0
        body = joint.placement if root else bodies[joint.parent] @ joint.placement
        center = body @ Transform(translation=joint.inertia.center_of_mass)
        parent = Transform() if root else centers[joint.parent]
        axis = adjoint(inverse(center)) @ np.ravel(_axis_in_base(joint, body))
        inertia = spatial_inertia(joint.inertia.mass, joint.inertia.rotational_at_center_of_mass)
        links.append(ScrewLink(inverse(parent) @ center, axis, inertia))
        bodies.append(body)
        centers.append(center)
    return links


def inverse_dynamics(
    model: RobotModel,
    q: Sequence[float],
    v: Sequence[float],
    a: Sequence[float],
    gravity: Vector,
    tip: Frame | None = None,
    tip_wrench: npt.ArrayLike = (0.0,) * 6,
) -> Array:
    """tau = M(q) a + C(q, v) v + g(q) + J^T F_tip [N m or N], (n,).

    Equivalent to rnea.inverse_dynamics where there is no wrench.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        a: (n,) accelerations [rad/s^2 or m/s^2].
        gravity: (3,) in the base frame [m/s^2].
        tip: the frame at which the robot touches something; None: it does not.
        tip_wrench: (6,) F_(n+1), (moment, force) that the robot exerts on its environment, about
            the origin and in the axes of the tip [N m, N].
    """
    links = screw_links(model)
    # Forward, base to tips. The base accelerates upward by V_dot_0 = (0, -g0).
    at_rest, upward = np.zeros(6), np.array([*ZERO, *gravity]) * -1.0
    twists: list[Array] = []
    rates: list[Array] = []
    transforms: list[Array] = []
    wrenches: list[Array] = []
    for joint, link in zip(model.joints, links, strict=True):
        index, multiplier = joint.coordinate.index, joint.coordinate.multiplier
        # T_(i, i-1) = e^(-[A_i] theta_i) M_(i, i-1).
        angle = multiplier * q[index] + joint.coordinate.offset
        turned = exponential(_pair(link.axis), -angle)
        transform = adjoint(turned @ inverse(link.home))
        moving = joint.parent >= 0
        parent, parent_rate = (
            (twists[joint.parent], rates[joint.parent]) if moving else (at_rest, upward)
        )
        # V_i = A_i theta_dot + Ad_T V_(i-1).
        joint_twist = multiplier * v[index] * link.axis
        twist = joint_twist + transform @ parent
        # V_dot_i = A_i theta_ddot + Ad_T V_dot_(i-1) + ad_(V_i) A_i theta_dot.
        rate = multiplier * a[index] * link.axis + transform @ parent_rate
        rate += lie_bracket(twist) @ joint_twist
        twists.append(twist)
        rates.append(rate)
        transforms.append(transform)
        wrenches.append(body_wrench(link.inertia, twist, rate))
    if tip is not None and tip.body >= 0:
        # T_(n+1, n), from the frame at the centre of mass of the link that carries the tip.
        center = Transform(translation=model.joints[tip.body].inertia.center_of_mass)
        from_link = inverse(inverse(center) @ tip.placement)
        wrenches[tip.body] = wrenches[tip.body] + adjoint(from_link).T @ np.ravel(tip_wrench)

    # Backward, tips to base: F_i = Ad_T^T F_(i+1) + G_i V_dot_i - ad_(V_i)^T (G_i V_i), and
    # tau_i = F_i^T A_i, with what accelerates the rotor.
    tau = np.zeros(model.size)
    for i, joint in reversed(list(enumerate(model.joints))):
        index, multiplier = joint.coordinate.index, joint.coordinate.multiplier
        effort = wrenches[i] @ links[i].axis + joint.armature * multiplier * a[index]
        tau[index] += multiplier * effort
        if joint.parent >= 0:
            wrenches[joint.parent] = wrenches[joint.parent] + transforms[i].T @ wrenches[i]
    return tau


def _axis_in_base(joint: Joint, body: Transform) -> tuple[Vector, Vector]:
    """S = (omega, -omega x p) of a joint that rotates, (0, v) of one that slides."""
    direction = rotate(body.rotation, joint.axis)
    if joint.slides:
        return ZERO, direction
    return direction, cross(body.translation, direction)


def _pair(screw: Array) -> tuple[Vector, Vector]:
    x = screw.tolist()
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])
