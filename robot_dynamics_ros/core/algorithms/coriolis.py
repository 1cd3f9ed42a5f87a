"""The Coriolis matrix that is consistent with the Christoffel symbols, in the base frame.

Every branch is computed about the origin of its first joint (`RobotModel.at_origin`): about a
distant base origin, moments lose digits.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model.robot import RobotModel
from ..scalar import Rows, Scalars
from ..spatial import (
    Force,
    Inertia,
    Matrix,
    Motion,
    Vector,
    add,
    add_matrices,
    cross,
    rotate,
    rotate_back,
    scale,
    subtract,
    trace,
)
from .kinematics import body_poses, chain, generalized_matrix, joint_rates, zeros
from .record import quantity


@quantity('n', 'n', unit='kg m^2/s, kg m/s or kg/s')
def coriolis_matrix(model: RobotModel, q: Scalars, v: Scalars) -> Rows:
    """C(q, v): dM/dt - 2 C is skew-symmetric.

    By Christoffel symbols: C v is the velocity torque. Echeandia, Wensing, "Numerical methods to
    compute the Coriolis matrix and Christoffel symbols for rigid-body systems" (2021), algorithm
    1. Its matrix B is written in mass moments: a particle that moves with J v has the Coriolis
    matrix m J^T J_dot, and the sum over a body with J = [-[p]x, 1] is B = [[tr(K) 1 - K, 0],
    [-[f]x, 0]], with K = integral p_dot p^T dm and the momentum f.
    """
    tree = moving_tree(model, q, v)
    axes, axis_rates, bodies = tree.axes, tree.axis_rates, tree.bodies
    matrix = zeros(len(bodies), len(bodies))

    # Backward, tips to base: bodies[i] is all that joint i carries, as one.
    for i, joint in reversed(list(enumerate(model.joints))):
        body = bodies[i]
        column = body.inertia @ axis_rates[i] + body.coriolis(axes[i])
        row, row_rate = body.coriolis_transposed(axes[i]), body.inertia @ axes[i]
        for j in chain(model, i):
            matrix[i][j] = axis_rates[j].dot(row_rate) + axes[j].dot(row)
            matrix[j][i] = axes[j].dot(column)
        if joint.parent >= 0:
            bodies[joint.parent] += body
    return generalized_matrix(model, matrix)


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

    @classmethod
    def of(cls, body: Inertia, twist: Motion) -> MovingBody:
        """The body of an inertia and a twist, both in one frame."""
        first, second = body.first_moment, body.second_moment
        x, y, z = (
            add(scale(first[k], twist.linear), cross(twist.angular, second[k])) for k in range(3)
        )
        momentum = add(scale(body.mass, twist.linear), cross(twist.angular, first))
        return cls(body, (x, y, z), momentum)

    def __add__(self, other: MovingBody) -> MovingBody:
        return MovingBody(
            self.inertia + other.inertia,
            add_matrices(self.velocity_moment, other.velocity_moment),
            add(self.momentum, other.momentum),
        )

    def coriolis(self, motion: Motion) -> Force:
        """B motion; B is the Coriolis matrix of the body (see `coriolis_matrix`)."""
        omega, K_transposed = motion.angular, self.velocity_moment
        moment = subtract(scale(trace(K_transposed), omega), rotate_back(K_transposed, omega))
        return Force(moment, cross(omega, self.momentum))

    def coriolis_transposed(self, motion: Motion) -> Force:
        """B^T motion, a wrench without force."""
        omega, K_transposed = motion.angular, self.velocity_moment
        moment = subtract(scale(trace(K_transposed), omega), rotate(K_transposed, omega))
        return Force(add(moment, cross(self.momentum, motion.linear)))


@dataclass(frozen=True)
class MovingTree:
    """The robot in motion, in base axes, one entry per joint.

    Attributes:
        parents: twist of the body that carries the joint.
        twists: twist of the body that the joint carries.
        axes: S, the motion subspace of the joint.
        axis_rates: S_dot, its derivative in time.
        bodies: the body that the joint carries.
    """

    parents: list[Motion]
    twists: list[Motion]
    axes: list[Motion]
    axis_rates: list[Motion]
    bodies: list[MovingBody]


def moving_tree(model: RobotModel, q: Scalars, v: Scalars) -> MovingTree:
    """Base to tips: the joint axes S, their rates S_dot, and the bodies."""
    model = model.at_origin
    twists = [Motion()]
    tree = MovingTree([], [], [], [], [])
    motions = zip(model.joints, body_poses(model, q), joint_rates(model, v), strict=True)
    for joint, pose, rate in motions:
        axis, parent = pose @ joint.subspace, twists[joint.parent + 1]
        twists.append(parent + axis * rate)
        tree.parents.append(parent)
        tree.twists.append(twists[-1])
        tree.axes.append(axis)
        tree.axis_rates.append(parent.cross(axis))
        tree.bodies.append(MovingBody.of(pose @ joint.inertia, twists[-1]))
    return tree
