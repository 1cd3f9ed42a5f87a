"""The first-order momentum observer, from one sample to the next."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.robot import RobotModel
from ...scalar import Scalar
from ...spatial import Vector
from ..momentum_terms import momentum_terms
from ..rnea import gravity_torque
from .first_order import first_order_response
from .smooth_friction import smooth_friction

# Inputs that change seldom.
SETTINGS = ('friction', 'offset', 'rates')
# Entries of `interval`.
INTERVAL = ('elapsed', 'share of the effort before')
# Rows of what one step hands to the next.
STATE = ('external torque', 'momentum', 'torque')


def observer_step(
    model: RobotModel,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    effort: Sequence[Scalar],
    friction: Sequence[Scalar],
    offset: Sequence[Scalar],
    rates: Sequence[Scalar],
    interval: Sequence[Scalar],
    previous: Sequence[Scalar],
    gravity: Vector,
) -> list[list[Scalar]]:
    """The external torque r and what the next step needs, rows `STATE`, shape (3, n).

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
        friction: (5 N,) see `smooth_friction`.
        offset: (n,) constant torque that the drives need beside the model [N m or N].
        rates: (n,) K [1/s].
        interval: see `INTERVAL`: dt [s], and the share of the effort of the step before in the
            mean: 1/2 for efforts that are sampled with q and v, 0 for an effort that has been held
            since the step before.
        previous: (3 n,) the result of the step before.
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """
    n = model.size
    last, last_momentum, last_torque = (previous[k * n : (k + 1) * n] for k in range(3))
    elapsed, share = interval
    momentum, turning = momentum_terms(model, q, v)
    weight = gravity_torque(model, q, gravity)
    resistance = smooth_friction(model, v, friction)

    external: list[Scalar] = []
    torque: list[Scalar] = []
    for i in range(n):
        half = 0.5 * (turning[i] - weight[i] - resistance[i] - offset[i])
        mean = last_torque[i] + half + (1.0 - share) * effort[i]
        response, per_elapsed = first_order_response(rates[i], elapsed)
        change = per_elapsed * (momentum[i] - last_momentum[i])
        external.append(last[i] + change - response * (mean + last[i]))
        torque.append(half + share * effort[i])
    return [external, momentum, torque]
