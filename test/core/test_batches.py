"""Batches: what each sample gives alone, whatever the layout, the neighbours and the threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.batches import ARGUMENTS, MAIN_QUANTITIES, call, cases, inputs_of, one_by_one
from mechanics.closeness import coriolis_scale, torque_scale
from mechanics.examples import MOVING_EXAMPLES
from mechanics.planar_arms import POINT_AT_TIP
from mechanics.random_trees import random_robot
from mechanics.robots import HAND_WRITTEN, SINGULAR, hand_written, random_state
from numpy.lib.stride_tricks import as_strided
from property_settings import ALL, examples

from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    SingularMassMatrixError,
    StateError,
    parse_urdf,
)

pytestmark = pytest.mark.contract

# Of the largest entry, or of the terms that are summed (`scale_of`). Batches and single calls
# round in other places: products and sums that one rounds together. The worst that was seen here
# is 5e-15; where M is inverted, rounding grows with its condition: larger robots have shown 2e-13.
TOLERANCE = 1e-14


def scale_of(dynamics, quantity, samples):
    """Torques, C and the derivatives of accelerations are sums of larger terms that may cancel."""
    random, scale = np.random.default_rng(5), 0.0
    if quantity in ('inverse_dynamics', 'bias_torque', 'gravity_torque', 'torque_terms'):
        for _ in range(samples):
            scale = max(scale, torque_scale(dynamics, random_state(dynamics.model, random)))
    if quantity == 'coriolis_matrix':
        scale = coriolis_scale(dynamics, random_state(dynamics.model, random))
    if quantity == 'forward_dynamics_derivatives':
        for q, v, tau in zip(*inputs_of(dynamics.model, quantity, samples), strict=True):
            a = dynamics.forward_dynamics(q, v, tau)
            rows = np.abs(dynamics.mass_matrix_inverse(q)).sum(axis=1).max()
            terms = np.abs(dynamics.inverse_dynamics_derivatives(q, v, a)).max()
            scale = max(scale, rows * terms)
    return scale


def compare(dynamics, quantity, samples=11):
    inputs = inputs_of(dynamics.model, quantity, samples)
    expected = one_by_one(dynamics, quantity, inputs)
    found = call(dynamics, quantity, *inputs)
    assert found.shape == expected.shape
    scale = max(np.abs(expected).max(), scale_of(dynamics, quantity, 2))
    worst = np.abs(found - expected).max()
    assert worst <= TOLERANCE * scale, f'off by {worst:.3g} of {scale:.3g}'


REGULAR = [robot for robot in HAND_WRITTEN if robot.name not in SINGULAR]
if not ALL:
    REGULAR = [hand_written('oblique'), hand_written('mimic')]
OTHERS = set(ARGUMENTS) - set(MAIN_QUANTITIES)


@pytest.mark.parametrize(
    ('robot', 'quantity'),
    [*cases(HAND_WRITTEN + MOVING_EXAMPLES, MAIN_QUANTITIES), *cases(REGULAR, OTHERS)],
)
def test_a_batch_is_what_its_samples_are(robot, quantity):
    compare(robot.native, quantity)


@pytest.mark.parametrize('quantity', ARGUMENTS)
def test_plain_python_takes_the_same_batches(quantity):
    dynamics = hand_written('oblique').python
    inputs = inputs_of(dynamics.model, quantity, 5)
    found = call(dynamics, quantity, *inputs)
    assert np.array_equal(found, one_by_one(dynamics, quantity, inputs))


@examples(8)
@given(st.integers(0, 10**6))
def test_batches_on_any_tree(number):
    dynamics = random_robot(number, plausible=True).native
    for quantity in ('inverse_dynamics', 'mass_matrix', 'coriolis_matrix'):
        compare(dynamics, quantity)


@pytest.mark.parametrize('samples', [0, 1, 7, 8, 9, 17, 1000])
@pytest.mark.parametrize('quantity', ['bias_torque', 'mass_matrix', 'momentum'])
def test_each_number_of_samples(samples, quantity, dynamics):
    inputs = inputs_of(dynamics.model, quantity, samples)
    shape = call(dynamics, quantity, *(np.zeros(4) for _ in inputs)).shape
    # Memory behind the result must stay as it was.
    guarded = np.full((samples + 20, *shape), 7.0)
    result = call(dynamics, quantity, *inputs, out=guarded[10 : samples + 10])
    assert result.shape == (samples, *shape)
    assert (guarded[:10] == 7.0).all()
    assert (guarded[samples + 10 :] == 7.0).all()
    if samples:
        expected = one_by_one(dynamics, quantity, inputs)
        assert np.abs(result - expected).max() <= TOLERANCE * np.abs(expected).max()


def laid_out(array, layout):
    """The same numbers, elsewhere in memory."""
    rows, columns = array.shape
    if layout == 'fortran':
        return np.asfortranarray(array)
    if layout == 'list':
        return array.tolist()
    if layout == 'float32':
        return array.astype(np.float32)
    if layout == 'big endian':
        return array.astype('>f8')
    if layout == 'reversed':
        return array[::-1].copy()[::-1]
    wide = np.full((2 * rows + 1, 2 * columns + 1), np.nan)
    if layout == 'strided rows':
        view = wide[1::2][:rows, :columns]
    elif layout == 'strided entries':
        view = wide[:rows, 1 : 2 * columns + 1 : 2]
    elif layout == 'unaligned':
        raw = np.zeros(array.nbytes + 1, np.uint8)
        view = raw[1:].view(np.float64).reshape(array.shape)
    else:
        return array
    view[:] = array
    return view


LAYOUTS = ('plain', 'fortran', 'list', 'float32', 'big endian', 'reversed', 'strided rows',
           'strided entries', 'unaligned')  # fmt: skip


@examples(150)
@given(
    st.integers(1, 40),
    st.lists(st.sampled_from([*LAYOUTS, 'one']), min_size=3, max_size=3),
    st.sampled_from(['new', 'plain', 'fortran', 'strided rows', 'first input']),
    st.sampled_from(['native', 'python']),
)
def test_any_layout_gives_the_same(samples, layouts, out, backend):
    """'one' is a vector that holds for all samples."""
    dynamics = getattr(hand_written('oblique'), backend)
    inputs = [
        np.asarray(array, np.float32).astype(np.float64)
        for array in inputs_of(dynamics.model, 'inverse_dynamics', samples)
    ]
    whole = [
        np.tile(array[0], (samples, 1)) if layout == 'one' else array
        for array, layout in zip(inputs, layouts, strict=True)
    ]
    given_inputs = [
        array[0] if layout == 'one' else laid_out(array, layout)
        for array, layout in zip(inputs, layouts, strict=True)
    ]
    if set(layouts) == {'one'}:
        return
    expected = dynamics.inverse_dynamics(*whole)
    target = None
    if out == 'first input' and layouts[0] == 'plain':
        target = given_inputs[0]
    elif out != 'new':
        target = laid_out(np.zeros((samples, 4)), out if out != 'first input' else 'plain')
    found = dynamics.inverse_dynamics(*given_inputs, target)
    assert target is None or found is target
    assert np.array_equal(found, expected)


def test_an_output_may_be_a_view_of_any_kind(dynamics):
    (q,) = inputs_of(dynamics.model, 'mass_matrix', 5)
    expected = dynamics.mass_matrix(q)
    memory = np.zeros((9, 5, 11))
    for out in (
        memory.transpose(1, 2, 0)[::-1, 2:10:2, :4],
        memory.T[1:5, :, 8:4:-1].swapaxes(0, 1),
    ):
        assert dynamics.mass_matrix(q, out) is out
        assert np.array_equal(out, expected)


def test_an_output_that_is_shifted_against_an_input_is_right(dynamics):
    memory = np.zeros((60, 4))
    q, v, a = inputs_of(dynamics.model, 'inverse_dynamics', 50)
    expected = dynamics.inverse_dynamics(q, v, a)
    memory[:50] = q
    assert np.array_equal(dynamics.inverse_dynamics(memory[:50], v, a, memory[3:53]), expected)


def test_a_bound_step_computes_a_batch_in_place(dynamics):
    q, v = inputs_of(dynamics.model, 'bias_torque', 13)
    out = np.zeros((13, 4))
    step = dynamics.bind('bias_torque', q, np.zeros(4), out=out)
    for factor in (1.0, -0.5):
        q *= factor
        step()
        assert np.array_equal(out, dynamics.bias_torque(q, np.zeros(4)))
    with pytest.raises(StateError, match=r'out .*shape \(13, 4\).*\(12, 4\)'):
        dynamics.bind('bias_torque', q[:12], v[:12], out=out)
    with pytest.raises(StateError, match='13 rows and v'):
        dynamics.bind('bias_torque', q, v[:12], out=out)


def test_the_largest_payload_of_each_sample(dynamics):
    (q,) = inputs_of(dynamics.model, 'mass_matrix', 9)
    frame = dynamics.model.links[-1].name
    margins = dynamics.payload_margin(q, frame)
    assert margins.shape == (9,)
    np.testing.assert_allclose(margins, [dynamics.payload_margin(x, frame) for x in q], 1e-12)
    assert dynamics.payload_margin(q[:0], frame).shape == (0,)


# Refused: the message names row and joint.


@pytest.mark.parametrize('bad', [np.nan, -np.inf])
@pytest.mark.parametrize('row', [0, 17, 29])
def test_a_bad_value_names_row_and_joint(dynamics, bad, row):
    q, v = inputs_of(dynamics.model, 'bias_torque', 30)
    v[row:, 2] = bad
    with pytest.raises(StateError, match=f"^v\\[{row}\\] is .* at 'third'"):
        dynamics.bias_torque(q, v)
    out = np.full((30, 4), 7.0)
    with pytest.raises(StateError, match='holds the results'):
        dynamics.bias_torque(q, v, out)
    # The row itself holds nothing that could be taken for a result.
    assert (out[row] == 7.0).all()


def test_values_beyond_the_range_of_native_code_are_right(dynamics):
    q, v = inputs_of(dynamics.model, 'bias_torque', 20)
    q[3] = [1e12, 0.1, 2.0**30, -1e300]
    v[9, 0] = 1e20
    found = dynamics.bias_torque(q, v)
    for row in (3, 9):
        assert np.array_equal(found[row], dynamics.bias_torque(q[row], v[row]))
    v[9, 0] = 1e200
    with pytest.raises(StateError, match=r'^row 9: bias_torque'):
        dynamics.bias_torque(q, v)


def test_a_singular_sample_is_named(backend):
    arm = RobotDynamics(parse_urdf(POINT_AT_TIP), backend=backend)
    q = np.tile([0.4, 0.3], (19, 1))
    found = arm.mass_matrix_inverse(q)
    assert np.array_equal(found[18], found[0])
    q[11, 1] = 0.0
    with pytest.raises(SingularMassMatrixError, match=r"^row 11: .*singular.*'joint1'"):
        arm.mass_matrix_inverse(q)


REFUSED = {
    'rows that differ': ((np.zeros((5, 4)), np.zeros((7, 4))), '5 rows and v'),
    'columns': ((np.zeros((5, 3)), np.zeros(4)), r'q has shape \(5, 3\), \(4,\) or \(N, 4\)'),
    'a vector': ((np.zeros((5, 4)), np.zeros(3)), 'v .* 3 .* 4 '),
    'words': (([['a'] * 4], np.zeros(4)), 'q holds <U1 values'),
    'masked': ((np.ma.zeros((5, 4)), np.zeros(4)), 'masked array'),
    'a vector that is not finite': ((np.zeros((5, 4)), [0, np.inf, 0, 0]), "inf at 'second'"),
}


@pytest.mark.parametrize('case', REFUSED)
def test_what_cannot_be_meant_is_refused(dynamics, case):
    inputs, message = REFUSED[case]
    with pytest.raises(StateError, match=message):
        dynamics.bias_torque(*inputs)


@pytest.mark.parametrize(
    ('out', 'message'),
    [
        (np.zeros(4), r'out .*shape \(4,\).*\(5, 4\)'),
        (np.zeros((5, 4), np.float32), 'out is a float32 array'),
        ([[0.0] * 4] * 5, 'is a list'),
        (as_strided(np.zeros(4), (5, 4), (0, 8)), r'out .*\(0, 8\).*share memory'),
        (as_strided(np.zeros(8), (5, 4), (8, 8)), r'out .*\(8, 8\).*share memory'),
    ],
)
def test_an_output_that_does_not_fit_is_refused(dynamics, out, message):
    with pytest.raises(StateError, match=message):
        dynamics.gravity_torque(np.zeros((5, 4)), out)


@pytest.mark.parametrize('threads', [0, -1, 1.5, True, '2'])
def test_a_number_of_threads_that_is_none_is_refused(threads):
    with pytest.raises(ParameterError, match=r'threads.*1'):
        RobotDynamics(hand_written('oblique').model, threads=threads)
