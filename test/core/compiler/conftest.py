"""A compiled kernel, and both ways to call it."""

import gc

import pytest

from robot_dynamics_ros.core.compiler.kernel import native_obstacle
from robot_dynamics_ros.core.compiler.native import ctypes_entry
from robot_dynamics_ros.core.compiler.native.entry import EXTENSION_OBSTACLE, make_entry
from robot_dynamics_ros.core.compiler.native.llvm_kernel import kernel_ir
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.scalar import require_positive


@pytest.fixture(autouse=True, scope='module')
def few_objects_to_search():
    """Tests search for garbage: they need not visit what the tests before them have left."""
    gc.freeze()


def products(x, y):
    require_positive(x[0], x[0] + 100.0, 'x is too small')
    return [[a * b for b in y] for a in x]


@pytest.fixture(scope='session')
def address():
    """Of a kernel that computes the products of the entries of x (3,) and y (2,), (3, 2)."""
    if obstacle := native_obstacle():
        pytest.skip(obstacle)
    from robot_dynamics_ros.core.compiler.native.llvm import compile_ir

    engine = compile_ir(kernel_ir(trace('products', products, {'x': 3, 'y': 2})))
    yield engine.get_function_address('kernel')
    engine.close()


class Code:
    """The functions that call one kernel."""

    def __init__(self, entry):
        self.evaluate = entry

    def call(self, fallback):
        return self.evaluate.with_fallback(fallback)

    def step(self, fallback, *arrays):
        return self.evaluate.with_fallback(fallback, arrays)


@pytest.fixture
def extension_code(address):
    """`extension_code(engine)` makes functions of the extension."""
    if EXTENSION_OBSTACLE:
        pytest.skip(EXTENSION_OBSTACLE)
    return lambda engine=None: Code(make_entry(address, engine, (3, 2), (3, 2)))


@pytest.fixture
def ctypes_code(address):
    """`ctypes_code(engine)` makes functions that use ctypes."""
    return lambda engine=None: Code(ctypes_entry.Entry(address, engine, (3, 2), (3, 2)))


@pytest.fixture(params=['extension', 'ctypes'])
def new_code(request):
    """One of the two."""
    return request.getfixturevalue(f'{request.param}_code')


class Fallback:
    """Records how it is called."""

    def __init__(self):
        self.calls = []

    def __call__(self, *arguments, **names):
        self.calls.append((arguments, names))
        return self


@pytest.fixture
def fallback():
    return Fallback()
