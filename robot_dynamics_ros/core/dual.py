"""Dual numbers: scalars that carry their exact derivative.

A dual number is x + x' eps with eps^2 = 0. Evaluated at q + v eps, an algorithm gives its value
and its derivative along v, by the rules of calculus and without a difference quotient (Clifford,
"Preliminary sketch of biquaternions", 1873; Griewank, Walther, "Evaluating Derivatives", 2008,
chapter 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .scalar import Scalar, cos, sin


class Dual:
    """A number and its derivative.

    Attributes:
        value: a scalar: a float, an expression, a SymPy symbol.
        slope: its derivative, a scalar; or a NumPy array with one derivative per direction.
    """

    __slots__ = ('slope', 'value')
    # So that NumPy returns NotImplemented for `array * dual`, and `__rmul__` is called.
    __array_ufunc__ = None

    def __init__(self, value: Scalar, slope: Any) -> None:
        self.value = value
        self.slope = slope

    def __repr__(self) -> str:
        return f'Dual({self.value!r}, {self.slope!r})'

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __add__(self, other: Scalar) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value - other.value, self.slope - other.slope)
        return Dual(self.value - other, self.slope)

    def __rsub__(self, other: Scalar) -> Dual:
        return Dual(other - self.value, -self.slope)

    def __mul__(self, other: Scalar) -> Dual:
        # Slopes first: an array can be multiplied by any scalar, a scalar not by any array.
        if isinstance(other, Dual):
            slope = self.slope * other.value + other.slope * self.value
            return Dual(self.value * other.value, slope)
        return Dual(self.value * other, self.slope * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Dual:
        if isinstance(other, Dual):
            quotient = self.value / other.value
            return Dual(quotient, (self.slope - other.slope * quotient) / other.value)
        return Dual(self.value / other, self.slope / other)

    def __rtruediv__(self, other: Scalar) -> Dual:
        quotient = other / self.value
        return Dual(quotient, -self.slope * quotient / self.value)


@sin.register
def _(angle: Dual) -> Dual:
    return Dual(sin(angle.value), angle.slope * cos(angle.value))


@cos.register
def _(angle: Dual) -> Dual:
    return Dual(cos(angle.value), -angle.slope * sin(angle.value))


def along(point: Sequence[Scalar], direction: Sequence[Scalar]) -> list[Dual]:
    """The point + direction eps, (n,): slopes are derivatives along the direction."""
    return [Dual(x, slope) for x, slope in zip(point, direction, strict=True)]


def independent(point: Sequence[Scalar]) -> list[Dual]:
    """The point with unit slopes, (n,): slopes are gradients (n,)."""
    return [Dual(x, unit) for x, unit in zip(point, np.eye(len(point)), strict=True)]


def slope_of(x: Scalar, like: Any = 0.0) -> Any:
    """The slope of a scalar; that of a constant is `like`, a zero of the right shape."""
    return x.slope if isinstance(x, Dual) else like
