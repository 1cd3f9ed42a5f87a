"""What the algorithms ask of a scalar: + - * /, for an angle sine and cosine, a square root.

A float evaluates, an `Expression` records, a SymPy symbol derives; register others with
`sin.register`, `cos.register`, for friction `sqrt.register` and, where they can be compared,
`require_positive.register`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from numbers import Real
from typing import Any

from .errors import SingularMassMatrixError

# Deliberately untyped: any type that can be added, subtracted, multiplied and divided will do.
Scalar = Any
Scalars = Sequence[Scalar]
Rows = list[list[Scalar]]


@singledispatch
def sin(angle: Scalar) -> Scalar:
    """Sine of an angle [rad]."""
    return math.sin(angle)


@singledispatch
def cos(angle: Scalar) -> Scalar:
    """Cosine of an angle [rad]."""
    return math.cos(angle)


@singledispatch
def sqrt(square: Scalar) -> Scalar:
    """Square root of a scalar that is not negative."""
    return math.sqrt(square)


@singledispatch
def require_positive(kind: Scalar, value: Scalar, reason: str) -> None:
    """Refuse a value that is not positive: floats now, programs when they run, others never.

    Args:
        kind: any scalar that the algorithm was given; its type decides. The value may be a
            constant even where a program is traced.
        value: must be greater than zero.
        reason: text of the refusal.

    Raises:
        SingularMassMatrixError: the value, a pivot of M(q), is zero, negative or NaN.
    """


@require_positive.register
def _(kind: Real, value: float, reason: str) -> None:
    if not value > 0.0:
        raise SingularMassMatrixError(reason)
