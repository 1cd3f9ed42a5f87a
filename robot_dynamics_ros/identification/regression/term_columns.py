"""The columns of the terms of the joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import smooth_sign

from ..parameters.joint_terms import JointTerm
from .columns import Samples


def term_columns(
    terms: Sequence[JointTerm], samples: Samples, efforts: Array, smoothing: Array
) -> Array:
    """The torque that each term gives for a unit of its parameter (terms, N, n).

    Args:
        terms: of the joints, see `parameters.joint_terms`.
        samples: states (N, n).
        efforts: (N, n) measured, finite [N m, N or A].
        smoothing: v_0 of the smooth sign (n,) [rad/s or m/s].
    """
    v = samples.velocities
    columns = {
        'armature': samples.accelerations,
        'offset': np.ones(v.shape),
        'stiffness': samples.positions,
        'gain': -efforts,
    }
    kinds = {'viscous': v, 'coulomb': smooth_sign(v, smoothing)}
    for kind, values in kinds.items():
        negative = f'{kind}_negative'
        split = negative in terms
        columns[kind] = np.where(v > 0.0, values, 0.0) if split else values
        columns[negative] = np.where(v > 0.0, 0.0, values)
    return np.stack([columns[term] for term in terms]) if terms else np.empty((0, *v.shape))
