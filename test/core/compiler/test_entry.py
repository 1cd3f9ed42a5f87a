"""Compiled kernels as objects of Python: how long they live, and what they leave behind.

What is computed, and what is refused, is tested by the facade.
"""

import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.compiler.program import trace

X, Y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25])


@pytest.fixture(autouse=True, scope='module')
def few_objects_to_search():
    """Tests search for garbage: they need not visit what the tests before them have left."""
    gc.freeze()


def products(x, y):
    return [[a * b for b in y] for a in x]


@pytest.fixture(scope='module')
def machine_code(needs_native):
    """Of the products of the entries of x (3,) and y (2,), (3, 2): its address and scratch."""
    from robot_dynamics_ros.core.compiler.llvm import compile_program

    engine, address, scratch = compile_program(trace('products', products, {'x': 3, 'y': 2}))
    yield address, scratch
    engine.close()


@pytest.fixture
def new_entry(machine_code):
    """`new_entry(engine)`: an entry; its `with_fallback` makes calls, and steps of arrays."""
    from robot_dynamics_ros.core.compiler._entry import make_entry

    address, scratch = machine_code
    return lambda engine=None: make_entry(address, engine, (3, 2), (3, 2), scratch, 1)


class Engine:
    """Owner of machine code."""


def test_the_collector_finalises_no_engine_that_can_still_be_called(new_entry):
    """Objects of a dead cycle are finalised in any order."""
    order = []

    class Finalised:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            order.append(('engine', self.number))

    class Caller:
        def __init__(self, entry, number):
            self.itself, self.number = self, number
            self.step = entry.with_fallback(self.fall, (X, Y, np.zeros((3, 2))))

        def fall(self):
            raise AssertionError('handed over')

        def __del__(self):
            self.step()
            order.append(('caller', self.number))

    for number in range(10):
        # The engine is older: it would be finalised first.
        Caller(new_entry(Finalised(number)), number)
    gc.collect()
    assert len(order) == 20
    for number in range(10):
        assert order.index(('caller', number)) < order.index(('engine', number))


CALLS = 10_000


def test_calls_are_neutral(new_entry):
    """Each way through a function, many times: no reference and no block is left."""
    entry, out, bad, engine = new_entry(), np.zeros((3, 2)), np.full(3, np.nan), Engine()

    def fallback(*arguments, **names):
        return None

    call = entry.with_fallback(fallback)
    ways = (
        lambda: call(X, Y, None),
        lambda: call(X, Y, out),
        lambda: call(bad, Y, None),
        lambda: call(X, Y, out=out),
        entry.with_fallback(fallback, (X, Y, out)),
        entry.with_fallback(fallback, (bad, Y, out)),
        lambda: entry.rows((X, Y), out[None], False),
        lambda: entry.with_fallback(fallback, (X, Y, out)),
        lambda: new_entry(engine),
    )
    watched = (X, Y, out, bad, entry, call, fallback, type(call), engine, None)
    for way in ways:
        way()
        before, blocks = [sys.getrefcount(x) for x in watched], sys.getallocatedblocks()
        for _ in range(CALLS):
            way()
        after = [sys.getrefcount(x) for x in watched]
        # Caches of the interpreter come and go; one reference a call would be CALLS.
        assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 100
        assert abs(sys.getallocatedblocks() - blocks) < 100


# The same for users.

# The allocator fills what is freed: whoever reads it afterwards crashes.
COLLECT = """
import gc, sys
import numpy as np
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
model = parse_urdf(sys.stdin.read())
q = np.zeros(model.size)
for _ in range(20):
    dynamics = RobotDynamics(model)
    step = dynamics.bind('mass_matrix', q, out=dynamics.mass_matrix(q))
    dynamics.inverse_dynamics(q, q, q)
    del dynamics
    gc.collect()
    step()
    del step
    gc.collect()
print('alive')
"""


@pytest.mark.usefixtures('needs_native')
def test_nothing_reads_what_is_freed():
    environment = dict(os.environ, PYTHONMALLOC='malloc', MALLOC_PERTURB_='255')
    result = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-c', COLLECT],
        input=hand_written('pendulum').text,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert result.stdout.strip() == 'alive', f'{result.returncode}: {result.stderr[-2000:]}'


@pytest.mark.parametrize('loaded', [False, True])
def test_an_unused_robot_is_freed_at_once(backend, loaded):
    """A node exchanges robots while it runs: none may wait for the garbage collector."""
    model = parse_urdf(hand_written('pendulum').text)
    frame = model.frames[-1].name if loaded else None
    dynamics = RobotDynamics(model, backend=backend, payload_frame=frame)
    if loaded:
        dynamics = dynamics.with_payload(frame, 0.1)
    step = dynamics.bind('gravity_torque', np.zeros(1), out=np.zeros(1))
    gone = weakref.ref(dynamics._call.kernel('gravity_torque'))
    gc.disable()
    try:
        del dynamics
        step()
        assert gone() is not None
        del step
        assert gone() is None
    finally:
        gc.enable()
