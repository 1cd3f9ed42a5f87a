"""What the model of the robot itself lacks, as unknowns beside the payload.

A recording without the payload determines it: both recordings have the same robot and friction,
only one has the payload. So the error of the model drops out as far as the motion without the
payload determines it; what is left stays at a prior around the model.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.control.payload_estimation.joint_sums import Equations
from robot_dynamics_ros.control.payload_estimation.payload_equations import (
    FilteredMotion,
    PayloadEquations,
    friction_columns,
)
from robot_dynamics_ros.control.payload_estimation.payload_fit import PAYLOAD
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array

# Friction of each joint, and the inertia of its rotor.
OWN = 4
# Standard deviation of what a model has wrong: a share of the mass of a link and a mass [kg]; the
# distance over which that mass may be elsewhere [m].
MASS_SHARE, MASS, DISTANCE = 0.5, 0.2, 0.3


def bare_equations(
    equations: PayloadEquations,
    dynamics: RobotDynamics,
    motion: FilteredMotion,
    reference: Array,
    *,
    loaded: bool,
) -> Equations:
    """The equations of a motion; wanted are the payload, and changes of all inertial parameters.

    Args:
        equations: of the payload.
        dynamics: of the robot without the payload.
        motion: N samples.
        reference: (N, n) torque of the model, with friction [N m or N].
        loaded: whether the robot carries the payload.
    """
    rows = equations.rows
    q, v, a = motion.q, motion.v, motion.a
    bodies = dynamics.regressor(q, v, a)[:, rows]
    if loaded:
        payload = equations.regressor(q, v, a, dynamics.gravity)
    else:
        payload = np.zeros((*bodies.shape[:2], PAYLOAD))
    torque = (motion.efforts - reference)[:, rows]
    used = np.isfinite(torque) & equations.sliding(motion)
    own = np.concatenate([friction_columns(v[:, rows]), a[:, rows, None]], axis=2)
    wanted = np.concatenate([payload, bodies], axis=2)
    return Equations(wanted, own, np.where(used, torque, 0.0), used)


def prior_precision(dynamics: RobotDynamics) -> Array:
    """(10 bodies,) 1 / variance of what the model may have wrong, in `PARAMETERS` of each body."""
    masses = MASS_SHARE * dynamics.inertial_parameters()[::10] + MASS
    moments = [1.0, *[DISTANCE] * 3, *[DISTANCE**2] * 6]
    deviations = np.outer(masses, moments).reshape(-1)
    return np.asarray(deviations**-2.0)
