"""The dynamics of some joints while the others are held where they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .checks import Array, checked_vector
from .dynamics import RobotDynamics
from .errors import InertiaError, StateError
from .task_space import NEARLY_MASSLESS


def forward_dynamics_holding(
    dynamics: RobotDynamics,
    joints: Sequence[str],
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
) -> Array:
    """The acceleration (k,) of the joints that are not held [rad/s^2 or m/s^2].

    M_mm a_m = tau_m - (C v + g)_m, with m the joints that move: the acceleration of the others
    is zero, so that their columns of M play no part. Equivalent to the `forward_dynamics` of the
    robot reduced to these joints, but nothing is compiled for a choice of joints.

    Args:
        dynamics: of the robot.
        joints: that move, k of them.
        q: (n,) positions of all independent joints [rad or m].
        v: (k,) velocities of the joints that move [rad/s or m/s].
        tau: (k,) their torques [N m or N].

    Raises:
        UnknownNameError: no independent joint has that name.
        StateError: sizes or values are wrong.
        InertiaError: the mass matrix is singular here.
    """
    moving = [dynamics.model.index_of(name) for name in joints]
    velocity = np.zeros(dynamics.model.size)
    velocity[moving] = checked_vector('v', v, joints)
    remaining = checked_vector('tau', tau, joints) - dynamics.bias_torque(q, velocity)[moving]
    M = dynamics.mass_matrix(q)[np.ix_(moving, moving)]
    # With a unit diagonal no unit of a joint distorts the eigenvalues; a motion that moves no mass
    # leaves nothing but rounding of one.
    scale = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    if values[0] < NEARLY_MASSLESS:
        raise InertiaError(
            f'the mass matrix is singular here: some motion of {", ".join(joints)} moves no mass, '
            'and any acceleration would do'
        )
    with np.errstate(over='ignore', invalid='ignore'):
        acceleration: Array = vectors @ ((remaining / scale) @ vectors / values) / scale
    if not np.isfinite(acceleration).all():
        raise StateError('forward_dynamics has no finite value at this state and torque')
    return acceleration
