"""LLVM IR that takes sine and cosine of all angles of a program at once.

Angles smaller than `RANGE`, four at a time, without a branch between them: reduction by multiples
of pi/2 and two polynomials. Larger ones are left to the C library, whose reduction is right for
every double: an angle of 1e12 rad is as good an angle to native code as to plain Python.
"""

from __future__ import annotations

from .llvm_ir import LIKELY, constant

# The symbol by which kernels call the routine.
ROUTINE = 'robot_dynamics_sines'
DECLARATION = f'declare i1 @{ROUTINE}(ptr, i64, ptr, ptr)'
# What the routine itself calls, of the C library.
C_FUNCTIONS = ('cos', 'sin')

# Up to here the argument reduction below is as exact as doubles allow.
RANGE = 2.0**30
# Angles that are computed together: the doubles of a 256-bit register. Where registers are
# shorter, LLVM takes several.
LANES = 4
ANGLES = f'<{LANES} x double>'
BITS = f'<{LANES} x i64>'

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
# Added to an integer smaller than 2^51, it leaves that integer in the lowest bits of the sum.
INTEGER_IN_LOW_BITS = 1.5 * 2.0**52


def sines_ir() -> str:
    """Definition of `bool ROUTINE(double *angles, int64_t count, double *sines, double *cosines)`.

    `count` is a multiple of `LANES`. The result is false, and the arrays hold anything, if an
    angle is not finite.
    """
    return '\n'.join([*_declarations(), *_sines(), *_large(), LIKELY, ''])


def _declarations() -> list[str]:
    return [
        f'declare {ANGLES} @llvm.fma.v{LANES}f64({ANGLES}, {ANGLES}, {ANGLES})',
        f'declare {ANGLES} @llvm.rint.v{LANES}f64({ANGLES})',
        f'declare {ANGLES} @llvm.fabs.v{LANES}f64({ANGLES})',
        'declare double @llvm.fabs.f64(double)',
        *(f'declare double @{name}(double)' for name in C_FUNCTIONS),
    ]


def _sines() -> list[str]:
    return [
        f'define i1 @{ROUTINE}(ptr %angles, i64 %count, ptr %sines, ptr %cosines) {{',
        '  br label %four',
        'four:',
        '  %i = phi i64 [0, %0], [%next, %advance]',
        '  %x.at = getelementptr double, ptr %angles, i64 %i',
        '  %sin.at = getelementptr double, ptr %sines, i64 %i',
        '  %cos.at = getelementptr double, ptr %cosines, i64 %i',
        f'  %x = load {ANGLES}, ptr %x.at, align 8',
        *_reduction(),
        *_quadrants(),
        f'  store {ANGLES} %sin, ptr %sin.at, align 8',
        f'  store {ANGLES} %cos, ptr %cos.at, align 8',
        f'  %size = call {ANGLES} @llvm.fabs.v{LANES}f64({ANGLES} %x)',
        f'  %small = fcmp olt {ANGLES} %size, {_every(RANGE)}',
        f'  %lanes = bitcast <{LANES} x i1> %small to i{LANES}',
        f'  %all = icmp eq i{LANES} %lanes, -1',
        '  br i1 %all, label %advance, label %some.large, !prof !0',
        'some.large:',
        '  %finite = call i1 @large(ptr %x.at, ptr %sin.at, ptr %cos.at)',
        '  br i1 %finite, label %advance, label %not.finite',
        'not.finite:',
        '  ret i1 false',
        'advance:',
        f'  %next = add i64 %i, {LANES}',
        '  %more = icmp ult i64 %next, %count',
        '  br i1 %more, label %four, label %done',
        'done:',
        '  ret i1 true',
        '}',
    ]


def _reduction() -> list[str]:
    """`%sine` and `%cosine` of x - k pi/2; no fast-math flags: exact in the order written only."""
    parts = [f'%r{index + 1}' for index in range(len(HALF_PI))]
    return [
        f'  %turns = fmul {ANGLES} %x, {_every(1.0 / HALF_PI[0])}',
        f'  %k = call {ANGLES} @llvm.rint.v{LANES}f64({ANGLES} %turns)',
        f'  %minus = fneg {ANGLES} %k',
        *(
            _fma(target, '%minus', _every(part), before)
            for target, part, before in zip(parts, HALF_PI, ['%x', *parts], strict=False)
        ),
        f'  %z = fmul {ANGLES} %r3, %r3',
        *_polynomial('s', '%z', SIN),
        f'  %rz = fmul {ANGLES} %r3, %z',
        _fma('%sine', '%rz', f'%s{len(SIN) - 1}', '%r3'),
        *_polynomial('c', '%z', COS),
        f'  %zz = fmul {ANGLES} %z, %z',
        _fma('%half', '%z', _every(-0.5), _every(1.0)),
        _fma('%cosine', '%zz', f'%c{len(COS) - 1}', '%half'),
    ]


def _quadrants() -> list[str]:
    """`%sin` and `%cos`: odd quadrants swap; sin changes sign in 2 and 3, cos in 1 and 2."""
    lines = [
        f'  %shifted = fadd {ANGLES} %k, {_every(INTEGER_IN_LOW_BITS)}',
        f'  %quadrant = bitcast {ANGLES} %shifted to {BITS}',
        f'  %odd = trunc {BITS} %quadrant to <{LANES} x i1>',
        f'  %following = add {BITS} %quadrant, {_every_integer(1)}',
    ]
    for name, quadrant, odd, even in (
        ('sin', '%quadrant', '%cosine', '%sine'),
        ('cos', '%following', '%sine', '%cosine'),
    ):
        lines += [
            f'  %{name}.abs = select <{LANES} x i1> %odd, {ANGLES} {odd}, {ANGLES} {even}',
            f'  %{name}.two = and {BITS} {quadrant}, {_every_integer(2)}',
            f'  %{name}.sign = shl {BITS} %{name}.two, {_every_integer(62)}',
            f'  %{name}.bits = bitcast {ANGLES} %{name}.abs to {BITS}',
            f'  %{name}.signed = xor {BITS} %{name}.bits, %{name}.sign',
            f'  %{name} = bitcast {BITS} %{name}.signed to {ANGLES}',
        ]
    return lines


def _large() -> list[str]:
    """`i1 large(ptr x, ptr sin, ptr cos)`: the C library's results for those beyond RANGE."""
    return [
        'define internal i1 @large(ptr %angles, ptr %sines, ptr %cosines) {',
        '  br label %one',
        'one:',
        '  %i = phi i64 [0, %0], [%next, %advance]',
        '  %x.at = getelementptr double, ptr %angles, i64 %i',
        '  %x = load double, ptr %x.at',
        '  %size = call double @llvm.fabs.f64(double %x)',
        f'  %small = fcmp olt double %size, {constant(RANGE)}',
        '  br i1 %small, label %advance, label %not.small',
        'not.small:',
        f'  %finite = fcmp one double %size, {constant(float("inf"))}',
        '  br i1 %finite, label %ask, label %not.finite',
        'not.finite:',
        '  ret i1 false',
        'ask:',
        '  %sin = call double @sin(double %x)',
        '  %cos = call double @cos(double %x)',
        '  %sin.at = getelementptr double, ptr %sines, i64 %i',
        '  %cos.at = getelementptr double, ptr %cosines, i64 %i',
        '  store double %sin, ptr %sin.at',
        '  store double %cos, ptr %cos.at',
        '  br label %advance',
        'advance:',
        '  %next = add i64 %i, 1',
        f'  %more = icmp ult i64 %next, {LANES}',
        '  br i1 %more, label %one, label %done',
        'done:',
        '  ret i1 true',
        '}',
    ]


def _polynomial(name: str, variable: str, coefficients: tuple[float, ...]) -> list[str]:
    """Horner's rule in fused multiply-adds, highest power first; the last is `%name5`."""
    lines, value = [], _every(coefficients[0])
    for index, coefficient in enumerate(coefficients[1:], start=1):
        lines.append(_fma(f'%{name}{index}', value, variable, _every(coefficient)))
        value = f'%{name}{index}'
    return lines


def _fma(target: str, a: str, b: str, c: str) -> str:
    """`target` = a b + c, rounded once."""
    arguments = f'{ANGLES} {a}, {ANGLES} {b}, {ANGLES} {c}'
    return f'  {target} = call {ANGLES} @llvm.fma.v{LANES}f64({arguments})'


def _every(value: float) -> str:
    """The same constant in every lane."""
    return f'<{", ".join([f"double {constant(value)}"] * LANES)}>'


def _every_integer(value: int) -> str:
    return f'<{", ".join([f"i64 {value}"] * LANES)}>'
