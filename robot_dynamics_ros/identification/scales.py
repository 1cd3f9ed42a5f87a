"""How large the parameters of a robot may be: what makes columns of different units comparable."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .equations import felt
from .parameters import BODY, JointTerm, ParameterLayout

# A body whose description says less has this share of the mean mass.
LIGHTEST = 0.1
# [m]: bodies are not smaller.
SHORTEST = 0.05
# [kg], of a robot whose description gives no mass.
USUAL_MASS = 1.0
# [m/s^2]
GRAVITY = 9.81
# Of the torque of a joint: what friction may be at 1 rad/s or 1 m/s.
FRICTION = 0.5


def parameter_scales(layout: ParameterLayout, torques: Array) -> Array:
    """Plausible magnitudes of the parameters (p,), in their units.

    Args:
        layout: of the parameters.
        torques: (n,) usual magnitude of the torque of each joint [N m or N].
    """
    model = layout.model
    own = _masses(layout, torques)
    masses = np.concatenate([own, np.full(len(layout.loads), own.mean())])
    length = body_length(model)
    per_mass = np.array([1.0, *3 * (length,), *6 * (length**2,)])
    terms = [_of_term(layout, term, torques, length) for term in layout.terms]
    scales = np.concatenate([np.outer(masses, per_mass).reshape(-1), *terms])
    plausible: Array = np.maximum(scales, np.abs(layout.nominal()))
    return plausible


def mean_mass(model: RobotModel) -> float:
    """Of the moving bodies [kg]; `USUAL_MASS` where the description gives none."""
    masses = [joint.inertia.mass for joint in model.joints]
    return float(np.mean(masses)) or USUAL_MASS


def body_length(model: RobotModel) -> float:
    """Plausible length of a body [m]."""
    return max(SHORTEST, model.reach / (len(model.joints) + 1))


def _of_term(layout: ParameterLayout, term: JointTerm, torques: Array, length: float) -> Array:
    """Those of a term (n,)."""
    if term == 'armature':
        # Gears match the inertia of the rotor to what the joint carries.
        slides = [joint.kind == 'prismatic' for joint in layout.model.independent_joints]
        masses = _masses(layout, torques)
        carried = felt(layout)[:, ::BODY][:, : len(masses)] @ masses
        return carried * np.where(slides, 1.0, length**2)
    return np.ones(len(torques)) if term == 'gain' else FRICTION * torques


def _masses(layout: ParameterLayout, torques: Array) -> Array:
    """Plausible masses (bodies,) of the moving bodies [kg].

    Where the description gives none, each may be the one that loads the strongest joint.
    """
    model = layout.model
    described = np.array([joint.inertia.mass for joint in model.joints])
    least = LIGHTEST * mean_mass(model)
    if not described.any():
        least = max(least, float(torques.max()) / (GRAVITY * body_length(model)))
    masses: Array = np.maximum(described, least)
    return masses
