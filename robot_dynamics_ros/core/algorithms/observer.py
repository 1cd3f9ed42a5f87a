"""The generalised momentum, and its observer of external torques, in body frames."""

from __future__ import annotations

from ..model.robot import RobotModel
from ..scalar import Rows, Scalar, Scalars
from ..spatial import Vector
from .friction import SLIPS, first_order_response, friction_step
from .kinematics import body_twists, generalized_rows, joint_poses, joint_rates, zeros
from .record import quantity
from .rnea import gravity_torque

# Inputs that change seldom.
SETTINGS = ('friction', 'offset', 'rates')
# Entries of `interval`.
INTERVAL = ('elapsed', 'share of the effort before')
# Rows of what one step hands to the next.
STATE = ('external torque', 'momentum', 'torque', 'slip', 'long slip')


@quantity(2, 'n', unit='N m s or N s; N m or N', of_base_inertias=True)
def momentum_terms(model: RobotModel, q: Scalars, v: Scalars) -> Rows:
    """Rows p = M(q) v and C(q, v)^T v.

    They give the equation of motion without accelerations, dp/dt = tau + C^T v - g(q), with C by
    Christoffel symbols. `p, c = dynamics.momentum_terms(q, v)` takes them apart; of a batch (N, 2,
    n), `result[:, 0]` are p and `result[:, 1]` c = C^T v. A joint with the axis S carries a
    subtree of the momentum H: p = S . H, whose derivative is S . H_dot + S_dot . H. The first term
    is what the drive and gravity do, so that c = S_dot . H, which is the gradient dT/dq of the
    kinetic energy, with which De Luca, Mattone, "Sensorless robot collision detection and hybrid
    force/motion control" (2005) begin. Rotors add their armature times the velocity of the joint
    to p, nothing to c.
    """
    poses, rates = joint_poses(model, q), joint_rates(model, v)
    twists, parents = body_twists(model, poses, rates)
    momenta = [joint.inertia @ twist for joint, twist in zip(model.joints, twists, strict=True)]

    # Backward, tips to base: momenta[i] is that of all that joint i carries.
    terms = zeros(2, len(poses))
    for i, joint in reversed(list(enumerate(model.joints))):
        S = joint.subspace
        terms[0][i] = S.dot(momenta[i]) + joint.armature * rates[i]
        terms[1][i] = parents[i].cross(S).dot(momenta[i])
        if joint.parent >= 0:
            momenta[joint.parent] += poses[i] @ momenta[i]
    return generalized_rows(model, terms)


@quantity(5, 'n', unit='N m or N; N m s; N m', of_base_inertias=True, is_step=True)
def observer_step(
    model: RobotModel,
    q: Scalars,
    v: Scalars,
    effort: Scalars,
    friction: Scalars,
    offset: Scalars,
    rates: Scalars,
    interval: Scalars,
    previous: Scalars,
    gravity: Vector,
) -> Rows:
    """One step of the momentum observer of external torques.

    Rows `STATE`: the external torque r, and what the next step needs; `ExternalForceObserver` is
    for users.

    With the known torque u = effort - f(v) - offset + C^T v - g(q), the generalised momentum
    p = M v follows p_dot = u + tau_external, and r follows tau_external behind a low pass,
    r_dot = K (tau_external - r) = K (p_dot - u - r). That is the derivative of
    r = K (p - integral (u + r) dt - p(0)), as in De Luca, Albu-Schaeffer, Haddadin, Hirzinger,
    "Collision detection and safe reaction with the DLR-III lightweight manipulator arm" (2006).
    Between samples p_dot - u is taken as its mean, and the equation is solved exactly:
    r_k = r_(k-1) + E ((p_k - p_(k-1)) / dt - mean of u - r_(k-1)) with E = 1 - exp(-K dt). The
    mean of C^T v - g - f is that of both ends of the interval. The first step has no interval: it
    is made with dt = 0, and its r does not count.

    Args:
        model: the robot, with N joints.
        q: (n,) positions [rad or m].
        v: (n,) velocities [rad/s or m/s].
        effort: (n,) of the drives [N m or N].
        friction: (14 N,) see `friction_step`; the load is the effort.
        offset: (n,) constant torque that the drives need beside the model [N m or N].
        rates: (n,) K [1/s].
        interval: see `INTERVAL`: dt [s], and the share of the effort of the step before in the
            mean: 1/2 for efforts that are sampled with q and v, 0 for an effort that has been held
            since the step before.
        previous: (5 n,) the result of the step before.
        gravity: (3,) in the base frame [m/s^2].
    """
    n = model.size
    last, last_momentum, last_torque = (previous[k * n : (k + 1) * n] for k in range(3))
    load = [one - own for one, own in zip(effort, offset, strict=True)]
    elapsed, share = interval
    momentum, turning = momentum_terms(model, q, v)
    weight = gravity_torque(model, q, gravity)
    travel = [elapsed * rate for rate in v]
    resistance, *slips = friction_step(model, v, load, travel, friction, previous[-SLIPS * n :])

    external: list[Scalar] = []
    torque: list[Scalar] = []
    for i in range(n):
        half = 0.5 * (turning[i] - weight[i] - resistance[i] - offset[i])
        mean = last_torque[i] + half + (1.0 - share) * effort[i]
        response, per_elapsed = first_order_response(rates[i], elapsed)
        change = per_elapsed * (momentum[i] - last_momentum[i])
        external.append(last[i] + change - response * (mean + last[i]))
        torque.append(half + share * effort[i])
    return [external, momentum, torque, *slips]
