"""Bodies that can exist: pseudo-inertias, and coordinates in which every point is one.

A body can exist if its pseudo-inertia P = [[S, m c], [m c^T, m]] is positive definite, with
S = integral p p^T dm its second moment (P. Wensing, S. Kim, J.-J. Slotine, "Linear matrix
inequalities for physically consistent inertial parameter identification", 2018). P is linear in
the ten parameters. With P = (L Z) (L Z)^T, L L^T that of the URDF and Z lower triangular with a
positive diagonal, it always is (C. Rucker, P. Wensing, "Smooth parameterization of rigid-body
inertia", 2022).
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import body_of

SIZE, BODY = 4, 10
# Of the mean mass of the bodies: a body with less counts as massless.
MASSLESS = 1e-6
# Of the length of a body: bodies whose radius of gyration is below `THIN` in some direction get
# `ROUND` there. A point or a line has no inertia that could be changed by factors.
THIN, ROUND = 0.01, 0.1
# Of that length: the radius of gyration, in each direction, of a body without inertia in the URDF.
WIDE = 0.5
# [m]: bodies are not smaller.
MIN_LENGTH = 0.05
# [kg], of a robot whose description gives no mass.
USUAL_MASS = 1.0
# Standard deviations of log-Cholesky coordinates: of a body with a mass in the URDF, which is
# right within a factor of e (two of them), and of others.
KNOWN, UNKNOWN = 0.5, 2.0
# Rows and columns of the entries on and below the diagonal.
LOWER = np.tril_indices(SIZE)


def pseudo_inertia(parameters: Array) -> Array:
    """P (4, 4) of `PARAMETERS` (10,)."""
    body = body_of(parameters.tolist())
    matrix = np.empty((SIZE, SIZE))
    matrix[:3, :3] = body.second_moment
    matrix[:3, 3] = matrix[3, :3] = body.first_moment
    matrix[3, 3] = body.mass
    return matrix


# (16, 10): the entries of P, row by row, are ENTRIES @ parameters.
ENTRIES = np.stack([pseudo_inertia(unit).ravel() for unit in np.eye(BODY)], axis=1)
# (10, 16): of a symmetric P.
PARAMETERS_OF = np.linalg.pinv(ENTRIES)


def rounded(matrix: Array, length: float) -> Array:
    """A body P (4, 4) that is nowhere thinner than a real one: about its centre, axis by axis."""
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


class LogCholesky:
    """Changes of the ten parameters of bodies as a function of unbounded coordinates z.

    z has ten entries a body: those of Z on and below the diagonal, of which those on it are
    logarithms; at zero a body is that of the URDF.

    Attributes:
        deviations: (10 b,) plausible standard deviations of z.
    """

    def __init__(self, model: RobotModel) -> None:
        """About the bodies of a model; about spheres where they have no mass."""
        self._nominal, roots = model.inertial_parameters().reshape(-1, BODY), []
        mean = float(np.mean(self._nominal[:, 0])) or USUAL_MASS
        # The reach is that of base and bodies.
        length = max(MIN_LENGTH, model.reach / (len(model.joints) + 1))
        exist = self._nominal[:, 0] > MASSLESS * mean
        sphere = mean * np.diag([*3 * ((WIDE * length) ** 2,), 1.0])
        for one, exists in zip(self._nominal, exist.tolist(), strict=True):
            matrix = rounded(pseudo_inertia(one), length) if exists else sphere
            roots.append(np.linalg.cholesky(matrix))
        self.deviations = np.repeat(np.where(exist, KNOWN, UNKNOWN), BODY)
        self._roots = np.array(roots)

    def changes(self, z: Array) -> tuple[Array, Array]:
        """Changes (10 b,) of the parameters at coordinates (10 b,), and their derivatives."""
        (row, column), bodies, own = LOWER, np.arange(len(self._roots)), z.reshape(-1, BODY)
        factors = np.where(row == column, np.exp(np.where(row == column, own, 0.0)), own)
        Z = np.zeros((len(bodies), SIZE, SIZE))
        Z[:, row, column] = factors
        A = self._roots @ Z
        products = (A @ A.swapaxes(1, 2)).reshape(len(A), -1)
        # dP = L dZ A^T and its transpose, for each entry of Z.
        halves = np.einsum('bip,bjp->bpij', self._roots[:, :, row], A[:, :, column])
        halves *= np.where(row == column, factors, 1.0)[:, :, None, None]
        slopes = (halves + halves.swapaxes(2, 3)).reshape(len(A), BODY, -1) @ PARAMETERS_OF.T
        jacobian = np.zeros((len(A), BODY, len(A), BODY))
        jacobian[bodies, :, bodies] = slopes.swapaxes(1, 2)
        changes = np.asarray(products @ PARAMETERS_OF.T - self._nominal).ravel()
        return changes, jacobian.reshape(len(z), len(z))
