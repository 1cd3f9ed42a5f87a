"""The physically possible parameters that explain the data best.

Minimised is what the estimate minimises, over the bodies that are possible: a quadratic function
of the size of the parameters, whatever the number of samples, under one linear matrix inequality
for each body. Clarabel solves it, and SCS where that fails.

Sources: C. D. Sousa, R. Cortesao, Physical feasibility of robot base inertial parameter
identification: a linear matrix inequality approach, International Journal of Robotics Research 33,
2014; `pseudo_inertias`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotDynamicsError
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.extra import required

from ..estimation import Estimate
from ..parameters.joint_terms import JointTerm
from ..parameters.parameter_layout import BODY
from ..regression import ReducedEquations
from .pseudo_inertias import scaled_basis
from .regularized import Problem

# Of plausible values: the least eigenvalue of a body.
SMALLEST = 1e-4
# Terms that are not negative: friction takes energy, and rotors have inertia.
POSITIVE: tuple[JointTerm, ...] = (
    'armature', 'viscous', 'coulomb', 'viscous_negative', 'coulomb_negative', 'stiffness',
)  # fmt: skip


def consistent(
    reduced: ReducedEquations, estimate: Estimate, *, carried: Array | None = None
) -> Estimate:
    """The nearest estimate whose bodies are possible, and whose friction takes energy.

    Args:
        reduced: equations, weighted as the estimate weights them.
        estimate: any.
        carried: (10 b,) parameters of what is fixed to each body and known, such as links of
            joints that were not recorded: the rest of the body is possible by itself. None: none.

    Raises:
        RobotDynamicsError: no solver finds a solution.
    """
    layout = estimate.layout
    problem = Problem.of(reduced, estimate.noise)
    known = np.where(layout.is_known, layout.nominal(), 0.0)
    offset = problem.nominal + known
    fixed = np.zeros(BODY * len(layout.bodies))
    if carried is not None:
        fixed[: len(carried)] = carried
    # It takes a second to import, and only an estimate of all parameters needs it.
    cvxpy = required('cvxpy', 'identification')
    x = cvxpy.Variable(layout.size)
    whole = offset + cvxpy.multiply(problem.scales * ~layout.is_known, x)
    constraints = [
        *_possible(cvxpy, whole, fixed, problem.scales),
        *(whole[layout.columns(term)] >= 0.0 for term in POSITIVE if term in layout.terms),
    ]
    # Of order one, whatever the number of samples.
    size = max(1.0, float(np.linalg.norm(problem.factor, 2)))
    cost = cvxpy.sum_squares((problem.factor / size) @ x - problem.target / size)
    _solve(cvxpy, cvxpy.Problem(cvxpy.Minimize(cost), constraints))
    found = offset + problem.scales * ~layout.is_known * np.asarray(x.value)
    return replace(estimate, parameters=found, method='consistent')


def _possible(cvxpy: Any, whole: Any, fixed: Array, scales: Array) -> list[Any]:
    """One linear matrix inequality for each body."""
    constraints = []
    for body in range(len(fixed) // BODY):
        columns = slice(BODY * body, BODY * body + BODY)
        mass, moment = scales[columns][0], scales[columns][4]
        basis = scaled_basis(mass, float(np.sqrt(moment / mass)))
        free = whole[columns] - fixed[columns]
        matrix = cvxpy.reshape(basis.reshape(BODY, 16).T @ free, (4, 4), order='C')
        constraints.append(0.5 * (matrix + matrix.T) >> SMALLEST * np.eye(4))
    return constraints


def _solve(cvxpy: Any, problem: Any) -> None:
    """Solve a problem by the first solver that can.

    Raises:
        RobotDynamicsError: none can.
    """
    for solver in (cvxpy.CLARABEL, cvxpy.SCS):
        try:
            problem.solve(solver=solver)
        except cvxpy.SolverError:
            continue
        if problem.status in (cvxpy.OPTIMAL, cvxpy.OPTIMAL_INACCURATE):
            return
    raise RobotDynamicsError(
        'no physically possible bodies were found near the estimate: look at the findings about '
        'the data'
    )
