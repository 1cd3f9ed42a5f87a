"""States and batches: what the algorithms give, whatever the layout, neighbours and threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.batches import ARGUMENTS, MAIN_QUANTITIES, axes_of, call, cases, inputs_of
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.planar_arms import planar_arm
from mechanics.random_trees import random_robot
from mechanics.robots import HAND_WRITTEN, SINGULAR, hand_written, written
from property_settings import ALL, examples

from robot_dynamics_ros.core import StateError

pytestmark = pytest.mark.contract

# Batches and single calls round in other places: products and sums that one rounds together. The
# worst that was seen here is 5e-15 of the largest entry; entries may be sums of larger terms that
# cancel; where M is inverted, rounding grows with its condition: larger robots have shown 2e-13.
TOLERANCE = 1e-14

TREES = [random_robot(number, plausible=True) for number in range(24 if ALL else 2)]
# Of all quantities; forward dynamics has no answer where M is singular.
REGULAR = [robot for robot in HAND_WRITTEN + TREES[:4] if robot.name not in SINGULAR]
if not ALL:
    REGULAR = [hand_written('oblique'), hand_written('mimic'), TREES[0]]
MAIN = MAIN_QUANTITIES if ALL else ('inverse_dynamics', 'mass_matrix')
OTHERS = set(ARGUMENTS) - set(MAIN)
# Neither tracing nor the compilers recurse; more steps than most are compiled quickly.
LONG = [
    (written(f'{joints} joints', planar_arm(joints, rpy='0.3 -0.7 1.9')), quantity)
    for quantity, joints in {
        'inverse_dynamics': 200 if ALL else 60,
        'mass_matrix': 70 if ALL else 25,
    }.items()
]


@pytest.mark.parametrize(
    ('robot', 'quantity'),
    [
        *cases(HAND_WRITTEN + TREES + MOVING_EXAMPLES, MAIN),
        *cases(REGULAR, OTHERS),
        *LONG,
    ],
)
def test_states_and_batches_are_those_of_the_algorithm(robot, quantity, backend):
    dynamics, reference = getattr(robot, backend), FloatDynamics(robot.model)
    inputs = inputs_of(robot.model, quantity, 11)
    for axes in axes_of(quantity):
        samples = list(zip(*inputs, strict=True))
        found = np.array([call(dynamics, quantity, *sample, axes=axes) for sample in samples])
        expected = [call(reference, quantity, *sample, axes=axes) for sample in samples[:3]]
        # Entries are sums of terms that may cancel: C of one joint is zero.
        scale = 10.0 * np.abs(expected).max() + 1.0
        assert_close(found[:3], expected, scale)
        batch = call(dynamics, quantity, *inputs, axes=axes)
        assert np.abs(batch - found).max() <= TOLERANCE * scale
        assert backend == 'native' or np.array_equal(batch, found)


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
    for row, sample in enumerate(zip(*inputs, strict=True)):
        expected = call(dynamics, quantity, *sample)
        assert np.abs(result[row] - expected).max() <= TOLERANCE * np.abs(result).max()


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(array.shape)
    view[:] = array
    return view


# The same numbers, elsewhere in memory.
LAYOUTS = {
    'plain': lambda array: array,
    'fortran': np.asfortranarray,
    'list': lambda array: array.tolist(),
    'float32': lambda array: array.astype(np.float32),
    'big endian': lambda array: array.astype('>f8'),
    'reversed': lambda array: array[::-1].copy()[::-1],
    'strided rows': lambda array: np.repeat(array, 2, axis=0)[1::2],
    'strided entries': lambda array: np.repeat(array, 2, axis=1)[:, 1::2],
    'unaligned': unaligned,
}


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
        array[0] if layout == 'one' else LAYOUTS[layout](array)
        for array, layout in zip(inputs, layouts, strict=True)
    ]
    if set(layouts) == {'one'}:
        return
    expected = dynamics.inverse_dynamics(*whole)
    target = None
    if out == 'first input' and layouts[0] == 'plain':
        target = given_inputs[0]
    elif out != 'new':
        target = LAYOUTS['plain' if out == 'first input' else out](np.zeros((samples, 4)))
    found = dynamics.inverse_dynamics(*given_inputs, target)
    assert target is None or found is target
    assert np.array_equal(found, expected)


def test_an_output_may_be_a_view_of_any_kind(dynamics):
    """Also one that is shifted against an input."""
    q, v, a = inputs_of(dynamics.model, 'inverse_dynamics', 50)
    expected, memory = dynamics.mass_matrix(q[:5]), np.zeros((9, 5, 11))
    for out in (
        memory.transpose(1, 2, 0)[::-1, 2:10:2, :4],
        memory.T[1:5, :, 8:4:-1].swapaxes(0, 1),
    ):
        assert dynamics.mass_matrix(q[:5], out) is out
        assert np.array_equal(out, expected)
    expected, memory = dynamics.inverse_dynamics(q, v, a), np.zeros((60, 4))
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
    for name, inputs in (('out', (q[:12], v[:12])), ('v', (q, v[:12]))):
        with pytest.raises(StateError, match=rf'\b{name}\b'):
            dynamics.bind('bias_torque', *inputs, out=out)
