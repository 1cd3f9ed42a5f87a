"""A compiled kernel, and the functions that call it."""

import gc

import pytest

from robot_dynamics_ros.core.compiler.kernel import native_obstacle
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
def machine_code():
    """Of the products of the entries of x (3,) and y (2,), (3, 2): its address and scratch."""
    if obstacle := native_obstacle():
        pytest.skip(obstacle)
    from robot_dynamics_ros.core.compiler.llvm import compile_program

    engine, address, scratch = compile_program(trace('products', products, {'x': 3, 'y': 2}))
    yield address, scratch
    engine.close()


class Code:
    """The functions that call one kernel."""

    def __init__(self, entry):
        self.entry = entry

    def call(self, fallback):
        return self.entry.with_fallback(fallback)

    def step(self, fallback, *arrays):
        return self.entry.with_fallback(fallback, arrays)


@pytest.fixture
def new_code(machine_code):
    """`new_code(engine)` makes functions."""
    from robot_dynamics_ros.core.compiler._entry import make_entry

    address, scratch = machine_code
    return lambda engine=None: Code(make_entry(address, engine, (3, 2), (3, 2), scratch, 1))


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
