"""Inverse dynamics in screw form: Newton-Euler on a product of exponentials.

Notes on Modern Robotics, chapter 8 (document 003), section "RNEA"; Lynch, Park, "Modern Robotics"
(2017), section 8.3. It shares nothing but the kinematic tree with `algorithms/rnea.py`: frames are
at the centres of mass, joints are screw axes at the home position, velocities are twists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Frame, Joint
from robot_dynamics_ros.core.scalar import Scalar
from robot_dynamics_ros.core.spatial import ZERO, Matrix, Transform, Vector, cross, rotate, scale

from .screw import (
    NO_WRENCH,
    Twist,
    Wrench,
    add_screws,
    adjoint,
    adjoint_transposed,
    exponential,
    inverse,
    lie_bracket,
    lie_bracket_transposed,
    pairing,
    scale_screw,
)

AT_REST: Twist = (ZERO, ZERO)


@dataclass(frozen=True)
class ScrewLink:
    """A link and its joint at the home position, q = 0.

    Attributes:
        parent: index of the link that carries this one, -1 for the base.
        home: M_(parent, i), pose of the link's frame in its parent's; both at centres of mass.
        axis: A_i, the screw axis of the joint, in the link's frame.
        mass: [kg].
        rotational: (3, 3) about the centre of mass [kg m^2].
    """

    parent: int
    home: Transform
    axis: Twist
    mass: Scalar
    rotational: Matrix


def screw_links(model: RobotModel) -> list[ScrewLink]:
    """The robot as M_(i-1, i) = M_(i-1)^-1 M_i, A_i = Ad_(M_i^-1) S_i and G_i.

    M_i is the pose of link i and S_i the axis of joint i, in the base, with every joint at zero.
    """
    bodies: list[Transform] = []
    centers: list[Transform] = []
    links = []
    for joint in model.joints:
        carrier = Transform() if joint.parent < 0 else bodies[joint.parent]
        body = carrier @ joint.placement
        center = body @ Transform(translation=joint.inertia.center_of_mass)
        parent = Transform() if joint.parent < 0 else centers[joint.parent]
        links.append(
            ScrewLink(
                joint.parent,
                inverse(parent) @ center,
                adjoint(inverse(center), _axis_in_base(joint, body)),
                joint.inertia.mass,
                joint.inertia.rotational_at_center_of_mass,
            )
        )
        bodies.append(body)
        centers.append(center)
    return links


def inverse_dynamics(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    gravity: Vector,
    tip: Frame | None = None,
    tip_wrench: Wrench = NO_WRENCH,
) -> list[Scalar]:
    """tau = M(q) a + C(q, v) v + g(q) + J^T F_tip [N m or N], (n,).

    Equivalent to rnea.inverse_dynamics where there is no wrench.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        a: (n,) accelerations [rad/s^2 or m/s^2].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
        tip: the frame at which the robot touches something; None: it does not.
        tip_wrench: F_(n+1), (moment, force) that the robot exerts on its environment, about the
            origin and in the axes of the tip [N m, N].
    """
    links = screw_links(model)
    coordinates = [joint.coordinate for joint in model.joints]

    # Forward, base to tips. The base accelerates upward by V_dot_0 = (0, -g0).
    twists: list[Twist] = []
    rates: list[Twist] = []
    transforms: list[Transform] = []
    wrenches: list[Wrench] = []
    for link, coordinate in zip(links, coordinates, strict=True):
        index, multiplier = coordinate.index, coordinate.multiplier
        # T_(i, i-1) = e^(-[A_i] theta_i) M_(i, i-1).
        angle = multiplier * q[index] + coordinate.offset
        transform = exponential(link.axis, -angle) @ inverse(link.home)
        carrier, carrier_rate = AT_REST, (ZERO, scale(-1.0, gravity))
        if link.parent >= 0:
            carrier, carrier_rate = twists[link.parent], rates[link.parent]
        # V_i = A_i theta_dot + Ad_T V_(i-1).
        joint_twist = scale_screw(multiplier * v[index], link.axis)
        twist = add_screws(joint_twist, adjoint(transform, carrier))
        # V_dot_i = A_i theta_ddot + Ad_T V_dot_(i-1) + ad_(V_i) A_i theta_dot.
        rate = add_screws(
            add_screws(
                scale_screw(multiplier * a[index], link.axis), lie_bracket(twist, joint_twist)
            ),
            adjoint(transform, carrier_rate),
        )
        twists.append(twist)
        rates.append(rate)
        transforms.append(transform)
        wrenches.append(_wrench(link, twist, rate))
    if tip is not None and tip.body >= 0:
        at_center = adjoint_transposed(_tip_from_link(model, tip), tip_wrench)
        wrenches[tip.body] = add_screws(wrenches[tip.body], at_center)

    # Backward, tips to base: F_i = Ad_T^T F_(i+1) + G_i V_dot_i - ad_(V_i)^T (G_i V_i), and
    # tau_i = F_i^T A_i, with what accelerates the rotor.
    tau: list[Scalar] = [0.0] * model.size
    for i, link in reversed(list(enumerate(links))):
        coordinate = coordinates[i]
        acceleration = coordinate.multiplier * a[coordinate.index]
        effort = pairing(link.axis, wrenches[i]) + model.joints[i].armature * acceleration
        tau[coordinate.index] += coordinate.multiplier * effort
        if link.parent >= 0:
            at_parent = adjoint_transposed(transforms[i], wrenches[i])
            wrenches[link.parent] = add_screws(wrenches[link.parent], at_parent)
    return tau


def _axis_in_base(joint: Joint, body: Transform) -> Twist:
    """S = (omega, -omega x p) of a joint that rotates, (0, v) of one that slides."""
    direction = rotate(body.rotation, joint.axis)
    if joint.slides:
        return ZERO, direction
    return direction, cross(body.translation, direction)


def _tip_from_link(model: RobotModel, tip: Frame) -> Transform:
    """T_(n+1, n), from the frame at the centre of mass of the link that carries the tip."""
    center = Transform(translation=model.joints[tip.body].inertia.center_of_mass)
    return inverse(inverse(center) @ tip.placement)


def _wrench(link: ScrewLink, twist: Twist, rate: Twist) -> Wrench:
    """G V_dot - ad_V^T (G V), with G = [[I, 0], [0, m 1]]."""
    inertial = rotate(link.rotational, rate[0]), scale(link.mass, rate[1])
    momentum = rotate(link.rotational, twist[0]), scale(link.mass, twist[1])
    velocity = lie_bracket_transposed(twist, momentum)
    return add_screws(inertial, scale_screw(-1.0, velocity))
