"""The facade: what it accepts, and what it refuses by its name."""

from functools import partial

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from numpy.lib.stride_tricks import as_strided

from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    StateError,
    TopologyError,
    parse_urdf,
)

pytestmark = pytest.mark.contract

NAMES = ('first', 'second', 'third', 'fourth')
Q, V, A = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 4))


class Convertible:
    def __array__(self, dtype=None, copy=None):
        return Q


ACCEPTED = {
    'list': Q.tolist(),
    'list of arrays without an axis': [np.array(x) for x in Q],
    'strided view': np.repeat(Q, 3)[::3],
    'subclass': Q.view(np.recarray),
    'read-only': np.frombuffer(Q.tobytes()),
    'other byte order': Q.astype('>f8'),
    'unaligned': np.frombuffer(b'.' + Q.tobytes(), np.uint8)[1:].view(np.float64),
    'array-like': Convertible(),
    'long double': Q.astype(np.longdouble),
    **{kind.__name__: np.arange(4, dtype=kind) for kind in (np.int64, np.uint16, np.float16)},
}


@pytest.mark.parametrize('kind', ACCEPTED)
def test_positions_may_be_given_as(dynamics, kind):
    expected = dynamics.mass_matrix(np.array(ACCEPTED[kind], np.float64))
    assert np.array_equal(dynamics.mass_matrix(ACCEPTED[kind]), expected)


def test_one_position_may_be_a_view_with_any_stride(backend):
    """NumPy calls it contiguous all the same."""
    dynamics = getattr(hand_written('pendulum'), backend)
    for view in (np.zeros(2)[::2], np.zeros(1)[::-1]):
        assert np.array_equal(dynamics.mass_matrix(view), dynamics.mass_matrix([0.0]))


REFUSED = {
    'too few': [0.0] * 3,
    'too many': [0.0] * 5,
    'matrix': [[0.0] * 3] * 4,
    'three axes': np.zeros((1, 1, 4)),
    'sixteen axes': np.zeros((1,) * 16),
    'no axis': np.array(1.0),
    'ragged': [[0.0], [0.0, 1.0], 2, 3],
    'words': ['a', 'b', 'c', 'd'],
    'rows of words': [['a'] * 4],
    'digits': ['0', '0', '0', '0'],
    'None': None,
    'bools': [True, False, True, False],
    'complex': [1j, 0, 0, 0],
    'masked': np.ma.masked_array(np.zeros(4), [0, 1, 0, 0]),
    'masked rows': np.ma.zeros((5, 4)),
}


@pytest.mark.parametrize('value', REFUSED.values(), ids=REFUSED)
def test_what_is_no_vector_is_refused_by_name(dynamics, value):
    """Nor rows of a batch."""
    for position, name in enumerate('qva'):
        arguments = [Q, V, A]
        arguments[position] = value
        with pytest.raises(StateError, match=f'^{name} '):
            dynamics.inverse_dynamics(*arguments)


def test_rows_that_differ_in_number_are_refused(dynamics):
    with pytest.raises(StateError, match=r'5 rows.* v '):
        dynamics.bias_torque(np.zeros((5, 4)), np.zeros((7, 4)))


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_by_joint_and_row(dynamics, bad):
    """Of a state, also as a list or bound, and of a batch."""
    for index, (joint, row) in enumerate(zip(NAMES, (0, 17, 28, 29), strict=True)):
        v, out = V.copy(), np.full(4, 7.0)
        step = dynamics.bind('bias_torque', Q, v, out=out)
        v[index] = bad
        call = partial(dynamics.bias_torque, Q)
        for refused in (step, partial(call, v), partial(call, v.tolist()), partial(call, v, out)):
            with pytest.raises(StateError, match=f"^v is .* at '{joint}'"):
                refused()
        assert (out == 7.0).all()
        rows, out = np.tile(V, (30, 1)), np.full((30, 4), 7.0)
        rows[row:, index] = bad
        with pytest.raises(StateError, match=f"^v\\[{row}\\] is .* at '{joint}'"):
            dynamics.bias_torque(Q, rows, out)
        # The row itself holds nothing that could be taken for a result.
        assert (out[row] == 7.0).all()


def test_a_result_that_overflows_is_refused_by_its_row(dynamics):
    rows = np.tile(V, (20, 1))
    rows[9, 0] = 1e200
    with pytest.raises(StateError, match=r'^row 9: bias_torque'):
        dynamics.bias_torque(Q, rows)


def test_out_may_overlap_an_input(dynamics):
    expected = dynamics.inverse_dynamics(Q, V, A)
    for position in range(3):
        arguments = [Q.copy(), V.copy(), A.copy()]
        dynamics.inverse_dynamics(*arguments, out=arguments[position])
        assert np.array_equal(arguments[position], expected)
    memory = np.concatenate([Q, np.zeros(2)])
    dynamics.inverse_dynamics(memory[:4], V, A, out=memory[2:])
    assert np.array_equal(memory[2:], expected)


def frozen():
    out = np.zeros(4)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    ('rows', 'out'),
    [
        ((), [0.0] * 4),
        ((), np.zeros(4, np.float32)),
        ((), np.zeros(5)),
        ((), np.ma.zeros(4)),
        ((), as_strided(np.zeros(1), (4,), (0,))),
        ((), frozen()),
        ((5,), np.zeros(4)),
        ((5,), np.zeros((5, 4), np.float32)),
        ((5,), [[0.0] * 4] * 5),
        ((5,), as_strided(np.zeros(4), (5, 4), (0, 8))),
        ((5,), as_strided(np.zeros(8), (5, 4), (8, 8))),
    ],
)
def test_what_cannot_be_written_into_is_refused(dynamics, rows, out):
    before, q = np.array(out), np.broadcast_to(Q, (*rows, 4))
    for each in (q, q.tolist()):
        with pytest.raises(StateError, match=r'^out '):
            dynamics.gravity_torque(each, out=out)
    assert np.array_equal(out, before)


def test_gravity_can_be_changed_at_any_time(dynamics):
    """Of what is bound, too; by whole vectors that can be meant, never by an entry."""
    before, out = dynamics.gravity, np.zeros(4)
    assert before.tolist() == [0.0, 0.0, -9.81]
    g, step = dynamics.gravity_torque(Q), dynamics.bind('gravity_torque', Q, out=out)
    try:
        dynamics.gravity = (0, 0, -19.62)
        step()
        assert_close(out, 2.0 * g)
        assert np.array_equal(dynamics.gravity_torque(Q), out)
        assert before.tolist() == [0.0, 0.0, -9.81]
        dynamics.gravity = np.zeros(3)
        assert not dynamics.gravity_torque(Q).any()
        for bad in ([0.0, 0.0], [0.0, 0.0, np.nan], 'down', None, -9.81):
            with pytest.raises(StateError, match=r'^gravity '):
                dynamics.gravity = bad
        with pytest.raises(ValueError, match='read-only'):
            dynamics.gravity[2] = -1.62
        assert not dynamics.gravity.any()
    finally:
        dynamics.gravity = before


def test_a_robot_without_moving_joints_is_refused():
    model = parse_urdf('<robot name="rock"><link name="rock"/></robot>')
    with pytest.raises(TopologyError, match=r"'rock'.*joint"):
        RobotDynamics(model)


@pytest.mark.parametrize('model', ['<robot name="rock"/>', None, 5])
def test_what_is_no_model_is_refused(model):
    with pytest.raises(ParameterError, match=f'model.* {type(model).__name__}.*parse_urdf'):
        RobotDynamics(model)


@pytest.mark.parametrize('threads', [0, -1, 1.5, True, '2'])
def test_a_number_of_threads_that_is_none_is_refused(threads):
    with pytest.raises(ParameterError, match=r'threads.*1'):
        RobotDynamics(hand_written('oblique').model, threads=threads)
