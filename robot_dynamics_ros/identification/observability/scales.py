"""How large the parameters of a robot may be: what makes columns of different units comparable."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..parameters.joint_terms import JointTerm
from ..parameters.parameter_layout import ParameterLayout

# A body whose description says less has this share of the mean mass.
LIGHTEST = 0.1
# [m]: bodies are not smaller.
SHORTEST = 0.05
# [kg], of a robot whose description gives no mass.
USUAL_MASS = 1.0
# Of the torque of a joint: what friction may be at 1 rad/s or 1 m/s.
FRICTION = 0.1


def parameter_scales(layout: ParameterLayout, torques: Array) -> Array:
    """Plausible magnitudes of the parameters (p,), in their units.

    Args:
        layout: of the parameters.
        torques: (n,) usual magnitude of the torque of each joint [N m or N].
    """
    model = layout.model
    described = np.array([joint.inertia.mass for joint in model.joints])
    mean = float(described.mean()) or USUAL_MASS
    masses = np.maximum(described, LIGHTEST * mean)
    masses = np.concatenate([masses, np.full(len(layout.loads), mean)])
    length = max(SHORTEST, model.reach / (len(model.joints) + 1))
    per_mass = np.array([1.0, *3 * (length,), *6 * (length**2,)])
    terms = [_of_term(layout, term, torques, mean, length) for term in layout.terms]
    scales = np.concatenate([np.outer(masses, per_mass).reshape(-1), *terms])
    return np.maximum(scales, np.abs(layout.nominal()))


def _of_term(
    layout: ParameterLayout, term: JointTerm, torques: Array, mass: float, length: float
) -> Array:
    """Those of a term (n,)."""
    if term == 'armature':
        slides = [joint.kind == 'prismatic' for joint in layout.model.independent_joints]
        return mass * np.where(slides, 1.0, length**2)
    return np.ones(len(torques)) if term == 'gain' else FRICTION * torques
