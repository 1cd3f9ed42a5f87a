"""Forward dynamics by the articulated-body algorithm, in body frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.robot import RobotModel
from ..scalar import Scalar, Scalars
from ..spatial import (
    ZERO,
    Force,
    Inertia,
    Matrix,
    Motion,
    Transform,
    Vector,
    add,
    add_matrices,
    axial,
    cross,
    multiply,
    outer,
    rotate,
    rotate_back,
    rotate_symmetric,
    scale,
    skew,
    subtract_matrices,
    symmetric,
    transpose,
)
from .crba import factorize, largest_inertias, require_pivot, solve
from .kinematics import joint_poses, joint_rates
from .record import quantity
from .rnea import bias_torque, spreading


@quantity('n', unit='rad/s^2 or m/s^2')
def forward_dynamics(
    model: RobotModel, q: Scalars, v: Scalars, tau: Scalars, gravity: Vector
) -> list[Scalar]:
    """The acceleration a that the torques tau give.

    Featherstone, "Rigid Body Dynamics Algorithms" (2008), table 7.1, with the accelerations of the
    origins of the bodies instead of spatial ones. Rotors add their armature to the inertia that a
    joint feels. Mimic joints couple bodies across the tree, which has no articulated inertia then:
    `solved_forward_dynamics` is computed instead.

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any; the message names the
            joint that moves no mass.
    """
    if any(joint.mimicked is not None for joint in model.joints):
        return solved_forward_dynamics(model, q, v, tau, gravity)
    poses = joint_poses(model, q)
    biases, wrenches = _forward(model, poses, joint_rates(model, v))
    responses = _backward(model, q, tau, poses, biases, wrenches)

    # Forward, base to tips. Gravity enters as an upward acceleration of the base.
    accelerations = [Motion(linear=scale(-1.0, gravity))]
    a: list[Scalar] = [0.0] * model.size
    for joint, pose, bias, response in zip(model.joints, poses, biases, responses, strict=True):
        carried = accelerations[joint.parent + 1].seen_from(pose) + bias
        a[joint.index] = response.effort - carried.dot(response.ratio)
        accelerations.append(carried + joint.subspace * a[joint.index])
    return a


def solved_forward_dynamics(
    model: RobotModel, q: Scalars, v: Scalars, tau: Scalars, gravity: Vector
) -> list[Scalar]:
    """The acceleration a (n,) of M(q) a = tau - bias(q, v) [rad/s^2 or m/s^2].

    Walker, Orin, "Efficient dynamic computer simulation of robotic mechanisms" (1982), method 3.

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    bias = bias_torque(model, q, v, gravity)
    return solve(factorize(model, q), [have - need for have, need in zip(tau, bias, strict=True)])


@dataclass(frozen=True)
class _Response:
    """How a joint yields: u / D, the wrench U of a unit acceleration, and U / D."""

    effort: Scalar
    wrench: Force
    ratio: Force


@dataclass(frozen=True)
class _Articulated:
    """[[A, H], [H^T, N]] of wrench = inertia acceleration, A and N symmetric."""

    A: Matrix
    H: Matrix
    N: Matrix

    @classmethod
    def rigid(cls, body: Inertia) -> _Articulated:
        m = body.mass
        return cls(body.rotational, skew(body.first_moment), symmetric(m, 0.0, 0.0, m, 0.0, m))

    def __matmul__(self, motion: Motion) -> Force:
        return Force(
            add(rotate(self.A, motion.angular), rotate(self.H, motion.linear)),
            add(rotate_back(self.H, motion.angular), rotate(self.N, motion.linear)),
        )

    def __add__(self, other: _Articulated) -> _Articulated:
        return _Articulated(
            add_matrices(self.A, other.A),
            add_matrices(self.H, other.H),
            add_matrices(self.N, other.N),
        )

    def apparent(self, response: _Response) -> _Articulated:
        """I - U U^T / D, in which the joint transmits nothing along its axis."""
        wrench, ratio = response.wrench, response.ratio
        return _Articulated(
            _upper(subtract_matrices(self.A, outer(wrench.angular, ratio.angular))),
            subtract_matrices(self.H, outer(wrench.angular, ratio.linear)),
            _upper(subtract_matrices(self.N, outer(wrench.linear, ratio.linear))),
        )

    def moved(self, pose: Transform) -> _Articulated:
        """The same, about the origin and in the axes of the parent."""
        R, P = pose.rotation, skew(pose.translation)
        N = rotate_symmetric(R, self.N)
        H = multiply(R, multiply(self.H, transpose(R)))
        # H + P N and A + P H^T + (P (H + P N)^T)^T, with P = [translation]x.
        shifted = add_matrices(H, multiply(P, N))
        left, right = multiply(P, transpose(H)), multiply(P, transpose(shifted))
        A = add_matrices(rotate_symmetric(R, self.A), add_matrices(left, transpose(right)))
        return _Articulated(_upper(A), shifted, N)


def _forward(
    model: RobotModel, poses: Sequence[Transform], rates: Scalars
) -> tuple[list[Motion], list[Force]]:
    """Base to tips: accelerations and wrenches that are there without joint accelerations."""
    omegas, biases, wrenches = [ZERO], [], []
    for joint, pose, speed in zip(model.joints, poses, rates, strict=True):
        omega = omegas[joint.parent + 1]
        swung = rotate_back(pose.rotation, cross(omega, cross(omega, pose.translation)))
        omega = rotate_back(pose.rotation, omega)
        rate = joint.subspace * speed
        sliding = scale(2.0, cross(omega, rate.linear))
        biases.append(Motion(cross(omega, rate.angular), add(swung, sliding)))
        omega = add(omega, rate.angular)
        omegas.append(omega)
        body, U = joint.inertia, spreading(omega, omega, ZERO)
        moment = axial(multiply(U, body.second_moment))
        wrenches.append(Force(moment, rotate(U, body.first_moment)))
    return biases, wrenches


def _backward(
    model: RobotModel,
    q: Scalars,
    tau: Scalars,
    poses: Sequence[Transform],
    biases: Sequence[Motion],
    wrenches: list[Force],
) -> list[_Response]:
    """Tips to base: what is left of each body when its joint yields to its torque."""
    bodies = [_Articulated.rigid(joint.inertia) for joint in model.joints]
    largest = largest_inertias(model, q)
    responses: list[_Response] = []
    for i, joint in reversed(list(enumerate(model.joints))):
        S = joint.subspace
        U = bodies[i] @ S
        D = S.dot(U) + joint.armature
        require_pivot(model, q, joint.index, D, largest[joint.index])
        effort = (tau[joint.index] - S.dot(wrenches[i])) / D
        responses.append(_Response(effort, U, _quotient(U, D)))
        if joint.parent >= 0:
            body = bodies[i].apparent(responses[-1])
            wrench = wrenches[i] + body @ biases[i] + U * effort
            bodies[joint.parent] += poses[i] @ body
            wrenches[joint.parent] += poses[i] @ wrench
    return responses[::-1]


def _quotient(wrench: Force, inertia: Scalar) -> Force:
    """U / D. An entry that is D or zero folds; the others share one division."""
    inverse = 1.0 / inertia

    def entry(x: Scalar) -> Scalar:
        folded = x / inertia
        return folded if isinstance(folded, float) else x * inverse

    (x, y, z), (u, v, w) = wrench.angular, wrench.linear
    return Force((entry(x), entry(y), entry(z)), (entry(u), entry(v), entry(w)))


def _upper(matrix: Matrix) -> Matrix:
    """A matrix that is symmetric but for rounding, by its upper half."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    return symmetric(xx, xy, xz, yy, yz, zz)
