"""Quantities as CasADi functions, for optimal control; needs CasADi.

Importing this module also lets the algorithms themselves compute with `casadi.SX` and `casadi.MX`:
`rnea.inverse_dynamics(model, q, v, a, gravity)` with lists of symbols.
"""

from __future__ import annotations

from typing import Any

import casadi

from ..compiler.program import evaluate
from ..model.robot import RobotModel
from ..quantity import key_of, traced
from ..scalar import cos, sin, sqrt

for kind in (casadi.SX, casadi.MX):
    sin.register(kind, casadi.sin)
    cos.register(kind, casadi.cos)
    sqrt.register(kind, casadi.sqrt)


def casadi_function(
    model: RobotModel, quantity: str, frame: str | None = None, axes: str | None = None
) -> casadi.Function:
    """A quantity as a CasADi function of its input vectors, such as q, v, a and gravity.

    >>> tau = casadi_function(model, 'inverse_dynamics')(q, v, a, (0.0, 0.0, -9.81))

    It is made of SX expressions, and takes SX, MX and numbers. A vector comes as (n, 1), a matrix
    as such; results with three axes, such as the derivatives, as a tuple of matrices. Where the
    mass matrix is singular, results that need its inverse are not finite, or rounding noise.

    CasADi itself checks the sizes when the function is called, and raises RuntimeError with the
    name of the vector. As in every CasADi function, a single number counts for each entry of a
    vector, an empty list for zeros, and each column of (n, N) for a sample.

    Args:
        model: the robot.
        quantity: name of a method of `RobotDynamics`.
        frame: name of a link, for the quantities of a frame.
        axes: of a twist; LOCAL_WORLD_ALIGNED if not given.

    Raises:
        UnknownNameError: there is no such quantity or link.
        ParameterError: a frame is missing, the quantity takes no frame or no axes, or there are no
            such axes.
        SingularMassMatrixError: a joint moves no mass at any q, and the quantity needs M^-1.
    """
    program, _ = traced(model, key_of(quantity, frame, axes))
    vectors = {name: casadi.SX.sym(name, size) for name, size in program.inputs.items()}
    entries, _ = evaluate(program, {name: casadi.vertsplit(x) for name, x in vectors.items()})
    results = _matrices(entries, program.shape)
    return casadi.Function(
        quantity,
        list(vectors.values()),
        results,
        list(vectors),
        [f'o{index}' for index in range(len(results))],
    )


def _matrices(entries: list[Any], shape: tuple[int, ...]) -> list[casadi.SX]:
    """One matrix for each entry of the first of three axes; a vector is a column."""
    *_, rows, columns = (*shape, 1) if len(shape) == 1 else shape or (1, 1)
    size = rows * columns
    pages = [entries[start : start + size] for start in range(0, len(entries), size)]
    # CasADi fills matrices column by column.
    return [casadi.reshape(casadi.vertcat(*page), columns, rows).T for page in pages]
