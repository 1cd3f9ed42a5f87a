"""The physically consistent estimate: parameters that a real robot can have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError

from ..estimation import Estimate
from ..regression.reduced_equations import ReducedEquations
from .conic_problem import MARGIN, Prior, solved
from .pseudo_matrices import SIZE
from .reference_bodies import fixed_parameters
from .unknowns import Unknowns, unknowns_of
from .weighted_rows import weighted_rows

# Of the torque of a joint: data count as no more exact. Solvers need more noise where exact data
# contradict every real robot: the cost of all bodies that can exist is beyond their range then.
LEAST_NOISE = 1e-8, 1e-5, 1e-2
# Of a plausible value: what solvers leave of a term that is zero.
ROUNDING = 1e-6
PRIORS = ('log_det', 'euclidean')


def consistent(
    reduced: ReducedEquations,
    estimate: Estimate,
    prior: Prior = 'log_det',
    carried: Array | None = None,
    weight: float = 1.0,
) -> Estimate:
    """The parameters of a real robot that fit the equations best.

    The cost is half the squared residual in deviations of the noise, plus the prior, which is
    worth `weight` equations for each parameter: with 'log_det' the divergence
    tr(P_0^-1 P) - log det(P_0^-1 P) - 4 of the pseudo-inertia P of a body from that of the
    description (Lee, Wensing, Park, 2020), which is half the squared relative change where
    changes are small; with 'euclidean' half the squared change in plausible values of the
    parameters. So many equations outweigh it, and it decides what they do not tell.

    Every equation counts, also for friction and offsets that `estimate` leaves at the
    description as the data hardly tell them. Parameters that no equation feels stay, and so do
    bodies without mass of which the data tell nothing alone.

    Args:
        reduced: the equations, with the weights of a robust estimate where it is one.
        estimate: of the same equations: its noise is used; intervals stay as they are.
        prior: 'log_det' or 'euclidean'.
        carried: (10 bodies,) known parameters of what is fixed to the moving bodies, such as links
            behind joints that were not recorded: the rest of each body can exist without it too.
        weight: of the prior, above 0 [equations].

    Raises:
        ParameterError: the prior is another one, or its weight is not above 0.
        IdentificationError: no solver finds the parameters.
        RecordingError: cvxpy is not installed.
    """
    if prior not in PRIORS:
        raise ParameterError(f'prior is {prior!r}, it must be one of {", ".join(PRIORS)}')
    if not 0.0 < weight < float('inf'):
        raise ParameterError(f'the weight of the prior is {weight}, it must be above 0')
    fixed = fixed_parameters(reduced.layout, carried)
    before: Array | None = None
    failure = IdentificationError('no level of noise')
    for least in LEAST_NOISE:
        # With less weight of the equations: it is the ratio of the two that matters.
        rows = weighted_rows(reduced, estimate, least) / np.sqrt(weight)
        if before is not None and np.array_equal(rows, before):
            # The noise of the data is larger: it is the problem that no solver has solved.
            continue
        try:
            parameters = _parameters(reduced, estimate, prior, fixed, rows)
        except IdentificationError as error:
            before, failure = rows, error
            continue
        return replace(
            estimate,
            parameters=parameters,
            method='consistent',
            least_noise=least,
            prior_weight=weight,
        )
    raise failure


def _parameters(
    reduced: ReducedEquations, estimate: Estimate, prior: Prior, fixed: Array, rows: Array
) -> Array:
    """The parameters (p,) that fit rows in deviations of their noise."""
    torques = _torques(reduced, estimate)
    unknowns = unknowns_of(rows[:, :-1], estimate, torques, fixed)
    z = solved(unknowns, rows, prior)
    if empty := _vanished(unknowns, z):
        # The others take over what the least that is allowed of these has explained.
        unknowns = unknowns_of(rows[:, :-1], estimate, torques, fixed, empty)
        z = solved(unknowns, rows, prior)
    return _cleared(unknowns, z)


def _torques(reduced: ReducedEquations, estimate: Estimate) -> Array:
    """Root mean square (n,) of the torque of each joint, as it is estimated."""
    torques, joints = reduced.rms(estimate.parameters), len(reduced.layout.joints)
    largest = float(torques.max(initial=0.0)) or 1.0
    if len(torques) != joints:
        return np.full(joints, largest)
    return np.where(torques > 0.0, torques, largest)


def _vanished(unknowns: Unknowns, z: Array) -> set[int]:
    """Bodies without mass in the description that got hardly more than is required."""
    return {
        body
        for body, described, matrix in zip(
            unknowns.bodies, unknowns.described, unknowns.matrices(z), strict=True
        )
        if not described and np.trace(matrix) < 2.0 * SIZE * MARGIN
    }


def _cleared(unknowns: Unknowns, z: Array) -> Array:
    """The parameters (p,), without what solvers leave of constraints."""
    known, nominal = unknowns.layout.is_known, unknowns.layout.nominal()
    parameters = unknowns.parameters(z)
    columns = list(unknowns.bounded)
    least = ROUNDING * unknowns.scales[columns]
    parameters[columns] = np.where(parameters[columns] > least, parameters[columns], 0.0)
    parameters[known] = nominal[known]
    return parameters
