"""Kernels at each width of vectors: accurate, and safe in any number of threads and processes."""

import math
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from mechanics.batches import inputs_of
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.compiler.kernel import Kernel
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.compiler.segments import cut
from robot_dynamics_ros.core.compiler.sine import RANGE
from robot_dynamics_ros.core.compiler.threads import share
from robot_dynamics_ros.core.scalar import cos, sin, sqrt


def kernel_of(algorithm, size, backend='native'):
    """The kernel of an algorithm that takes one vector."""
    labels = {'x': [*map(str, range(size))]}
    return Kernel(trace('traced', algorithm, {'x': size}), labels, backend)


@pytest.fixture(params=[2, 4, 8])
def lanes(request, monkeypatch, needs_native):
    """Batches with vectors of that width, on whatever processor the tests run."""
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


@pytest.mark.parametrize('entries', [1, 2, 3, 4, 5, 7, 8, 9, 16, 19])
def test_rows_of_each_length_are_transposed(entries, lanes):
    """A result in which every entry of the input has another place, with constants between."""
    kernel = kernel_of(lambda x: [y for entry in reversed(x) for y in (entry, 7.0)], entries)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (2 * lanes + 3, entries))
    expected = np.full((len(x), 2 * entries), 7.0)
    expected[:, ::2] = x[:, ::-1]
    assert np.array_equal(kernel.call(x, None), expected)


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
def both_of_ten(needs_native):
    return kernel_of(both, 10)


def test_sine_and_cosine_of_one_state(both_of_ten):
    for angles in angles_to_try():
        for x in angles.reshape(-1, 10):
            found = both_of_ten.call(x, None)
            assert_accurate(found, x)
            assert np.array_equal(both_of_ten.call(-x, None), [-found[0], found[1]])
    assert both_of_ten.call(np.zeros(10), None).tolist() == [[0.0] * 10, [1.0] * 10]
    # Beyond the range they are those of plain Python, bitwise, of every angle of the state.
    x = np.resize([RANGE, -RANGE, 1e10, -1e15, 1e300, 0.1, -2.0, 3e8], 10)
    assert both_of_ten.call(x, None).tolist() == both(x.tolist())


def test_roots_are_correctly_rounded(backend):
    kernel = kernel_of(lambda x: [sqrt(x[0]), 3.0 * sqrt(x[0])], 1, backend)
    for value in (0.0, 5e-324, 1e-300, 0.3, 1.0, 2.0, 3.7e8):
        found = kernel.call(np.array([value]), None).tolist()
        assert found == [math.sqrt(value), 3.0 * math.sqrt(value)]


# Memory and threads.


def products(count):
    """The k-th entry is x_k x_(count-1-k) and more; all products are known before any is used."""

    def algorithm(x):
        terms = [x[k] * x[count - 1 - k] + float(k) for k in range(count)]
        return [terms[count - 1 - k] - 0.5 * terms[k] for k in range(count)]

    return algorithm


# Scratch memory of the one is on the stack (`MOST_ON_STACK` of the extension), of the other not.
SMALL, BIG = 400, 1200


@pytest.mark.usefixtures('needs_native')
@pytest.mark.parametrize('count', [SMALL, BIG])
def test_any_scratch_memory(count):
    algorithm = products(count)
    assert (cut(trace('products', algorithm, {'x': count})).size <= 1024) == (count == SMALL)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, count)
    assert np.abs(kernel_of(algorithm, count).call(x, None) - algorithm(x)).max() < 1e-9


@pytest.mark.usefixtures('needs_native')
def test_kernels_that_are_compiled_at_once_are_not_confused():
    barrier = threading.Barrier(4)

    def are_right(number):
        found = []
        for factor in range(100 * number, 100 * number + 8):
            barrier.wait(30)
            kernel = kernel_of(partial(multiplied, float(factor)), 1)
            found.append(kernel.call(np.ones(1), None)[0] == factor)
        return all(found)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(are_right, range(4)))


def multiplied(factor, x):
    return [factor * x[0]]


# Python runs on this stack, LLVM would overflow it: it is not begun.
SMALL_STACK_COMPILES = """
import threading
import numpy as np
from mechanics.robots import hand_written
from robot_dynamics_ros.core import ParameterError, RobotDynamics

answers = []

def work():
    try:
        RobotDynamics(hand_written('oblique').model, backend='native').mass_matrix(np.zeros(4))
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


@pytest.mark.usefixtures('needs_native')
@pytest.mark.parametrize('script', [SMALL_STACK_COMPILES, FORK], ids=['small stack', 'fork'])
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


def again_and_again(method, *arguments):
    while True:
        method(*arguments)


def test_an_interruption_comes_when_no_thread_works_any_more():
    caller, finished = threading.get_ident(), []
    ready, interrupted, raised = (threading.Event() for _ in range(3))

    def interrupt(number, frame):
        interrupted.set()
        raise KeyboardInterrupt

    def work(first, last):
        """The caller ends with its chunk, and then waits for the other thread."""
        if threading.get_ident() == caller:
            ready.set()
            return
        ready.wait(10.0)
        signal.pthread_kill(caller, signal.SIGUSR1)
        interrupted.wait(10.0)
        raised.wait(0.2)
        finished.append(first)

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            again_and_again(share, work, 2, 1, 2)
        raised.set()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(finished) == 1
