"""The control loop's path: arrays bound once, then computed in place."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError

FAR = {
    'an angle': ('mass_matrix', ([1e12, 0.1, 0.2, 0.3],)),
    'angles at the limit': ('mass_matrix', ([2.0**30, -(2.0**30), 1e300, 0.3],)),
    'a velocity': ('bias_torque', ([0.4, 0.1, 0.2, 0.3], [1e10, 2.0, -1e20, 1.0])),
}


def refuse_to_compile(program):
    raise AssertionError(f'{program.name} is compiled for plain Python')


@pytest.mark.usefixtures('needs_native')
@pytest.mark.parametrize('far', FAR)
def test_values_beyond_the_range_of_native_code_are_computed_without_a_pause(monkeypatch, far):
    """On the control thread nothing is compiled. The same in a call and in a batch."""
    quantity, values = FAR[far]
    inputs = [np.array(value) for value in values]
    expected = getattr(hand_written('oblique').python, quantity)(*inputs)
    dynamics = RobotDynamics(hand_written('oblique').model, backend='native')
    out = np.zeros_like(expected)
    step, method = dynamics.bind(quantity, *inputs, out=out), getattr(dynamics, quantity)
    monkeypatch.setattr(
        'robot_dynamics_ros.core.compiler.kernel.compile_python', refuse_to_compile
    )
    step()
    assert_close(out, expected)
    assert np.array_equal(out, method(*inputs))
    rows = [np.full((20, 4), 0.1) for _ in inputs]
    for array, value in zip(rows, inputs, strict=True):
        array[3] = value
    assert np.array_equal(out, method(*rows)[3])


def frozen():
    out = np.zeros(4)
    out.flags.writeable = False
    return out


GOOD = np.zeros(4)


@pytest.mark.parametrize(
    ('q', 'out', 'named'),
    [
        ([0.0] * 4, np.zeros(4), 'q .*list'),
        (None, np.zeros(4), 'q .*NoneType'),
        (np.zeros(4, np.float32), np.zeros(4), 'q .*float32'),
        (np.zeros(4, '>f8'), np.zeros(4), 'q .*>f8'),
        (np.ma.zeros(4), np.zeros(4), 'q .*MaskedArray'),
        (np.zeros(8)[::2], np.zeros(4), 'q .*contiguous'),
        (np.zeros(3), np.zeros(4), r'q .*\(3,\)'),
        (np.zeros((4, 1)), np.zeros(4), r'q .*\(4, 1\)'),
        (np.zeros(4), np.zeros(5), r'out .*\(5,\)'),
        (np.zeros(4), np.zeros(8)[::2], 'out .*contiguous'),
        (np.zeros(4), [0.0] * 4, 'out .*list'),
        (np.zeros(4), np.ma.zeros(4), 'out .*MaskedArray'),
        (np.zeros(4), frozen(), 'out .*read-only'),
        (GOOD, GOOD, 'memory'),
    ],
)
def test_arrays_that_cannot_be_used_where_they_lie_are_refused(dynamics, q, out, named):
    with pytest.raises(StateError, match=named):
        dynamics.bind('gravity_torque', q, out=out)


def test_the_number_of_inputs_is_checked(dynamics):
    with pytest.raises(StateError, match=r'bias_torque.*\(q, v\)'):
        dynamics.bind('bias_torque', np.zeros(4), out=np.zeros(4))


CHANGES = {
    'resized input': (lambda q, out: q.resize(2, refcheck=False), '^q .* 2 '),
    'emptied input': (lambda q, out: q.resize(0, refcheck=False), '^q .* 0 '),
    'resized output': (lambda q, out: out.resize((2, 2), refcheck=False), r'^out .*\(2, 2'),
    'emptied output': (lambda q, out: out.resize((0, 4), refcheck=False), r'^out .*\(0, 4'),
    'shape of an input': (lambda q, out: setattr(q, 'shape', (2, 2)), r'^q .*\(2, 2\)'),
    'shape of the output': (lambda q, out: setattr(out, 'shape', (16,)), r'^out .*\(16,\)'),
    'type of an input': (lambda q, out: setattr(q, 'dtype', np.complex64), '^q .*complex64'),
    'type of the output': (lambda q, out: setattr(out, 'dtype', np.int64), '^out .*int64'),
    'read-only output': (lambda q, out: out.setflags(write=False), '^out .*read-only'),
}


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
@pytest.mark.parametrize(('change', 'named'), CHANGES.values(), ids=CHANGES)
def test_an_array_that_was_changed_after_bind_is_refused(dynamics, change, named):
    """An error, never a crash."""
    q, out = np.array([0.1, 0.2, 0.3, 0.4]), np.full((4, 4), 7.0)
    step = dynamics.bind('mass_matrix', q, out=out)
    change(q, out)
    before = out.tobytes()
    with pytest.raises(StateError, match=named):
        step()
    assert out.tobytes() == before
