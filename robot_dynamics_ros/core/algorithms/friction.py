"""Friction in the joints: one law over any scalar, linear in its coefficients.

The torque that overcomes friction is, with the smooth sign s(v) = v / sqrt(v^2 + v_0^2),

    F_v v + F_s s(v) + F_g s_g(v) + F_S s_0(v) / (1 + (v / v_S)^2) + F_l |tau_load| s(v)
        + sum_k F_k z_k |s_0(v)|

s_g has a v_0 of its own, and that of s_0 is `AT_REST`.

- F_v, F_s: viscous and Coulomb friction, of each direction;
- F_g: as F_s, with a sign s_g that is full at higher speeds only;
- F_S: more friction at slow speeds (R. Stribeck, 1902; the curve: D. P. Hess, A. Soom, "Friction
  at a lubricated line contact operating at oscillating sliding velocities", 1990);
- F_l: what a gear transmits presses its teeth together (P. Hamon, M. Gautier, P. Garrec, "Dynamic
  identification of robots with a dry friction model depending on load and velocity", 2010);
- F_k: before it slides, a contact gives like a spring (P. R. Dahl, "A solid friction model", 1968,
  with the exponent 1).

The state z of Dahl's model follows dz/dx = (1 - z sgn(v)) / d, with the displacement d: it is the
share of the friction that a contact has built up after a reversal, and depends on the way alone,
not on the time. It stores at most F_k d / 2, which it may give back; every other term takes power
at every speed and load. At rest all are zero: the sign of friction is not known there, and what
compensates it must not push.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..model.robot import RobotModel
from ..scalar import Rows, Scalar, Scalars, sqrt
from ..spatial import Vector
from .kinematics import generalized_forces, joint_rates
from .record import quantity
from .rnea import torque_terms

# Coefficients with their units: of joints that turn, and of those that slide.
TERMS: Mapping[str, tuple[str, str]] = {
    'viscous': ('N m s/rad', 'N s/m'),
    'coulomb': ('N m', 'N'),
    'viscous_negative': ('N m s/rad', 'N s/m'),
    'coulomb_negative': ('N m', 'N'),
    'gradual': ('N m', 'N'),
    'stribeck': ('N m', 'N'),
    'load': ('1', '1'),
    'presliding': ('N m', 'N'),
    'presliding_long': ('N m', 'N'),
}
# Constants that the law is not linear in, with the usual values [rad/s, m/s; rad, m].
CONSTANTS: Mapping[str, float] = {
    'smoothing': 0.01,
    'gradual_smoothing': 0.3,
    'stribeck_velocity': 0.1,
    'displacement': 0.02,
    'displacement_long': 0.1,
}
KINDS = (*TERMS, *CONSTANTS)
# v_0 of the terms that are full as soon as a joint moves [rad/s or m/s].
AT_REST = 0.01
# States of a joint, z of each displacement.
SLIPS = 2
# Added to speeds in quadrature [rad/s or m/s]: a root has no derivative at zero, and no quotient.
# Its square is above the least number of single precision.
NEGLIGIBLE = 1e-17
# Displacements after which a contact has slipped: exp(-FAR) is below the rounding of 1.
FAR = 40.0
# Halvings of the argument: the quotient below is exact to 1e-13 for arguments up to 4.
HALVINGS = 4


def constant_unit(name: str, *, slides: bool) -> str:
    """The unit of one of `CONSTANTS`, of a joint that slides or turns."""
    length = 'm' if slides else 'rad'
    return length if name.startswith('displacement') else f'{length}/s'


def unit_torques(
    rate: Scalar, load: Scalar, slips: Scalars, constants: Scalars
) -> dict[str, Scalar]:
    """What a coefficient of one adds to the torque of a joint, for each of `TERMS`.

    With different coefficients of the two directions no branch is needed: (v + |v|) / 2 is v
    where it is positive, and zero elsewhere. The derivative at rest is the mean of both.

    Args:
        rate: velocity of the joint [rad/s or m/s].
        load: magnitude of the torque that it transmits [N m or N].
        slips: z of each displacement.
        constants: of the joint, in the order of `CONSTANTS`.
    """
    smoothing, gradual, stribeck = constants[:3]
    speed, slow = magnitude(rate), stribeck * stribeck
    (sign, size), (slip, moves) = smooth_sign(rate, smoothing), smooth_sign(rate, AT_REST)
    return {
        'viscous': 0.5 * (rate + speed),
        'coulomb': 0.5 * (sign + size),
        'viscous_negative': 0.5 * (rate - speed),
        'coulomb_negative': 0.5 * (sign - size),
        'gradual': smooth_sign(rate, gradual)[0],
        'stribeck': slip * slow / (slow + rate * rate),
        'load': load * sign,
        'presliding': slips[0] * moves,
        'presliding_long': slips[1] * moves,
    }


def smooth_sign(rate: Scalar, smoothing: Scalar) -> tuple[Scalar, Scalar]:
    """s = v / sqrt(v^2 + v_0^2), and its magnitude."""
    length = sqrt(rate * rate + smoothing * smoothing)
    return rate / length, magnitude(rate) / length


@quantity(3, 'n', unit='N m or N; 1', of_inertia=False)
def friction_step(
    model: RobotModel, v: Scalars, load: Scalars, travel: Scalars, friction: Scalars, slip: Scalars
) -> Rows:
    """The torque that overcomes friction, and two states.

    Mimic joints have the terms of the velocity alone: the joint that they mimic feels them, times
    the multiplier.

    Args:
        model: the robot, with N joints.
        v: (n,) velocities [rad/s or m/s].
        load: (n,) torques that the joints transmit, of any sign [N m or N].
        travel: (n,) way since the step before [rad or m].
        friction: (14 N,) one of `KINDS` after the other, of all joints.
        slip: (2 n,) the states of the step before; zero at the begin.
    """
    count, n = len(model.joints), model.size
    states: Rows = [[], []]
    for index, joint in enumerate(model.independent_joints):
        place = model.joints.index(joint)
        for k, row in enumerate(states):
            displacement = friction[(len(KINDS) - SLIPS + k) * count + place]
            row.append(advanced(slip[index::n][k], travel[index], displacement))
    efforts = []
    for i, (joint, rate) in enumerate(zip(model.joints, joint_rates(model, v), strict=True)):
        values = dict(zip(KINDS, friction[i::count], strict=True))
        own = joint.mimicked is None
        units = unit_torques(
            rate,
            magnitude(load[joint.index]) if own else 0.0,
            [row[joint.index] for row in states] if own else [0.0] * SLIPS,
            [values[name] for name in CONSTANTS],
        )
        efforts.append(sum((values[term] * unit for term, unit in units.items()), 0.0))
    return [generalized_forces(model, efforts), *states]


@quantity(6, 'n', unit='N m or N; 1', of_base_inertias=True, is_step=True)
def feedforward_step(
    model: RobotModel,
    q: Scalars,
    v: Scalars,
    a: Scalars,
    speed: Scalars,
    travel: Scalars,
    friction: Scalars,
    slip: Scalars,
    gravity: Vector,
) -> Rows:
    """Rows g(q), C(q, v) v, M(q) a, friction, and the states of friction.

    The joints transmit the sum of the first three, without the rotors, which are before the gear.
    Friction is that at the velocities `speed`. Other arguments as in `friction_step`.
    """
    terms = torque_terms(model, q, v, a, gravity)
    spun = zip(model.joints, joint_rates(model, a), strict=True)
    rotors = generalized_forces(model, [-joint.armature * rate for joint, rate in spun])
    load = [sum(column, 0.0) for column in zip(*terms, rotors, strict=True)]
    return [*terms, *friction_step(model, speed, load, travel, friction, slip)]


def advanced(slip: Scalar, travel: Scalar, displacement: Scalar) -> Scalar:
    """z after some way in one direction: the exact solution of Dahl's equation, see the module.

    Args:
        slip: z before, between -1 and 1.
        travel: the way, of either sign [rad or m].
        displacement: d [rad or m].
    """
    way = magnitude(travel)
    share = way / displacement
    # Without a branch, the smaller of the two: the response is that of short ways only.
    share = 0.5 * (share + FAR - magnitude(share - FAR))
    response, _ = first_order_response(1.0, share)
    return slip + response * (travel / (way + NEGLIGIBLE) - slip)


def magnitude(x: Scalar) -> Scalar:
    """|x|, with derivative zero at zero."""
    return sqrt(x * x + NEGLIGIBLE * NEGLIGIBLE) - NEGLIGIBLE


def first_order_response(rate: Scalar, elapsed: Scalar) -> tuple[Scalar, Scalar]:
    """E = 1 - exp(-x) and E / elapsed, with x = rate elapsed, for any elapsed >= 0.

    exp(-y) is (1 - t) / (1 + t) with t = tanh(y / 2), a quotient of polynomials of z = y / 2 (the
    fourth convergent of Lambert's continued fraction), and E doubles by
    E(2 y) = E(y) (2 - E(y)), which loses no digits of a small E. E is between 0 and 1 for every
    positive x: a step with it is stable at any interval.

    Args:
        rate: K [1/s], or 1 / d [1/rad or 1/m].
        elapsed: [s], or the way [rad or m].
    """
    per_second = rate / 2.0 ** (HALVINGS + 1)
    z = per_second * elapsed
    square = z * z
    numerator = 105.0 + 10.0 * square
    denominator = 105.0 + square * (45.0 + square)
    # E(y) = 2 t / (1 + t), and the same without the factor `elapsed` of z.
    quotient = 2.0 * numerator / (denominator + z * numerator)
    response, per_elapsed = z * quotient, per_second * quotient
    for _ in range(HALVINGS):
        rest = 2.0 - response
        response, per_elapsed = response * rest, per_elapsed * rest
    return response, per_elapsed
