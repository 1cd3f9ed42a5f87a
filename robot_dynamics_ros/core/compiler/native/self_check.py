"""The comparison of a kernel with its program, before the kernel is used.

A processor that LLVM does not know well, or a broken installation, could give plausible wrong
numbers. Every new kernel therefore computes one state, which is also computed step by step in
Python. The bound of the difference is no tolerance that was chosen: it is the rounding error of
this very computation, from a running error analysis (Higham, "Accuracy and Stability of Numerical
Algorithms", 2002, section 3.3).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...errors import NativeCodeError
from ...scalar import Scalar
from ..expression import Expression
from ..program import Program
from ..python import divide
from .llvm_kernel import ANGLE_NOT_FINITE, DONE

# Half a unit in the last place of 1.
ROUNDING = 2.0**-53
# Of a sine: two units in the last place, see test_sincos.
SINE_ROUNDING = 4.0 * ROUNDING
# Two computations are compared, and each may round as the bound says; what the bound leaves out
# is far smaller. Below the smallest normal number, errors are absolute.
MOST, SMALLEST = 4.0, 1e-300
# Sizes of the inputs. At large ones a program may have no result; then it is compared at the next.
SIZES = (1.0, 0.1, 0.01)

# A value, and a bound of the error that rounding makes in it.
Rounded = tuple[float, float]


def check_kernel(program: Program, evaluate: Callable[..., int]) -> None:
    """Compare a kernel with its program.

    Args:
        program: of the kernel.
        evaluate: takes float64 arrays (input..., out), and returns what the kernel returns.

    Raises:
        NativeCodeError: they differ by more than rounding does.
    """
    chance = random.Random(0)
    for largest in SIZES:
        inputs = {
            name: [chance.uniform(-largest, largest) for _ in range(size)]
            for name, size in program.inputs.items()
        }
        result = np.full(program.shape, np.nan)
        code = evaluate(*map(np.array, inputs.values()), result)
        if not _is_right(program, inputs, code, result.ravel().tolist()):
            raise NativeCodeError(
                f'{program.name}: native code and plain Python compute different values '
                f'(outcome {code}). Do not use native code on this machine: choose backend python'
            )
        if code == DONE:
            return


def _is_right(
    program: Program, inputs: Mapping[str, Sequence[float]], code: int, result: list[float]
) -> bool:
    """Whether a kernel may return that code and that result."""
    try:
        values, errors = rounded_values(program.steps(), inputs)
    except ValueError:
        # Python's sine of an infinite angle.
        return code == ANGLE_NOT_FINITE

    def rounded(scalar: Scalar) -> Rounded:
        if isinstance(scalar, Expression):
            return values[scalar.index], errors[scalar.index]
        return float(scalar), 0.0

    conditions = [rounded(value) for value, _ in program.conditions]
    if code != DONE:
        return 0 < code <= len(conditions) and not _holds(*conditions[code - 1], sign=1.0)
    if any(_holds(*condition, sign=-1.0) for condition in conditions):
        return False
    return all(map(_is_close, result, map(rounded, program.outputs)))


def _holds(value: float, error: float, sign: float) -> bool:
    """Whether a value has that sign, however it was rounded."""
    return sign * value > MOST * error


def _is_close(result: float, expected: Rounded) -> bool:
    value, error = expected
    if not math.isfinite(value):
        return not math.isfinite(result)
    return abs(result - value) <= MOST * error + SMALLEST


def rounded_values(
    steps: Sequence[Expression], inputs: Mapping[str, Sequence[float]]
) -> tuple[dict[int, float], dict[int, float]]:
    """What the steps of a program compute, and bounds of the errors, by the index of the step.

    Raises:
        ValueError: an angle is infinite.
    """
    # Not one table of pairs: a hundred thousand new tuples would occupy the garbage collector.
    values: dict[int, float] = {}
    errors: dict[int, float] = {}
    for step in steps:
        index, operation = step.index, step.operation
        if operation == 'input':
            vector, entry = step.operands
            values[index], errors[index] = inputs[vector][entry], 0.0
            continue
        # Written out: a call for each operand would double the time.
        x = step.operands[0]
        a, da = (values[x.index], errors[x.index]) if type(x) is Expression else (x, 0.0)
        if operation in ('neg', 'sin', 'cos', 'sqrt'):
            values[index], errors[index] = _unary(operation, a, da)
            continue
        x = step.operands[1]
        b, db = (values[x.index], errors[x.index]) if type(x) is Expression else (x, 0.0)
        if operation == 'mul':
            value = a * b
            error = abs(a) * db + abs(b) * da
        elif operation == 'add':
            value = a + b
            error = da + db
        elif operation == 'sub':
            value = a - b
            error = da + db
        else:
            value = divide(a, b)
            error = divide(da + abs(value) * db, abs(b))
        values[index], errors[index] = value, error + ROUNDING * abs(value)
    return values, errors


def _unary(operation: str, a: float, da: float) -> Rounded:
    """Both back ends take the sine of the very same angle: its own error does not count."""
    if operation == 'neg':
        return -a, da
    if operation == 'sqrt':
        root = math.sqrt(a)
        return root, divide(0.5 * da, root) + ROUNDING * root
    value = math.sin(a) if operation == 'sin' else math.cos(a)
    return value, SINE_ROUNDING * abs(value)
