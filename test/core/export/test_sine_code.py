"""Sine and cosine of exported C: freestanding, within two units in the last place below 2^30."""

import ctypes
import math

import numpy as np
import pytest
from exported_library import WARNINGS, needs_compilers, run
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.core.export.c_code import sine_code

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
    caller = 'int call(double *s, double *c, int n);\n'
    caller += 'int call(double *s, double *c, int n)\n'
    caller += '{ return x_sines(s, c, n); }\n'
    (folder / 'x.c').write_text(f'{sine_code("x")}\n{caller}')
    run(
        'cc', '-std=c99', *WARNINGS, '-ffreestanding', '-nostdlib', '-shared', '-fPIC',
        *WAYS[request.param], folder / 'x.c', '-o', folder / 'x.so',
    )  # fmt: skip
    function = ctypes.CDLL(str(folder / 'x.so')).call

    def call(angles):
        results = np.array([angles, angles], np.float64)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in results]
        return results if function(*pointers, len(angles)) else None

    return call


def worst_ulps(sines, values):
    exact = np.array([list(map(f, values)) for f in (math.sin, math.cos)])
    # At large angles, what the reduction leaves is seen in results that are nearly zero.
    errors = np.maximum(np.abs(sines(values) - exact) - 1e-21, 0.0)
    return float((errors / np.spacing(np.abs(exact))).max())


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
