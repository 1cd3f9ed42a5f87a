"""What the algorithms ask of a scalar: + - * / and, for an angle, its sine and cosine.

A float evaluates, an `Expression` records, a SymPy symbol derives; register others with
`sin.register` and `cos.register`.
"""

from __future__ import annotations

import math
from functools import singledispatch
from typing import Any

# Deliberately untyped: any type that can be added, subtracted, multiplied and divided will do.
Scalar = Any


@singledispatch
def sin(angle: Scalar) -> Scalar:
    """Sine of an angle [rad]."""
    return math.sin(angle)


@singledispatch
def cos(angle: Scalar) -> Scalar:
    """Cosine of an angle [rad]."""
    return math.cos(angle)
