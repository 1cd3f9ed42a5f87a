"""Kernels at each width of vectors: accurate, and safe in any number of threads and processes."""

import math
import os
import subprocess
import sys
import threading
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.batches import inputs_of
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError
from robot_dynamics_ros.core.compiler.kernel import Kernel, native_obstacle
from robot_dynamics_ros.core.compiler.program import evaluate, trace
from robot_dynamics_ros.core.compiler.segments import cut
from robot_dynamics_ros.core.compiler.sine import RANGE, sine_and_cosine
from robot_dynamics_ros.core.scalar import cos, sin, sqrt

needs_native = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

LANES = (2, 4, 8)


def kernel_of(algorithm, size, backend='native'):
    """The kernel of an algorithm that takes one vector."""
    labels = {'x': [*map(str, range(size))]}
    return Kernel(trace('traced', algorithm, {'x': size}), labels, backend)


@pytest.fixture(params=LANES)
def lanes(request, monkeypatch):
    """Batches with vectors of that width, on whatever processor the tests run."""
    if obstacle := native_obstacle():
        pytest.skip(obstacle)
    monkeypatch.setattr(
        'robot_dynamics_ros.core.compiler.llvm.vector_lanes', lambda: request.param
    )
    return request.param


@pytest.mark.parametrize('quantity', ['inverse_dynamics', 'mass_matrix_inverse', 'regressor'])
def test_each_width_computes_the_same(quantity, lanes):
    dynamics = RobotDynamics(hand_written('oblique').model)
    for samples in (1, lanes - 1, lanes, 3 * lanes + 1):
        inputs = inputs_of(dynamics.model, quantity, samples)
        expected = [getattr(dynamics, quantity)(*sample) for sample in zip(*inputs, strict=True)]
        found = getattr(dynamics, quantity)(*inputs)
        assert np.abs(found - expected).max() <= 1e-14 * np.abs(expected).max()


@pytest.mark.parametrize('entries', range(1, 20))
def test_rows_of_each_length_are_transposed(entries, lanes):
    """A result in which every entry of the input has another place, with constants between."""
    kernel = kernel_of(lambda x: [y for entry in reversed(x) for y in (entry, 7.0)], entries)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (2 * lanes + 3, entries))
    expected = np.full((len(x), 2 * entries), 7.0)
    expected[:, ::2] = x[:, ::-1]
    assert np.array_equal(kernel.call(x, None), expected)


@pytest.mark.parametrize('entries', [1, 3, 8, 17, 515])
def test_rows_are_written_past_the_caches(entries, lanes, monkeypatch):
    """Wherever the lines of the caches begin in them, and nothing beside them."""
    monkeypatch.setattr('robot_dynamics_ros.core.compiler.batch.PAST_CACHES', 0)
    kernel = kernel_of(lambda x: [float(k) * x[0] for k in range(entries)], 1)
    for samples, start in product((1, lanes, 3 * lanes + 1), range(8)):
        x = np.random.default_rng(0).uniform(-1.0, 1.0, (samples, 1))
        memory = np.full(samples * entries + 16, 7.0)
        out = memory[start : start + samples * entries].reshape(samples, entries)
        kernel.call(x, out)
        assert np.array_equal(out, x * np.arange(entries))
        assert (memory[:start] == 7.0).all()
        assert (memory[start + out.size :] == 7.0).all()


# Sines, cosines and roots.

# From the C library's result, in units in its last place: the reduction and each of the two last
# sums round by half a unit at most, as do the polynomials. Of a large angle, the reduction leaves
# 1e-21: seen in results that are nearly zero.
MOST_ULPS, LEFT = 2.0, 1e-21
QUARTERS = (1, 2, 3, 5, 1000, 10**6, 683_565_275)


def both(x):
    return [[sin(y) for y in x], [cos(y) for y in x]]


def assert_accurate(found, angles):
    exact = np.array([*np.vectorize(math.sin, otypes=[float])(angles)[None],
                      *np.vectorize(math.cos, otypes=[float])(angles)[None]])  # fmt: skip
    errors = np.maximum(np.abs(found - exact) - LEFT, 0.0)
    assert (errors <= MOST_ULPS * np.spacing(np.abs(exact))).all()


def angles_to_try():
    """At random up to each size, and beside multiples of a quarter turn."""
    random = np.random.default_rng(0)
    for largest in (1e-300, 1e-8, 0.1, math.pi / 4, 10.0, 1e5, 1e9):
        yield random.uniform(-largest, largest, 2000)
    for quarters in QUARTERS:
        center = quarters * (math.pi / 2)
        yield center + np.arange(-500, 500) * math.ulp(center)


def test_sine_and_cosine_of_batches(lanes):
    kernel = kernel_of(both, 5)
    for angles in angles_to_try():
        rows = angles.reshape(-1, 5)
        assert_accurate(kernel.call(rows, None).swapaxes(0, 1), rows)


@pytest.fixture(scope='module')
def both_of_ten():
    if obstacle := native_obstacle():
        pytest.skip(obstacle)
    return kernel_of(both, 10)


def test_sine_and_cosine_of_one_state(both_of_ten):
    for angles in angles_to_try():
        for x in angles.reshape(-1, 10):
            found = both_of_ten.call(x, None)
            assert_accurate(found, x)
            mirrored = both_of_ten.call(-x, None)
            assert np.array_equal(mirrored, [-found[0], found[1]])
    assert both_of_ten.call(np.zeros(10), None).tolist() == [[0.0] * 10, [1.0] * 10]


@given(st.floats(-RANGE, RANGE, exclude_min=True, exclude_max=True))
def test_sine_and_cosine_anywhere(both_of_ten, x):
    assert_accurate(both_of_ten.call(np.full(10, x), None), np.full(10, x))
    # Written once for any scalar: on plain floats it is as exact.
    assert_accurate(np.array(sine_and_cosine(x))[:, None], np.array([x]))


def test_beyond_its_range_the_results_are_those_of_plain_python(both_of_ten):
    """Bitwise, of every angle of the state."""
    x = np.resize([RANGE, -RANGE, 1e10, -1e15, 1e300, 0.1, -2.0, 3e8], 10)
    assert both_of_ten.call(x, None).tolist() == both(x.tolist())


@needs_native
@pytest.mark.parametrize('factor', [1000.0, 1e12, -3.7e15])
def test_an_angle_may_be_a_large_multiple_of_an_input(factor):
    """A mimic joint: the angle is rounded as plain Python rounds it, then both are exact.

    Of a batch, a sample whose angle the vectors do not take is computed alone.
    """

    def algorithm(x):
        angle = factor * x[0] + 0.3
        return [sin(angle), cos(angle)]

    kernel = kernel_of(algorithm, 1)
    values = np.resize([9e8, -1.07e9, 0.7, 1.0 / 3.0, 1e-13], 21)[:, None]
    exact = [algorithm(row) for row in values.tolist()]
    assert np.abs([kernel.call(row, None) for row in values] - np.array(exact)).max() <= 1e-15
    assert np.abs(kernel.call(values, None) - exact).max() <= 1e-15


def test_an_angle_that_overflows_has_no_sine(backend):
    kernel = kernel_of(lambda x: [sin(1e300 * x[0])], 1, backend)
    x, out = np.array([1e9]), np.array([7.0])
    step = kernel.bind([x], out)
    for refused in (step, lambda: kernel.call(x, None), lambda: kernel.call(x, out)):
        with pytest.raises(StateError):
            refused()
        assert out.tolist() == [7.0]


ROOTS = [0.0, 5e-324, 1e-300, 0.3, 1.0, 2.0, 3.7e8]


def roots(x):
    return [sqrt(x[0]), 3.0 * sqrt(x[0])]


def test_roots_are_correctly_rounded(backend):
    kernel, program = kernel_of(roots, 1, backend), trace('roots', roots, {'x': 1})
    for value in ROOTS:
        expected = [math.sqrt(value), 3.0 * math.sqrt(value)]
        found = kernel.call(np.array([value]), None).tolist()
        assert found == expected == evaluate(program, {'x': [value]})[0]


# Memory and threads.


def products(count):
    """The k-th entry is x_k x_(count-1-k) and more; all products are known before any is used."""

    def algorithm(x):
        terms = [x[k] * x[count - 1 - k] + float(k) for k in range(count)]
        return [terms[count - 1 - k] - 0.5 * terms[k] for k in range(count)]

    return algorithm


# Scratch memory of the one is on the stack (`MOST_ON_STACK` of the extension), of the other not.
SMALL, BIG = 400, 1200


@needs_native
@pytest.mark.parametrize('count', [SMALL, BIG])
def test_any_scratch_memory_in_threads_and_batches(count):
    algorithm = products(count)
    size = cut(trace('products', algorithm, {'x': count})).size
    assert (size <= 1024) == (count == SMALL)
    kernel = kernel_of(algorithm, count)
    rows = np.random.default_rng(0).uniform(-1.0, 1.0, (19, count))
    expected = np.array([algorithm(row) for row in rows])
    assert np.abs(kernel.call(rows, None) - expected).max() < 1e-9
    batches = [kernel.call(rows, None).tobytes() for _ in range(2)]
    found = []

    def work():
        # Without the interpreter's lock, which single calls hold.
        found.extend(kernel.call(rows, None).tobytes() for _ in range(30))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {*found} == {*batches}


@needs_native
def test_kernels_that_are_compiled_at_once_are_not_confused():
    wrong, barrier = [], threading.Barrier(4)

    def work(factor):
        for turn in range(8):
            barrier.wait(30)
            kernel = kernel_of(lambda x: [(factor + turn) * x[0]], 1)  # noqa: B023
            if kernel.call(np.ones(1), None)[0] != factor + turn:
                wrong.append((factor, turn))

    threads = [threading.Thread(target=work, args=(100.0 * (i + 1),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# The smallest stack that Python gives a thread.
SMALL_STACK = f"""
import threading
import numpy as np
from test_kernels import BIG, SMALL, kernel_of, products

steps = []
for count in (SMALL, BIG):
    x, out = np.linspace(-1.0, 1.0, count), np.zeros(count)
    step = kernel_of(products(count), count).bind([x], out)
    steps.append((step, out, np.array(products(count)(x))))
threading.stack_size({32 * 1024})
for step, _, _ in steps:
    thread = threading.Thread(target=step)
    thread.start()
    thread.join()
print(all(np.abs(out - expected).max() < 1e-9 for _, out, expected in steps))
"""
# Python runs on this stack, LLVM would overflow it: it is not begun.
SMALL_STACK_COMPILES = """
import threading
import numpy as np
from mechanics.robots import hand_written
from robot_dynamics_ros.core import ParameterError, RobotDynamics

answers = []

def work():
    try:
        RobotDynamics(hand_written('oblique').model).mass_matrix(np.zeros(4))
    except ParameterError as error:
        answers.append('stack_size' in str(error))

threading.stack_size(256 * 1024)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(*answers)
"""
# A child of a process whose threads have computed has none of them.
FORK = """
import os
import numpy as np
from mechanics.robots import hand_written
from robot_dynamics_ros.core import RobotDynamics

dynamics = RobotDynamics(hand_written('oblique').model, threads=2)
q = np.random.default_rng(0).uniform(-1.0, 1.0, (100_000, 4))
expected = dynamics.mass_matrix(q)
child = os.fork()
right = np.array_equal(dynamics.mass_matrix(q), expected)
if not child:
    os._exit(0 if right else 1)
print(right and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0)
"""
# What another thread compiles just then does not keep a child from its own robot.
FORK_WHILE_COMPILING = """
import faulthandler, os, threading
import numpy as np
from mechanics.robots import hand_written
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.compiler import llvm

begun, go_on = threading.Event(), threading.Event()
compiled = llvm.compile_ir

def compile_ir(*arguments):
    begun.set()
    go_on.wait()
    return compiled(*arguments)

llvm.compile_ir = compile_ir
one, other = (hand_written(name).model for name in ('oblique', 'gantry'))
q = np.zeros((2, one.size))
thread = threading.Thread(target=RobotDynamics(one, backend='native').mass_matrix, args=(q,))
thread.start()
begun.wait()
child = os.fork()
if not child:
    faulthandler.dump_traceback_later(60, exit=True)
    RobotDynamics(other, backend='python').mass_matrix(np.zeros((2, other.size)))
    os._exit(0)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
go_on.set()
thread.join()
print(status == 0)
"""
PROCESSES = {
    'small stack': SMALL_STACK,
    'compiling on a small stack': SMALL_STACK_COMPILES,
    'fork': FORK,
    'fork while compiling': FORK_WHILE_COMPILING,
}


@needs_native
@pytest.mark.parametrize('script', PROCESSES.values(), ids=PROCESSES)
def test_in_a_process_of_its_own(script):
    path = ':'.join([os.path.dirname(__file__), *filter(None, sys.path), os.getcwd()])
    result = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-W', 'ignore', '-c', script],
        env=dict(os.environ, PYTHONPATH=path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.stdout.strip() == 'True', f'{result.returncode}: {result.stderr[-2000:]}'
