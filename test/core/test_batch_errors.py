"""Batches that are refused, and samples without a result: the message names row and joint."""

import numpy as np
import pytest
from mechanics.batches import inputs_of
from mechanics.planar_arms import planar_2r
from mechanics.robots import hand_written
from numpy.lib.stride_tricks import as_strided

from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    SingularMassMatrixError,
    StateError,
    parse_urdf,
)

pytestmark = pytest.mark.contract


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('row', [0, 7, 17, 29])
def test_a_bad_value_names_row_and_joint(dynamics, bad, row):
    q, v = inputs_of(dynamics.model, 'bias_torque', 30)
    v[row:, 2] = bad
    message = f"^v\\[{row}\\] is .* at 'third'"
    with pytest.raises(StateError, match=message):
        dynamics.bias_torque(q, v)
    out = np.full((30, 4), 7.0)
    with pytest.raises(StateError, match='holds the results'):
        dynamics.bias_torque(q, v, out)
    # The row itself holds nothing that could be taken for a result.
    assert (out[row] == 7.0).all()


def test_of_many_bad_rows_the_first_is_named_whatever_the_threads():
    model = hand_written('oblique').model
    for threads in (1, 2, 7):
        dynamics = RobotDynamics(model, backend='native', threads=threads)
        q, v = inputs_of(model, 'bias_torque', 60_000)
        v[12_345::1000, 1] = np.nan
        with pytest.raises(StateError, match=r"v\[12345\] is nan at 'second'"):
            dynamics.bias_torque(q, v)


def test_values_beyond_the_range_of_native_code_are_right(dynamics):
    q, v = inputs_of(dynamics.model, 'bias_torque', 20)
    q[3] = [1e12, 0.1, 2.0**30, -1e300]
    v[9, 0] = 1e20
    found = dynamics.bias_torque(q, v)
    for row in (3, 9):
        assert np.array_equal(found[row], dynamics.bias_torque(q[row], v[row]))
    v[9, 0] = 1e200
    message = '^row 9: bias_torque'
    with pytest.raises(StateError, match=message):
        dynamics.bias_torque(q, v)


# All of its mass is a point at the tip: stretched, both joints move it along one line.
POINT_AT_TIP = planar_2r((0.5, 0.3), (0.0, 0.3), (0.0, 2.0), (0.0, 0.0))


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
    'dimensions': ((np.zeros((5, 4, 1)), np.zeros(4)), r'q has shape \(5, 4, 1\)'),
    'a vector': ((np.zeros((5, 4)), np.zeros(3)), 'v .* 3 .* 4 '),
    'ragged': (([[0.0] * 4, [0.0]], np.zeros(4)), 'array of numbers'),
    'words': (([['a'] * 4], np.zeros(4)), 'q holds <U1 values'),
    'masked': ((np.ma.zeros((5, 4)), np.zeros(4)), 'masked array'),
    'a list of masked rows': ((list(np.ma.zeros((5, 4))), np.zeros(4)), 'row .* masked'),
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
        (as_strided(np.zeros(5), (5, 4), (8, 0)), r'out .*\(8, 0\).*share memory'),
    ],
)
def test_an_output_that_does_not_fit_is_refused(dynamics, out, message):
    with pytest.raises(StateError, match=message):
        dynamics.gravity_torque(np.zeros((5, 4)), out)


@pytest.mark.parametrize('threads', [0, -1, 1.5, True, '2'])
def test_a_number_of_threads_that_is_none_is_refused(threads):
    with pytest.raises(ParameterError, match=r'threads.*1'):
        RobotDynamics(hand_written('oblique').model, threads=threads)
