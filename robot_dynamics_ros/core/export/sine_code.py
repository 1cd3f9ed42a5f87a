"""C99 that takes sine and cosine of all angles of a program.

It is that of `compiler.native.llvm_sine` without fused multiply-adds, which C99 has
in math.h only: a Cody-Waite reduction by multiples of pi/2 (Cody and Waite, "Software Manual
for the Elementary Functions", 1980), and the two polynomials of Cephes.
"""

from __future__ import annotations

from ..compiler.native.llvm_sine import COS, RANGE, SIN
from .c_code import literal

# pi/2 as a sum. A multiple below 2^30 of each of the first three, of 23 bits, is exact.
HALF_PI = (
    float.fromhex('0x1.921fb4p+0'),
    float.fromhex('0x1.4442dp-24'),
    float.fromhex('0x1.846988p-48'),
    float.fromhex('0x1.8cc51701b839ap-72'),
)

TEXT = """\
/* Sines and cosines of some angles; returns 0 if one of them is not finite, or not below
 * 2^30 rad. */
static int {prefix}_sines(const double *angles, int count, double *{restrict} sines,
                          double *{restrict} cosines)
{{
    int i;
    for (i = 0; i < count; ++i) {{
        /* Not true of a NaN. */
        if (!(angles[i] > -{range} && angles[i] < {range})) {{
            return 0;
        }}
    }}
    for (i = 0; i < count; ++i) {{
        const double x = angles[i];
        const double turns = x * {inverse};
        /* x = k pi/2 + y. The products are exact, and so are the first two differences. */
        const int32_t k = (int32_t)(turns + (turns < 0.0 ? -0.5 : 0.5));
        const double n = (double)k;
        const double first = x - n * {p1};
        const double second = first - n * {p2};
        const double third = n * {p3};
        const double rounded = second - third;
        /* What this difference has rounded off, and the rest of n pi/2. */
        const double change = rounded - second;
        const double rest = (second - (rounded - change)) - (third + change) - n * {p4};
        const double y = rounded + rest;
        const double z = y * y;
        const double s = y + y * (z * ({sine}));
        const double half = 0.5 * z;
        const double w = 1.0 - half;
        const double c = w + (((1.0 - w) - half) + z * (z * ({cosine})));
        /* Odd quadrants swap; sin changes its sign in 2 and 3, cos in 1 and 2. */
        const uint32_t quadrant = (uint32_t)k;
        const double sine = (quadrant & 1u) ? c : s;
        const double cosine = (quadrant & 1u) ? s : c;
        sines[i] = (quadrant & 2u) ? -sine : sine;
        cosines[i] = ((quadrant + 1u) & 2u) ? -cosine : cosine;
    }}
    return 1;
}}
"""


def sine_code(prefix: str) -> str:
    """Definition of `int <prefix>_sines(angles, count, sines, cosines)`."""
    parts = {f'p{index}': literal(part) for index, part in enumerate(HALF_PI, start=1)}
    return TEXT.format(
        prefix=prefix,
        restrict=f'{prefix.upper()}_RESTRICT',
        range=literal(RANGE),
        inverse=literal(1.0 / sum(HALF_PI)),
        sine=_horner(SIN),
        cosine=_horner(COS),
        **parts,
    )


def _horner(coefficients: tuple[float, ...]) -> str:
    """The polynomial in z, highest power first."""
    first, *others = map(literal, coefficients)
    text = first
    for coefficient in others:
        text = f'({text}) * z\n            + {coefficient}'
    return text
