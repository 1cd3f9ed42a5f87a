"""The answer of a first-order low pass to a sample interval of any length."""

from __future__ import annotations

from ...scalar import Scalar

# Halvings of the argument: the quotient below is exact to 1e-13 for arguments up to 4.
HALVINGS = 4


def first_order_response(rate: Scalar, elapsed: Scalar) -> tuple[Scalar, Scalar]:
    """E = 1 - exp(-x) and E / elapsed [1/s], with x = rate elapsed, for any elapsed >= 0.

    exp(-y) is (1 - t) / (1 + t) with t = tanh(y / 2), a quotient of polynomials of z = y / 2 (the
    fourth convergent of Lambert's continued fraction), and E doubles by
    E(2 y) = E(y) (2 - E(y)), which loses no digits of a small E. E is between 0 and 1 for every
    positive x: a step with it is stable at any interval.

    Args:
        rate: K [1/s].
        elapsed: [s].
    """
    per_second = rate / 2.0 ** (HALVINGS + 1)
    z = per_second * elapsed
    square = z * z
    numerator = 105.0 + 10.0 * square
    denominator = 105.0 + square * (45.0 + square)
    # E(y) = 2 t / (1 + t), and the same without the factor `elapsed` of z.
    quotient = 2.0 * numerator / (denominator + z * numerator)
    response, per_elapsed = z * quotient, per_second * quotient
    for _ in range(HALVINGS):
        rest = 2.0 - response
        response, per_elapsed = response * rest, per_elapsed * rest
    return response, per_elapsed
