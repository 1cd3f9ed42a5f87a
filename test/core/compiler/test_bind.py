"""The control loop's path: arrays bound once, then computed in place."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError


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
        ([0.0] * 4, np.zeros(4), 'q .*list'),
        (None, np.zeros(4), 'q .*NoneType'),
        (np.zeros(4, np.float32), np.zeros(4), 'q .*float32'),
        (np.zeros(4, '>f8'), np.zeros(4), 'q .*>f8'),
        (np.ma.zeros(4), np.zeros(4), 'q .*MaskedArray'),
        (np.zeros(8)[::2], np.zeros(4), 'q .*contiguous'),
        (np.zeros(3), np.zeros(4), r'q .*shape \(3,\), \(4,\)'),
        (np.zeros((4, 1)), np.zeros(4), r'q .*shape \(4, 1\), \(4,\)'),
        (np.zeros(4), np.zeros(5), r'out .*shape \(5,\).*\(4,\)'),
        (np.zeros(4), np.zeros(8)[::2], 'out .*contiguous'),
        (np.zeros(4), [0.0] * 4, 'out .*list'),
        (np.zeros(4), np.ma.zeros(4), 'out .*MaskedArray'),
        (np.zeros(4), frozen(), 'out is read-only'),
        (GOOD, GOOD, 'shares memory'),
    ],
)
def test_arrays_that_cannot_be_used_where_they_lie_are_refused(dynamics, q, out, message):
    with pytest.raises(StateError, match=message):
        dynamics.bind('gravity_torque', q, out=out)


def test_the_number_of_inputs_is_checked(dynamics):
    with pytest.raises(StateError, match=r'bias_torque.* 2 .*\(q, v\).* 1'):
        dynamics.bind('bias_torque', np.zeros(4), out=np.zeros(4))


CHANGES = {
    'resized input': (lambda q, out: q.resize(2, refcheck=False), 'q .* 2 .* 4 '),
    'emptied input': (lambda q, out: q.resize(0, refcheck=False), 'q .* 0 .* 4 '),
    'resized output': (lambda q, out: out.resize((2, 2), refcheck=False), r'out .*\(2, 2'),
    'emptied output': (lambda q, out: out.resize((0, 4), refcheck=False), r'out .*\(0, 4'),
    'shape of an input': (lambda q, out: setattr(q, 'shape', (2, 2)), r'q .*\(2, 2\)'),
    'shape of the output': (lambda q, out: setattr(out, 'shape', (16,)), r'out .*\(16,\)'),
    'type of an input': (lambda q, out: setattr(q, 'dtype', np.complex64), 'q .*complex64'),
    'type of the output': (lambda q, out: setattr(out, 'dtype', np.int64), 'out .*int64'),
    'read-only output': (lambda q, out: out.setflags(write=False), 'out is read-only'),
}


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
@pytest.mark.parametrize('change', CHANGES)
def test_an_array_that_was_changed_after_bind_is_refused(dynamics, change):
    """An error, never a crash."""
    change, message = CHANGES[change]
    q, out = np.array([0.1, 0.2, 0.3, 0.4]), np.full((4, 4), 7.0)
    step = dynamics.bind('mass_matrix', q, out=out)
    change(q, out)
    before = out.tobytes()
    with pytest.raises(StateError, match=message):
        step()
    assert out.tobytes() == before
