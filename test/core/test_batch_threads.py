"""Batches over threads: the same results, no harm by interruptions."""

import signal
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from mechanics.batches import inputs_of
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics

pytestmark = [pytest.mark.contract, pytest.mark.usefixtures('needs_native')]

MODEL = hand_written('oblique').model
# What several threads share in many pieces.
MANY = 300_000


def test_the_result_does_not_depend_on_threads_and_neighbours():
    one, many = (RobotDynamics(MODEL, threads=count) for count in (1, 5))
    (q,) = inputs_of(MODEL, 'mass_matrix', MANY)
    # Beyond the range of native code.
    q[MANY // 2] = 2.0**40
    expected = one.mass_matrix(q)
    assert np.array_equal(many.mass_matrix(q), expected)
    for row in (0, 17, MANY // 2 - 1, MANY // 2, MANY // 2 + 1, MANY - 1):
        assert np.array_equal(one.mass_matrix(q[row : row + 1])[0], expected[row])


def test_threads_may_share_one_robot():
    dynamics = RobotDynamics(MODEL, threads=3)
    batches = [inputs_of(MODEL, 'bias_torque', 40_000, seed) for seed in range(4)]
    expected = [dynamics.bias_torque(*inputs) for inputs in batches]

    def is_right(inputs, right):
        out = np.zeros_like(right)
        for _ in range(20):
            out[:] = 0.0
            if not np.array_equal(dynamics.bias_torque(*inputs, out), right):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(is_right, batches, expected))


def test_working_memory_does_not_grow_with_the_samples():
    """Of inputs that native code cannot read where they lie, each thread copies a piece."""
    dynamics = RobotDynamics(MODEL, threads=2)
    q, v = (np.asfortranarray(x) for x in inputs_of(MODEL, 'bias_torque', 4 * MANY))
    out = np.zeros((4 * MANY, 8))[:, ::2]
    dynamics.bias_torque(q[:9], v[:9], out[:9])
    tracemalloc.start()
    dynamics.bias_torque(q, v, out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * (q.nbytes + v.nbytes + 8 * out.size)


def compute_on(method, *arguments):
    while True:
        method(*arguments)


def test_an_interruption_ends_the_batch_and_harms_nothing():
    """Whether it comes in the first call or in a later one is up to the machine."""
    dynamics = RobotDynamics(MODEL, threads=3)
    (q,) = inputs_of(MODEL, 'mass_matrix', MANY)
    expected, out = dynamics.mass_matrix(q), np.zeros((MANY, 4, 4))
    before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
    try:
        with pytest.raises(KeyboardInterrupt):
            compute_on(dynamics.mass_matrix, q, out)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    # No thread writes any more.
    written = out.copy()
    assert np.array_equal(dynamics.mass_matrix(q), expected)
    assert np.array_equal(out, written)
