"""The control loop's path: arrays bound once, then computed in place."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError, UnknownNameError

SHAPES = {
    'inverse_dynamics': (3, (4,)),
    'gravity_torque': (1, (4,)),
    'bias_torque': (2, (4,)),
    'torque_terms': (3, (3, 4)),
    'mass_matrix': (1, (4, 4)),
    'coriolis_matrix': (2, (4, 4)),
}


@pytest.mark.parametrize('quantity', SHAPES)
def test_a_step_reads_and_writes_in_place(dynamics, quantity):
    count, shape = SHAPES[quantity]
    inputs, out = list(np.zeros((count, 4))), np.zeros(shape)
    step = dynamics.bind(quantity, *inputs, out=out)
    for values in np.random.default_rng(0).uniform(-2.0, 2.0, (5, count, 4)):
        for array, value in zip(inputs, values, strict=True):
            array[:] = value
        assert step() is None
        assert np.array_equal(out, getattr(dynamics, quantity)(*inputs))


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
def test_a_bad_value_raises_and_leaves_the_output(dynamics, bad):
    q, v, out = np.zeros(4), np.zeros(4), np.full(4, 7.0)
    step = dynamics.bind('bias_torque', q, v, out=out)
    for index, name in enumerate(('first', 'second', 'third', 'fourth')):
        v[index] = bad
        with pytest.raises(StateError, match=f"^v is .* at '{name}'"):
            step()
        assert (out == 7.0).all()
        v[index] = 0.0
    step()
    assert np.array_equal(out, dynamics.bias_torque(q, v))


FAR = {
    'an angle': ('mass_matrix', ([1e12, 0.1, 0.2, 0.3],)),
    'angles at the limit': ('mass_matrix', ([2.0**30, -(2.0**30), 1e300, 0.3],)),
    'a velocity': ('bias_torque', ([0.4, 0.1, 0.2, 0.3], [1e10, 2.0, -1e20, 1.0])),
}


def refuse_to_compile(program):
    raise AssertionError(f'{program.name} is compiled for plain Python')


@pytest.mark.parametrize('far', FAR)
def test_values_beyond_the_range_of_native_code_are_computed_without_a_pause(monkeypatch, far):
    """On the control thread nothing is compiled."""
    quantity, values = FAR[far]
    inputs = [np.array(value) for value in values]
    expected = getattr(hand_written('oblique').python, quantity)(*inputs)
    dynamics = RobotDynamics(hand_written('oblique').model, backend='native')
    out = np.zeros_like(expected)
    step = dynamics.bind(quantity, *inputs, out=out)
    monkeypatch.setattr(
        'robot_dynamics_ros.core.compiler.kernel.compile_python', refuse_to_compile
    )
    step()
    called = getattr(dynamics, quantity)(*inputs)
    assert_close(out, expected)
    assert np.array_equal(out, called)


def test_a_result_that_overflows_is_refused(dynamics):
    q, v, out = np.zeros(4), np.full(4, 1e200), np.full(4, 7.0)
    step = dynamics.bind('bias_torque', q, v, out=out)
    for refused in (step, lambda: dynamics.bias_torque(q, v, out=out)):
        with pytest.raises(StateError, match='bias_torque'):
            refused()
        assert (out == 7.0).all()


def test_a_change_of_gravity_reaches_bound_steps():
    dynamics = RobotDynamics(hand_written('oblique').model)
    q, g = np.full(4, 0.5), np.zeros(4)
    step = dynamics.bind('gravity_torque', q, out=g)
    step()
    before = g.copy()
    dynamics.gravity = (0.0, 0.0, -2 * 9.81)
    step()
    assert_close(g, 2.0 * before)


def frozen():
    out = np.zeros(4)
    out.flags.writeable = False
    return out


GOOD = np.zeros(4)


@pytest.mark.parametrize(
    ('q', 'out', 'message'),
    [
        ([0.0] * 4, np.zeros(4), 'float64 NumPy array, not list'),
        (None, np.zeros(4), 'float64 NumPy array, not NoneType'),
        (np.zeros(4, np.float32), np.zeros(4), '.*, not float32 array'),
        (np.zeros(4, '>f8'), np.zeros(4), '.*, not >f8 array'),
        (np.ma.zeros(4), np.zeros(4), '.*, not float64 MaskedArray'),
        (np.zeros(4), np.ma.zeros(4), '.*, not float64 MaskedArray'),
        (np.zeros(8)[::2], np.zeros(4), 'contiguous in memory'),
        (np.zeros(3), np.zeros(4), r'shape \(3,\), \(4,\) is needed'),
        (np.zeros((4, 1)), np.zeros(4), r'shape \(4, 1\), \(4,\) is needed'),
        (np.zeros(4), np.zeros(5), r'out .*shape \(5,\).*\(4,\)'),
        (np.zeros(4), np.zeros(8)[::2], 'contiguous in memory'),
        (np.zeros(4), [0.0] * 4, 'float64 NumPy array, not list'),
        (np.zeros(4), None, 'float64 NumPy array, not NoneType'),
        (np.zeros(4), frozen(), 'out is read-only'),
        (GOOD, GOOD, 'shares memory'),
    ],
)
def test_arrays_that_cannot_be_used_where_they_lie_are_refused(dynamics, q, out, message):
    with pytest.raises(StateError, match=message):
        dynamics.bind('gravity_torque', q, out=out)


def test_the_number_of_inputs_is_checked(dynamics):
    message = r'bias_torque.* 2 .*\(q, v\).* 1'
    with pytest.raises(StateError, match=message):
        dynamics.bind('bias_torque', np.zeros(4), out=np.zeros(4))


def test_unknown_quantity_is_named(dynamics):
    with pytest.raises(UnknownNameError, match="unknown quantity 'torque'"):
        dynamics.bind('torque', np.zeros(4), out=np.zeros(4))


def test_a_step_keeps_what_it_needs_alive(backend):
    """Its code, and the arrays that it reads and writes."""
    dynamics = RobotDynamics(hand_written('oblique').model, backend=backend)
    q = np.full(4, 0.5)
    expected = dynamics.mass_matrix(q)
    step = dynamics.bind('mass_matrix', q, out=np.zeros((4, 4)))
    gone = weakref.ref(dynamics)
    del dynamics
    gc.collect()
    assert gone() is None
    # What was freed would be used again by these.
    clutter = [RobotDynamics(hand_written('pendulum').model, backend=backend) for _ in range(3)]
    for other in clutter:
        other.compile('mass_matrix')
    for _ in range(100):
        step()
    out = np.zeros((4, 4))
    RobotDynamics(hand_written('oblique').model, backend=backend).bind('mass_matrix', q, out=out)()
    assert np.array_equal(out, expected)


def test_what_is_not_used_any_more_is_freed(backend):
    class Array(np.ndarray):
        """np.ndarray itself cannot be referenced weakly."""

    dynamics = RobotDynamics(hand_written('oblique').model, backend=backend)
    q, out = np.zeros(4), np.zeros((4, 4))
    step = dynamics.bind('mass_matrix', q, out=out)
    step()
    kernel = weakref.ref(dynamics._call.kernel('mass_matrix'))
    references = sys.getrefcount(q), sys.getrefcount(out)
    del step
    gc.collect()
    assert (sys.getrefcount(q), sys.getrefcount(out)) < references
    assert kernel() is not None
    del dynamics
    gc.collect()
    assert kernel() is None


def test_calls_leak_nothing():
    """Every way through the compiled entry points, many times: no reference is left behind."""
    dynamics = hand_written('oblique').native
    q, v, out, listed = np.zeros(4), np.zeros(4), np.zeros(4), [0.0] * 4
    bad = np.full(4, np.nan)
    step = dynamics.bind('bias_torque', q, v, out=out)
    bad_step = dynamics.bind('bias_torque', q, bad, out=out)

    def everything():
        dynamics.bias_torque(q, v)
        dynamics.bias_torque(q, v, out=out)
        dynamics.bias_torque(listed, v)
        dynamics.bias_torque(q, v, out=v)
        v[:] = 0.0
        step()
        for refused in (lambda: dynamics.bias_torque(q, bad), bad_step):
            with pytest.raises(StateError):
                refused()

    everything()
    watched = (q, v, out, bad, listed, None, np.ndarray, np.dtype(np.float64))
    before, blocks = [sys.getrefcount(x) for x in watched], sys.getallocatedblocks()
    for _ in range(500):
        everything()
    gc.collect()
    after = [sys.getrefcount(x) for x in watched]
    # Caches of the interpreter come and go; one reference a call would be 500.
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 50
    assert sys.getallocatedblocks() - blocks < 400


def test_threads_do_not_disturb_each_other():
    dynamics = hand_written('oblique').native
    states = np.random.default_rng(0).uniform(-2.0, 2.0, (4, 4))
    expected = [dynamics.mass_matrix(q) for q in states]
    failures = []

    def work(q, right):
        out = np.zeros((4, 4))
        step = dynamics.bind('mass_matrix', q, out=out)
        for _ in range(2000):
            out[:] = 0.0
            step()
            if not (np.array_equal(out, right) and np.array_equal(dynamics.mass_matrix(q), right)):
                failures.append(q)

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(states, expected, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
