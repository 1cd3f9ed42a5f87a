"""LLVM IR of sine and cosine in every lane of vectors, of angles smaller than `RANGE`.

The routine is the same for every kernel, and compiled once.
"""

from __future__ import annotations

from ..llvm_sine import COS, HALF_PI, INTEGER_IN_LOW_BITS, SIN
from .llvm_vectors import VectorCode, attributes, declarations

SIGN_BIT = -(2**63)


def routine(lanes: int) -> str:
    """Name of the function that kernels call; `sines_ir` defines it."""
    return f'robot_dynamics_sines_of_{lanes}'


def declaration(lanes: int) -> str:
    """What a kernel needs to call it."""
    return f'declare void @{routine(lanes)}(ptr, ptr, i64)'


def sines_ir(lanes: int) -> str:
    """Definition of `void routine(vector *sines, vector *cosines, int64_t count)`.

    The angles stand where their sines will be.
    """
    code = VectorCode(lanes)
    sine, cosine = _sine_and_cosine(code, code.load('%sines', '%i'))
    code.store(sine, '%sines', '%i')
    code.store(cosine, '%cosines', '%i')
    lines = [
        *declarations(lanes),
        f'define void @{routine(lanes)}'
        '(ptr noalias %sines, ptr noalias %cosines, i64 %count) #0 {',
        '  br label %angle',
        'angle:',
        '  %i = phi i64 [0, %0], [%next, %angle]',
        *code.lines,
        '  %next = add i64 %i, 1',
        '  %more = icmp ult i64 %next, %count',
        '  br i1 %more, label %angle, label %done',
        'done:',
        '  ret void',
        '}',
        attributes(lanes),
        '',
    ]
    return '\n'.join(lines)


def _sine_and_cosine(code: VectorCode, angle: str) -> tuple[str, str]:
    """The sine and the cosine of a vector of angles smaller than `llvm_sine.RANGE`.

    The polynomials of `llvm_sine`. Two parts of pi/2 leave an error of 1e-24 rad in the largest
    angle, that of the third.
    """
    # The sum has the nearest integer in its low bits; the difference is that integer.
    sum_ = code.fma(angle, code.every(1.0 / HALF_PI[0]), code.every(INTEGER_IN_LOW_BITS))
    turns = code.value(f'fsub {code.kind} {sum_}, {code.every(INTEGER_IN_LOW_BITS)}')
    rest = angle
    for part in HALF_PI[:2]:
        rest = code.fma(turns, code.every(-part), rest)
    square = code.value(f'fmul {code.kind} {rest}, {rest}')
    cube = code.value(f'fmul {code.kind} {rest}, {square}')
    sine = code.fma(cube, _polynomial(code, square, SIN), rest)
    cosine = _polynomial(code, square, (*COS, -0.5, 1.0))

    quadrant = code.value(f'bitcast {code.kind} {sum_} to {code.bits}')
    odd = code.value(f'trunc {code.bits} {quadrant} to <{code.lanes} x i1>')
    following = code.value(f'add {code.bits} {quadrant}, {code.every_integer(1)}')
    return (
        _signed(code, odd, cosine, sine, quadrant),
        _signed(code, odd, sine, cosine, following),
    )


def _polynomial(code: VectorCode, variable: str, coefficients: tuple[float, ...]) -> str:
    """Horner's rule, highest power first."""
    value = code.every(coefficients[0])
    for coefficient in coefficients[1:]:
        value = code.fma(value, variable, code.every(coefficient))
    return value


def _signed(code: VectorCode, odd: str, in_odd: str, in_even: str, quadrant: str) -> str:
    """One of two vectors in each lane, with the sign of the second bit of `quadrant`."""
    chosen = code.value(
        f'select <{code.lanes} x i1> {odd}, {code.kind} {in_odd}, {code.kind} {in_even}'
    )
    shifted = code.value(f'shl {code.bits} {quadrant}, {code.every_integer(62)}')
    sign = code.value(f'and {code.bits} {shifted}, {code.every_integer(SIGN_BIT)}')
    bits = code.value(f'bitcast {code.kind} {chosen} to {code.bits}')
    signed = code.value(f'xor {code.bits} {bits}, {sign}')
    return code.value(f'bitcast {code.bits} {signed} to {code.kind}')
