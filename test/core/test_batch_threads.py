"""Batches over threads: the same results, no harm by interruptions."""

import os
import signal
import threading
import tracemalloc

import numpy as np
import pytest
from mechanics.batches import inputs_of
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.compiler.kernel import native_obstacle

pytestmark = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())


def test_the_result_does_not_depend_on_threads_and_neighbours():
    model = hand_written('oblique').model
    one, many = (RobotDynamics(model, backend='native', threads=count) for count in (1, 5))
    one.mass_matrix(np.zeros((1, 4)))
    batch = one._call.kernel('mass_matrix')._batch
    q = inputs_of(model, 'mass_matrix', 3 * batch._chunk + 5)[0]
    q[batch._chunk + 3] = 2.0**40
    expected = one.mass_matrix(q)
    assert np.array_equal(many.mass_matrix(q), expected)
    for row in (0, 17, batch._chunk + 2, batch._chunk + 3, len(q) - 1):
        assert np.array_equal(one.mass_matrix(q[row : row + 1])[0], expected[row])


def test_threads_may_share_one_robot():
    dynamics = RobotDynamics(hand_written('oblique').model, backend='native', threads=3)
    batches = [inputs_of(dynamics.model, 'bias_torque', 40_000, seed) for seed in range(4)]
    expected = [dynamics.bias_torque(*inputs) for inputs in batches]
    wrong = []

    def work(inputs, right):
        out = np.zeros_like(right)
        for _ in range(20):
            out[:] = 0.0
            if not np.array_equal(dynamics.bias_torque(*inputs, out), right):
                wrong.append(1)

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(batches, expected, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_working_memory_does_not_grow_with_the_samples():
    """Of inputs that native code cannot read where they lie, each thread copies one chunk."""
    dynamics = RobotDynamics(hand_written('oblique').model, threads=2)
    chunk = dynamics._call.kernel('bias_torque')._batch._chunk
    samples = 40 * chunk
    q, v = (np.asfortranarray(x) for x in inputs_of(dynamics.model, 'bias_torque', samples))
    out = np.zeros((samples, 8))[:, ::2]
    dynamics.bias_torque(q, v, out)
    tracemalloc.start()
    dynamics.bias_torque(q, v, out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Copies of 2 of 40 chunks, and what the interpreter needs.
    assert peak < 0.1 * (q.nbytes + v.nbytes + 8 * out.size)


def repeat(times, call):
    """Whether a signal comes before the last chunk of the first call is up to the machine."""
    for _ in range(times):
        call()


def test_an_interruption_ends_the_batch_and_harms_nothing():
    dynamics = RobotDynamics(hand_written('oblique').model, threads=3)
    kernel = dynamics._call.kernel('mass_matrix')
    q = inputs_of(dynamics.model, 'mass_matrix', 60 * kernel._batch._chunk)[0]
    expected, out = dynamics.mass_matrix(q), np.zeros((len(q), 4, 4))
    began, fill = threading.Event(), kernel._batch._fill

    def interrupting(*arguments):
        began.set()
        return fill(*arguments)

    kernel._batch._fill = interrupting
    interrupt = threading.Thread(
        target=lambda: (began.wait(30), os.kill(os.getpid(), signal.SIGINT))
    )
    interrupt.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            repeat(1000, lambda: dynamics.mass_matrix(q, out))
    finally:
        interrupt.join()
    del kernel._batch._fill
    # No thread writes any more.
    written = out.copy()
    assert np.array_equal(dynamics.mass_matrix(q), expected)
    assert np.array_equal(out, written)
