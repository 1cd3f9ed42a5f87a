"""The dynamics by Lagrange's formulation: energies, and the Jacobians of the links.

Independent of the recursive algorithms: only poses are propagated from link to link, and each
link is described by its centre of mass, as in the textbooks. It is slow, and a check on
`algorithms`.

Sources: lecture notes "Lagrange equations" (document 000), section 4.3; "Dynamics (Lagrangian
formulation)" (document 001), equations 34 to 42; Le, Nguyen, Nguyen, "Dynamic model with a new
formulation of Coriolis/centrifugal matrix" (document 004, 2020), equations 17 to 28.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robot_dynamics_ros.core.algorithms.kinematics import chain
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.core.scalar import Scalar
from robot_dynamics_ros.core.spatial import (
    ZERO,
    Matrix,
    Transform,
    Vector,
    add,
    cross,
    dot,
    rotate,
    rotate_symmetric,
    scale,
    subtract,
)


@dataclass(frozen=True)
class LinkState:
    """A moving link at some q, in the base frame.

    Attributes:
        mass: m [kg].
        center: (3,) p_c, the centre of mass [m].
        rotational: (3, 3) R I R^T, about the centre of mass [kg m^2].
        linear: columns of Jv, by index in q; those left out are zero.
        angular: columns of Jw, by index in q; those left out are zero.
    """

    mass: Scalar
    center: Vector
    rotational: Matrix
    linear: dict[int, Vector]
    angular: dict[int, Vector]


def link_states(model: RobotModel, q: Sequence[Scalar]) -> list[LinkState]:
    """Centres of mass and Jacobians of all moving links (000, 4.3.4; 001, equation 35).

    The column of a revolute joint is [z x (p_c - p); z], that of a prismatic joint [z; 0], with
    its axis z through p. A mimic joint adds its column, times its multiplier, to the column of
    the joint that it mimics: the Jacobian in all joints times G, where q_dot of all is G q_dot.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
    """
    poses = _poses(model, q)
    return [_link_state(model, poses, index) for index in range(len(model.joints))]


def mass_matrix(model: RobotModel, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M = sum of m Jv^T Jv + Jw^T R I R^T Jw over the links, (n, n).

    000, 4.3.4; 001, equation 37; 004, equation 28. Rotors add their armature to the diagonal.
    Equivalent to crba.mass_matrix.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
    """
    matrix: list[list[Scalar]] = [[0.0] * model.size for _ in range(model.size)]
    for link in link_states(model, q):
        for k in link.linear:
            momentum = scale(link.mass, link.linear[k])
            angular_momentum = rotate(link.rotational, link.angular[k])
            for j in link.linear:
                if j <= k:
                    entry = dot(link.linear[j], momentum)
                    entry += dot(link.angular[j], angular_momentum)
                    matrix[j][k] += entry
                    if j != k:
                        matrix[k][j] += entry
    for joint in model.joints:
        matrix[joint.index][joint.index] += joint.coordinate.multiplier**2 * joint.armature
    return matrix


def kinetic_energy(model: RobotModel, q: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    """T = sum of (m v_c^T v_c + omega^T R I R^T omega) / 2 over the links [J].

    000, 4.3.2; 001, equation 34; 004, equation 18. Rotors add theirs. Equivalent to v^T M v / 2.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
    """
    energy: Scalar = 0.0
    for link in link_states(model, q):
        velocity, omega = _times(link.linear, v), _times(link.angular, v)
        rotational = dot(omega, rotate(link.rotational, omega))
        energy += 0.5 * (link.mass * dot(velocity, velocity) + rotational)
    for joint in model.joints:
        rate = joint.coordinate.multiplier * v[joint.index]
        energy += 0.5 * joint.armature * rate * rate
    return energy


def potential_energy(model: RobotModel, q: Sequence[Scalar], gravity: Vector) -> Scalar:
    """U = - sum of m g0^T p_c over the links [J], zero at the base (001, equation 38).

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        gravity: (3,) g0, in the base frame [m/s^2].
    """
    energy: Scalar = 0.0
    for link in link_states(model, q):
        energy -= link.mass * dot(gravity, link.center)
    return energy


def gravity_torque(model: RobotModel, q: Sequence[Scalar], gravity: Vector) -> list[Scalar]:
    """g = - sum of Jv^T m g0 over the links [N m or N], (n,).

    000, 4.3.8; 001, equation 42. The gradient of U; equivalent to rnea.gravity_torque.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        gravity: (3,) g0, in the base frame [m/s^2].
    """
    torque: list[Scalar] = [0.0] * model.size
    for link in link_states(model, q):
        weight = scale(link.mass, gravity)
        for index, column in link.linear.items():
            torque[index] -= dot(column, weight)
    return torque


def _poses(model: RobotModel, q: Sequence[Scalar]) -> list[Transform]:
    """T_i = T_parent T_i(q_i), the pose of each body in the base (004, equation 15)."""
    poses: list[Transform] = []
    for joint in model.joints:
        pose = joint.pose(q)
        poses.append(pose if joint.parent < 0 else poses[joint.parent] @ pose)
    return poses


def _link_state(model: RobotModel, poses: list[Transform], index: int) -> LinkState:
    body, pose = model.joints[index].inertia, poses[index]
    center = add(pose.translation, rotate(pose.rotation, body.center_of_mass))
    linear: dict[int, Vector] = {}
    angular: dict[int, Vector] = {}
    for i in chain(model, index):
        joint = model.joints[i]
        for columns, column in zip(
            (linear, angular), _columns(joint, poses[i], center), strict=True
        ):
            share = scale(joint.coordinate.multiplier, column)
            columns[joint.index] = add(columns.get(joint.index, ZERO), share)
    rotational = rotate_symmetric(pose.rotation, body.rotational_at_center_of_mass)
    return LinkState(body.mass, center, rotational, linear, angular)


def _columns(joint: Joint, pose: Transform, center: Vector) -> tuple[Vector, Vector]:
    axis = rotate(pose.rotation, joint.axis)
    if joint.slides:
        return axis, ZERO
    return cross(axis, subtract(center, pose.translation)), axis


def _times(columns: dict[int, Vector], v: Sequence[Scalar]) -> Vector:
    total = ZERO
    for index, column in columns.items():
        total = add(total, scale(v[index], column))
    return total
