"""Forward dynamics by the articulated-body algorithm, in body frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.robot import RobotModel
from ..model.tree import Joint
from ..scalar import Scalar
from ..spatial import (
    ZERO,
    Matrix,
    Vector,
    add,
    add_matrices,
    axial,
    cross,
    dot,
    multiply,
    outer,
    rotate,
    rotate_back,
    rotate_symmetric,
    scale,
    subtract,
    symmetric,
    transpose,
)
from .joint_space import solved_forward_dynamics
from .joint_tree import joint_frames, joint_rates
from .pivots import largest_inertias, require_pivot
from .rnea import spreading


def forward_dynamics(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    gravity: Vector,
) -> list[Scalar]:
    """The acceleration a (n,) that the torques give [rad/s^2 or m/s^2].

    Featherstone, "Rigid Body Dynamics Algorithms" (2008), table 7.1, with the accelerations of
    points instead of spatial ones. Rotors add their armature to the inertia that a joint feels.
    Mimic joints couple bodies across the tree, which has no articulated inertia then:
    M a = tau - bias is solved instead.

    Args:
        model: the robot.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        tau: (n,) torques and forces of the joints [N m or N].
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].

    Raises:
        SingularMassMatrixError: M(q) is singular at this q, or at any.
    """
    if any(joint.mimicked is not None for joint in model.joints):
        return solved_forward_dynamics(model, q, v, tau, gravity)
    frames = joint_frames(model, q)
    biases, wrenches = _forward(model, frames, joint_rates(model, v))
    responses = _backward(model, q, tau, frames, biases, wrenches)

    # Forward, base to tips. Gravity enters as an upward acceleration of the base.
    accelerations = [_Pair(ZERO, scale(-1.0, gravity))]
    a: list[Scalar] = [0.0] * model.size
    for i, joint in enumerate(model.joints):
        rotation, translation = frames[i]
        carrier = accelerations[joint.parent + 1]
        linear = add(carrier.linear, cross(carrier.angular, translation))
        carried = _Pair(rotate_back(rotation, carrier.angular), rotate_back(rotation, linear))
        carried = carried.plus(biases[i])
        response = responses[i]
        entry = response.effort - response.ratio.dot(carried)
        a[joint.coordinate.index] = entry
        accelerations.append(carried.plus(_axis(joint), entry))
    return a


@dataclass(frozen=True)
class _Pair:
    """An acceleration (alpha, of the body's origin) or a wrench (moment about it, force)."""

    angular: Vector = ZERO
    linear: Vector = ZERO

    def plus(self, other: _Pair, factor: Scalar = 1.0) -> _Pair:
        return _Pair(
            add(self.angular, scale(factor, other.angular)),
            add(self.linear, scale(factor, other.linear)),
        )

    def dot(self, other: _Pair) -> Scalar:
        return dot(self.angular, other.angular) + dot(self.linear, other.linear)


@dataclass(frozen=True)
class _Response:
    """How a joint yields: u / D, the wrench U of a unit acceleration, and U / D."""

    effort: Scalar = 0.0
    wrench: _Pair = _Pair()
    ratio: _Pair = _Pair()


@dataclass(frozen=True)
class _Articulated:
    """[[A, H], [H^T, N]] of wrench = inertia acceleration, A and N symmetric."""

    A: Matrix
    H: Matrix
    N: Matrix

    @classmethod
    def rigid(cls, joint: Joint) -> _Articulated:
        mass, body = joint.inertia.mass, joint.inertia
        return cls(
            body.rotational, _skew(body.first_moment), symmetric(mass, 0.0, 0.0, mass, 0.0, mass)
        )

    def times(self, motion: _Pair) -> _Pair:
        return _Pair(
            add(rotate(self.A, motion.angular), rotate(self.H, motion.linear)),
            add(rotate_back(self.H, motion.angular), rotate(self.N, motion.linear)),
        )

    def plus(self, other: _Articulated) -> _Articulated:
        return _Articulated(
            add_matrices(self.A, other.A),
            add_matrices(self.H, other.H),
            add_matrices(self.N, other.N),
        )

    def yielding(self, response: _Response) -> _Articulated:
        """I - U U^T / D, in which the joint transmits nothing along its axis."""
        wrench, ratio = response.wrench, response.ratio
        return _Articulated(
            _less(self.A, wrench.angular, ratio.angular),
            add_matrices(self.H, outer(scale(-1.0, wrench.angular), ratio.linear)),
            _less(self.N, wrench.linear, ratio.linear),
        )

    def moved(self, rotation: Matrix, translation: Vector) -> _Articulated:
        """The same, about the origin and in the axes of the parent."""
        N = rotate_symmetric(rotation, self.N)
        H = multiply(rotation, multiply(self.H, transpose(rotation)))
        A = rotate_symmetric(rotation, self.A)
        # A + P H^T + (P H^T)^T - P N P and H + P N, with P = [translation]x.
        PN = _cross_columns(translation, N)
        shifted = add_matrices(H, PN)
        left = _cross_columns(translation, transpose(H))
        right = _cross_columns(translation, transpose(shifted))
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = add_matrices(
            A, add_matrices(left, transpose(right))
        )
        return _Articulated(symmetric(xx, xy, xz, yy, yz, zz), shifted, N)


def _forward(
    model: RobotModel, frames: list[tuple[Matrix, Vector]], rates: Sequence[Scalar]
) -> tuple[list[_Pair], list[_Pair]]:
    """Base to tips: accelerations and wrenches that are there without joint accelerations."""
    omegas = [ZERO]
    biases, wrenches = [], []
    for i, joint in enumerate(model.joints):
        rotation, translation = frames[i]
        omega = omegas[joint.parent + 1]
        linear = rotate_back(rotation, cross(omega, cross(omega, translation)))
        omega = rotate_back(rotation, omega)
        rate = scale(rates[i], joint.axis)
        angular = ZERO
        if joint.kind == 'prismatic':
            linear = add(linear, scale(2.0, cross(omega, rate)))
        else:
            angular = cross(omega, rate)
            omega = add(omega, rate)
        omegas.append(omega)
        biases.append(_Pair(angular, linear))
        body = joint.inertia
        spread = spreading(omega, ZERO)
        force = rotate(spread, body.first_moment)
        wrenches.append(_Pair(axial(multiply(spread, body.second_moment)), force))
    return biases, wrenches


def _backward(
    model: RobotModel,
    q: Sequence[Scalar],
    tau: Sequence[Scalar],
    frames: list[tuple[Matrix, Vector]],
    biases: list[_Pair],
    wrenches: list[_Pair],
) -> list[_Response]:
    """Tips to base: what is left of each body when its joint yields to its torque."""
    bodies = [_Articulated.rigid(joint) for joint in model.joints]
    largest = largest_inertias(model, q)
    responses: list[_Response] = [_Response()] * len(bodies)
    for i, joint in reversed(list(enumerate(model.joints))):
        axis, index = _axis(joint), joint.coordinate.index
        U = bodies[i].times(axis)
        D = axis.dot(U) + joint.armature
        require_pivot(model, q, index, D, largest[i])
        effort = (tau[index] - axis.dot(wrenches[i])) / D
        responses[i] = response = _Response(effort, U, _quotient(U, D))
        if joint.parent >= 0:
            body = bodies[i].yielding(response)
            wrench = wrenches[i].plus(body.times(biases[i])).plus(U, effort)
            rotation, translation = frames[i]
            bodies[joint.parent] = bodies[joint.parent].plus(body.moved(rotation, translation))
            wrench = _moved(wrench, rotation, translation)
            wrenches[joint.parent] = wrenches[joint.parent].plus(wrench)
    return responses


def _quotient(wrench: _Pair, inertia: Scalar) -> _Pair:
    """U / D. An entry that is D or zero folds; the others share one division."""
    inverse = 1.0 / inertia

    def entry(x: Scalar) -> Scalar:
        folded = x / inertia
        return folded if isinstance(folded, float) else x * inverse

    (x, y, z), (u, v, w) = wrench.angular, wrench.linear
    return _Pair((entry(x), entry(y), entry(z)), (entry(u), entry(v), entry(w)))


def _axis(joint: Joint) -> _Pair:
    return _Pair(ZERO, joint.axis) if joint.kind == 'prismatic' else _Pair(joint.axis, ZERO)


def _moved(wrench: _Pair, rotation: Matrix, translation: Vector) -> _Pair:
    force = rotate(rotation, wrench.linear)
    return _Pair(add(rotate(rotation, wrench.angular), cross(translation, force)), force)


def _less(matrix: Matrix, a: Vector, b: Vector) -> Matrix:
    """S - a b^T of a symmetric S, where a and b are parallel."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    return symmetric(
        xx - a[0] * b[0],
        xy - a[0] * b[1],
        xz - a[0] * b[2],
        yy - a[1] * b[1],
        yz - a[1] * b[2],
        zz - a[2] * b[2],
    )


def _skew(v: Vector) -> Matrix:
    return ((0.0, -v[2], v[1]), (v[2], 0.0, -v[0]), (-v[1], v[0], 0.0))


def _cross_columns(v: Vector, matrix: Matrix) -> Matrix:
    """[v]x M."""
    x, y, z = matrix
    return (
        subtract(scale(v[1], z), scale(v[2], y)),
        subtract(scale(v[2], x), scale(v[0], z)),
        subtract(scale(v[0], y), scale(v[1], x)),
    )
