"""Cost, prior and cones of a consistent estimate, and their solution by cvxpy.

min |F z - e|^2 / 2 + prior, with the matrices X of z at least `MARGIN` times the identity, and
armature and friction not negative: a semidefinite program (Sousa, Cortesao, "Physical feasibility
of robot base inertial parameter identification: a linear matrix inequality approach", 2014;
Wensing, Kim, Slotine, 2018). F is a triangle: its size does not grow with the samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError
from robot_dynamics_ros.recordings.extra import required

from ..regression.reduced_equations import triangle
from .pseudo_matrices import BODY, SIZE, SYMMETRIC
from .unknowns import Unknowns, reference_of

Prior = Literal['log_det', 'euclidean']
# Of the reference in each direction: what a body has at least. It keeps what solvers leave of a
# constraint, and rounding, away from bodies that cannot exist.
MARGIN = 1e-4
SOLVERS: dict[str, dict[str, Any]] = {
    'CLARABEL': {},
    'SCS': {'eps': 1e-7, 'max_iters': 20000, 'time_limit_secs': 60.0},
}
SOLVED = 'optimal'


def solved(unknowns: Unknowns, rows: Array, prior: Prior) -> Array:
    """The z (k,) of the least cost.

    Args:
        unknowns: what is free.
        rows: (p + 1, p + 1) triangle of [Y | tau], in deviations of the noise.
        prior: see `consistent`.

    Raises:
        IdentificationError: all of them fail.
    """
    if not unknowns.basis.shape[1]:
        return np.empty(0)
    # Imported here: it takes a second, which only an identification has to spend.
    cp = required('cvxpy', 'identification')
    start, units, scaled = _in_units_of_uncertainty(unknowns, rows)
    change = cp.Variable(len(start))
    z = start + units @ change
    cost = 0.5 * cp.sum_squares(scaled[:, :-1] @ change - scaled[:, -1])
    matrices = [
        cp.reshape(SYMMETRIC @ z[BODY * i : BODY * i + BODY], (SIZE, SIZE), order='C')
        for i in range(len(unknowns.bodies))
    ]
    cost += _prior(cp, unknowns, z, matrices, prior)
    problem = cp.Problem(cp.Minimize(cost), _constraints(unknowns, z, matrices))
    states = []
    for solver in SOLVERS:
        states.append(f'{solver}: {_state(problem, solver)}')
        if problem.status == SOLVED:
            found: Array = start + units @ change.value
            return found
    raise IdentificationError(
        f'no solver found physically consistent parameters ({", ".join(states)}): use a motion '
        'that tells more (robot_dynamics excite), or a URDF with plausible masses and '
        'inertias (robot_dynamics validate)'
    )


def _state(problem: Any, solver: str) -> str:
    """How a solver ended."""
    cp = required('cvxpy', 'identification')
    try:
        with warnings.catch_warnings():
            # An inaccurate solution is not used: there is nothing to warn of.
            warnings.simplefilter('ignore')
            problem.solve(solver=solver, **SOLVERS[solver])
    except cp.error.SolverError as error:
        return str(error).partition('\n')[0]
    return str(problem.status)


def _in_units_of_uncertainty(unknowns: Unknowns, rows: Array) -> tuple[Array, Array, Array]:
    """Least squares with one equation for each unknown, its prior: the start of the cones.

    Changes from there count in deviations of this estimate: what the data
    determine well and what they hardly determine are of the same size for a solver.

    Returns:
        The z (k,); units (k, k) of its changes; the triangle (k + 1, k + 1) of the data alone in
        these units.
    """
    linalg = required('scipy.linalg', 'identification')
    size = unknowns.basis.shape[1]
    left = rows[:, -1] - rows[:, :-1] @ unknowns.parameters(unknowns.prior)
    factor = rows[:, :-1] @ unknowns.basis
    prior = np.eye(size, size + 1)
    upper = triangle(np.concatenate([np.column_stack([factor, left]), prior]))
    units = linalg.solve_triangular(upper[:size, :size], np.eye(size))
    change = units @ upper[:size, size]
    scaled = np.column_stack([factor @ units, left - factor @ change])
    return unknowns.prior + change, units, triangle(scaled)


def _prior(cp: Any, unknowns: Unknowns, z: Any, matrices: Sequence[Any], prior: Prior) -> Any:
    """What departures from the description cost, in units of the squared noise."""
    columns = np.array(unknowns.pulled, int)
    terms = (unknowns.basis[columns] / unknowns.scales[columns, None]) @ z
    cost = 0.5 * cp.sum_squares(terms) if len(columns) else 0.0
    if prior == 'euclidean':
        return cost + _distance(cp, unknowns, z)
    for matrix, described in zip(matrices, unknowns.described, strict=True):
        cost += cp.trace(matrix)
        if described:
            cost -= cp.log_det(matrix)
    return cost


def _distance(cp: Any, unknowns: Unknowns, z: Any) -> Any:
    """Half the squared distance of the bodies to the reference, in plausible values."""
    layout = unknowns.layout
    columns = [
        column
        for body in unknowns.bodies
        for column in range(*layout.body_columns(body).indices(layout.size))
    ]
    if not columns:
        return 0.0
    scales = unknowns.scales[columns]
    missing = (reference_of(unknowns) - unknowns.origin)[columns] / scales
    return 0.5 * cp.sum_squares((unknowns.basis[columns] / scales[:, None]) @ z - missing)


def _constraints(unknowns: Unknowns, z: Any, matrices: Sequence[Any]) -> list[Any]:
    """Bodies that can exist, terms that are not negative, known parameters."""
    constraints = [matrix - MARGIN * np.eye(SIZE) >> 0 for matrix in matrices]
    for columns, equal in ((unknowns.bounded, False), (unknowns.known, True)):
        if columns:
            scales = unknowns.scales[list(columns)]
            values = (unknowns.basis[list(columns)] / scales[:, None]) @ z
            origin = unknowns.origin[list(columns)] / scales
            nominal = unknowns.layout.nominal()[list(columns)] / scales
            constraints.append(values + origin == nominal if equal else values + origin >= 0.0)
    return constraints
