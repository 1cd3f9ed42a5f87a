"""LLVM IR of single steps: literals, instructions, and the sine and cosine."""

from __future__ import annotations

import struct

# Up to here the argument reduction below is as exact as doubles allow.
RANGE = 2.0**30

# Fused multiply-add is welcome; NaN and infinity must stay visible.
FLAGS = 'nsz contract'
INSTRUCTIONS = {
    'neg': f'fneg {FLAGS} double {{}}',
    'add': f'fadd {FLAGS} double {{}}, {{}}',
    'sub': f'fsub {FLAGS} double {{}}, {{}}',
    'mul': f'fmul {FLAGS} double {{}}, {{}}',
    'div': f'fdiv {FLAGS} double {{}}, {{}}',
}


def constant(value: float) -> str:
    """An LLVM literal of exactly that double."""
    return f'0x{struct.unpack("<Q", struct.pack("<d", value))[0]:016X}'


def _polynomial(name: str, variable: str, coefficients: tuple[float, ...]) -> list[str]:
    """Horner's rule in fused multiply-adds, highest power first."""
    lines, value = [], constant(coefficients[0])
    for index, coefficient in enumerate(coefficients[1:]):
        target = f'%{name}{index}'
        lines.append(
            f'  {target} = call double @llvm.fma.f64(double {value}, double {variable}, '
            f'double {constant(coefficient)})'
        )
        value = target
    return lines


# Minimax polynomials of Cephes (Moshier, "Methods and Programs for Mathematical Functions",
# 1989) on [-pi/4, pi/4]: sin r = r + r z S(z), cos r = 1 - z/2 + z^2 C(z), z = r^2.
SIN = (
    1.58962301576546568060e-10,
    -2.50507477628578072866e-8,
    2.75573136213857245213e-6,
    -1.98412698295895385996e-4,
    8.33333333332211858878e-3,
    -1.66666666666666307295e-1,
)
COS = (
    -1.13585365213876817300e-11,
    2.08757008419747316778e-9,
    -2.75573141792967388112e-7,
    2.48015872888517045348e-5,
    -1.38888888888730564116e-3,
    4.16666666666665929218e-2,
)
# pi/2 as a sum of three doubles. k times the first, subtracted by a fused multiply-add, is exact.
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)

DECLARATIONS = """declare double @llvm.fma.f64(double, double, double)
declare double @llvm.rint.f64(double)
"""

# Branch-free, so that neighbouring joints share SIMD lanes. It has no fast-math flags: its
# reductions are exact only in the order written.
_TURN = '\n'.join(
    [
        f'  %turns = fmul double ANGLE, {constant(0.6366197723675814)}',
        '  %k = call double @llvm.rint.f64(double %turns)',
        '  %minus = fneg double %k',
        *(
            f'  %r{i + 1} = call double @llvm.fma.f64(double %minus, double {constant(part)}, '
            f'double {f"%r{i}" if i else "ANGLE"})'
            for i, part in enumerate(HALF_PI)
        ),
        '  %z = fmul double %r3, %r3',
        *_polynomial('s', '%z', SIN),
        '  %rz = fmul double %r3, %z',
        '  %sine = call double @llvm.fma.f64(double %rz, double %s4, double %r3)',
        *_polynomial('c', '%z', COS),
        '  %zz = fmul double %z, %z',
        f'  %half = call double @llvm.fma.f64(double %z, double {constant(-0.5)}, '
        f'double {constant(1.0)})',
        '  %cosine = call double @llvm.fma.f64(double %zz, double %c4, double %half)',
        # Odd quadrants swap the two; the sign of sin changes in 2 and 3, that of cos in 1 and 2.
        '  %quadrant = fptosi double %k to i64',
        '  %odd = trunc i64 %quadrant to i1',
        '  %sin.abs = select i1 %odd, double %cosine, double %sine',
        '  %cos.abs = select i1 %odd, double %sine, double %cosine',
        '  %next = add i64 %quadrant, 1',
        *(
            line
            for part, quadrant in (('sin', 'quadrant'), ('cos', 'next'))
            for line in (
                f'  %{part}.bit = and i64 %{quadrant}, 2',
                f'  %{part}.sign = shl i64 %{part}.bit, 62',
                f'  %{part}.bits = bitcast double %{part}.abs to i64',
                f'  %{part} = xor i64 %{part}.bits, %{part}.sign',
            )
        ),
    ]
)


def turn(angle: str, name: str) -> str:
    """Instructions that leave the bits of its sine and cosine in `%name.sin` and `%name.cos`."""
    return _TURN.replace('%', f'%{name}.').replace('ANGLE', angle)
