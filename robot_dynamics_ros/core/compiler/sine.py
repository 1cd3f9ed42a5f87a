"""Sine and cosine of one angle, in operations that every back end has: no branch, no table.

Native code computes this program at several angles at once, exported C at one; plain Python
and CasADi take sines of their own. The reduction is that of Cody and Waite, "Software Manual
for the Elementary Functions" (1980), the polynomials are those of Cephes (Moshier, "Methods and
Programs for Mathematical Functions", 1989).
"""

from __future__ import annotations

import math
from functools import cache

from ..scalar import Scalar
from .expression import nearest
from .program import Program, trace

# Angles must be smaller [rad].
RANGE = 2.0**30
# Of a sum with a number smaller than 2^51, it leaves the nearest whole number in the last bits.
WHOLE = 1.5 * 2.0**52
# pi/2 as a sum. The first two have so few bits that their products with k, and what is left of the
# angle after each, are exact; the third leaves less than 1e-21 rad.
HALF_PI = (
    float.fromhex('0x1.921fb4p+0'),
    float.fromhex('0x1.4442dp-24'),
    float.fromhex('0x1.8469898cc5170p-48'),
)
# sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z) with z = r^2 on [-pi/4, pi/4], highest first.
SINE = (
    1.58962301576546568060e-10,
    -2.50507477628578072866e-8,
    2.75573136213857245213e-6,
    -1.98412698295895385996e-4,
    8.33333333332211858878e-3,
    -1.66666666666666307295e-1,
)
COSINE = (
    -1.13585365213876817300e-11,
    2.08757008419747316778e-9,
    -2.75573141792967388112e-7,
    2.48015872888517045348e-5,
    -1.38888888888730564116e-3,
    4.16666666666665929218e-2,
    -0.5,
    1.0,
)


def sine_and_cosine(angle: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine of an angle smaller than `RANGE`.

    Each is within two units in the last place of the exact one, or within 1e-21 of it.
    """
    turns = nearest(angle * (2.0 / math.pi))
    rest = angle
    for part in HALF_PI:
        rest = rest - turns * part
    square = rest * rest
    sine = rest + rest * (square * _polynomial(SINE, square))
    cosine = _polynomial(COSINE, square)
    # The sum of turns pi/2 and the rest: one of the two factors is zero.
    sine_of_turns, cosine_of_turns = _sine_of_quarters(turns), _sine_of_quarters(turns + 1.0)
    return (
        sine_of_turns * cosine + cosine_of_turns * sine,
        cosine_of_turns * cosine - sine_of_turns * sine,
    )


def _polynomial(coefficients: tuple[float, ...], variable: Scalar) -> Scalar:
    """By Horner's rule."""
    value, *others = coefficients
    for coefficient in others:
        value = value * variable + coefficient
    return value


def _sine_of_quarters(turns: Scalar) -> Scalar:
    """sin(k pi/2) of a whole number k.

    Half of an odd one lies between two whole numbers: `nearest` takes the even one, so that 1, 5,
    9 leave 1 and 3, 7, 11 leave -1.
    """
    return turns - 2.0 * nearest(0.5 * turns)


@cache
def sine_program() -> Program:
    """`sine_and_cosine` as a program from `angle` to both."""
    return trace('sine', lambda angle: sine_and_cosine(angle[0]), {'angle': 1})
