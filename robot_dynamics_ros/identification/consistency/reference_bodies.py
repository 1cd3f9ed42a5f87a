"""The bodies that the prior prefers: those of the description, where they can exist."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from ..observability.scales import body_length, mean_mass
from ..parameters.parameter_layout import ParameterLayout
from .pseudo_matrices import BODY, pseudo_inertia

# Of the mean mass of the bodies: a body with less counts as massless.
MASSLESS = 1e-6
# Of the length of a body: bodies whose radius of gyration is below `THIN` in
# some direction get `ROUND` there. A point or a line has no inertia that could be changed by
# factors.
THIN, ROUND = 0.01, 0.1


def fixed_parameters(layout: ParameterLayout, carried: Array | None = None) -> Array:
    """What is known to be fixed to each body (bodies, 10): payloads of the robot, and more.

    Args:
        layout: of the parameters.
        carried: (10 moving bodies,) what else is fixed to them; None: nothing.

    Raises:
        ParameterError: `carried` has another shape.
    """
    model = layout.model
    fixed = model.inertial_parameters() - (model.unloaded or model).inertial_parameters()
    if carried is not None:
        if np.shape(carried) != fixed.shape:
            raise ParameterError(
                f'carried has the shape {np.shape(carried)}, it must be {fixed.shape}: ten '
                'parameters for each moving body'
            )
        fixed = fixed + carried
    parameters = np.zeros((len(layout.bodies), BODY))
    parameters[: len(model.joints)] = fixed.reshape(-1, BODY)
    return parameters


def is_massless(layout: ParameterLayout, fixed: Array) -> np.ndarray:
    """Which bodies (bodies,) have no mass in the description; loads do not count.

    Args:
        layout: of the parameters.
        fixed: (bodies, 10) as of `fixed_parameters`: it is not part of the bodies here.
    """
    described = _described(layout, fixed)
    moving = np.arange(len(described)) < len(layout.model.joints)
    return moving & (described[:, 0] <= MASSLESS * mean_mass(layout.model))


def reference_bodies(layout: ParameterLayout, fixed: Array, scales: Array) -> Array:
    """Pseudo-inertias (bodies, 4, 4), positive definite, of bodies and loads.

    Those of the description where they can exist; a massless body and a load of unknown mass are
    spheres of a plausible mass about the origin of their frame.

    Args:
        layout: of the parameters.
        fixed: (bodies, 10) as of `fixed_parameters`: it is not part of the bodies here.
        scales: (p,) plausible magnitudes of the parameters.
    """
    described, mean, length = (
        _described(layout, fixed),
        mean_mass(layout.model),
        body_length(layout.model),
    )
    massless = is_massless(layout, fixed)
    matrices = []
    for body in range(len(layout.bodies)):
        matrix = pseudo_inertia(described[body])
        if massless[body]:
            matrix = np.diag([0.0, 0.0, 0.0, scales[BODY * body]])
        elif matrix[3, 3] <= 0.0:
            matrix = np.diag([0.0, 0.0, 0.0, mean])
        matrices.append(_rounded(matrix, length))
    return np.stack(matrices)


def _described(layout: ParameterLayout, fixed: Array) -> Array:
    """Nominal parameters (bodies, 10) without what is fixed; of loads, what is known."""
    nominal = layout.nominal()[: BODY * len(layout.bodies)].reshape(-1, BODY)
    described: Array = nominal - fixed
    return described


def _rounded(matrix: Array, length: float) -> Array:
    """A body that is nowhere thinner than a real one: about its centre, axis by axis."""
    mass = matrix[3, 3]
    center = matrix[:3, 3] / mass
    spread, axes = np.linalg.eigh(matrix[:3, :3] - mass * np.outer(center, center))
    thin = spread < mass * (THIN * length) ** 2
    if not thin.any():
        return matrix
    spread = np.where(thin, mass * (ROUND * length) ** 2, spread)
    rounded = matrix.copy()
    rounded[:3, :3] = axes * spread @ axes.T + mass * np.outer(center, center)
    return rounded
