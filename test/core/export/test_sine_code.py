"""Sine and cosine of exported C: freestanding, within two units in the last place below 2^30."""

import ctypes
import math

import numpy as np
import pytest
import sympy
from exported_library import WARNINGS, needs_compilers, run
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.core.export.sine_code import HALF_PI, sine_code

pytestmark = needs_compilers

# From the C library's result, in units in its last place, as for native code.
MOST_ULPS = 2.0
RANGE = 2.0**30
# With fused multiply-adds the compiler rounds less often: the reduction must bear that.
WAYS = {
    'c99': ['-O1'],
    'fused': ['-O3', '-march=native', '-ffp-contract=fast'],
}


@pytest.fixture(scope='module', params=WAYS)
def sines(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp('sines')
    caller = 'int call(const double *x, int n, double *s, double *c);\n'
    caller += 'int call(const double *x, int n, double *s, double *c)\n'
    caller += '{ return x_sines(x, n, s, c); }\n'
    head = '#include <stdint.h>\n#define X_RESTRICT restrict\n'
    (folder / 'x.c').write_text(f'{head}{sine_code("x")}\n{caller}')
    run(
        'cc', '-std=c99', *WARNINGS, '-ffreestanding', '-nostdlib', '-shared', '-fPIC',
        *WAYS[request.param], folder / 'x.c', '-o', folder / 'x.so',
    )  # fmt: skip
    function = ctypes.CDLL(str(folder / 'x.so')).call

    def call(angles):
        x = np.ascontiguousarray(angles, np.float64)
        results = np.full((2, len(x)), np.nan)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (x, *results)]
        return results if function(pointers[0], len(x), *pointers[1:]) else None

    return call


def worst_ulps(sines, values):
    exact = np.array([list(map(f, values)) for f in (math.sin, math.cos)])
    return float((np.abs(sines(values) - exact) / np.spacing(np.abs(exact))).max())


def test_the_parts_of_half_pi():
    """The first three have 23 bits, so that their multiples below 2^30 are exact."""
    rest = sympy.N(sympy.pi / 2 - sum(map(sympy.Rational, HALF_PI)), 60)
    assert abs(rest) * 2**30 < 2.0**-92
    for part in HALF_PI[:3]:
        mantissa, _ = math.frexp(part)
        assert (mantissa * 2**23).is_integer()


@pytest.mark.parametrize('largest', [1e-300, 1e-8, 0.1, math.pi / 4, math.pi, 100.0, 1e5, 1e9])
def test_accuracy_over_the_range(sines, largest):
    values = np.random.default_rng(0).uniform(-largest, largest, 20_000)
    assert worst_ulps(sines, values) <= MOST_ULPS


@pytest.mark.parametrize('quarters', [1, 2, 3, 4, 5, 1000, 10**6, 683_565_275])
def test_accuracy_beside_multiples_of_a_quarter_turn(sines, quarters):
    center = quarters * (math.pi / 2)
    values = center + np.arange(-500, 500) * math.ulp(center)
    assert worst_ulps(sines, np.concatenate([values, -values])) <= MOST_ULPS


@given(x=st.floats(-RANGE, RANGE, exclude_min=True, exclude_max=True))
def test_accuracy_anywhere(sines, x):
    assert worst_ulps(sines, np.array([x])) <= MOST_ULPS


@pytest.mark.parametrize('x', [RANGE, -RANGE, 1e300, math.inf, -math.inf, math.nan])
def test_beyond_the_range_it_is_refused(sines, x):
    assert sines([0.1, x]) is None
    assert sines([math.nextafter(RANGE, 0.0)]) is not None
