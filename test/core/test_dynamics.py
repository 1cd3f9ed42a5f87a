"""The facade: what it accepts, and what it says about what it refuses."""

import subprocess
import sys
from pathlib import Path

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


class OwnArray(np.ndarray):
    pass


class Convertible:
    def __array__(self, dtype=None, copy=None):
        return Q


ACCEPTED = {
    'list': Q.tolist(),
    'list of arrays without an axis': [np.array(x) for x in Q],
    'strided view': np.repeat(Q, 3)[::3],
    'subclass': Q.view(OwnArray),
    'read-only': np.frombuffer(Q.tobytes()),
    'other byte order': Q.astype('>f8'),
    'unaligned': np.frombuffer(b'.' + Q.tobytes(), np.uint8)[1:].view(np.float64),
    'array-like': Convertible(),
    'long double': Q.astype(np.longdouble),
}


@pytest.mark.parametrize('kind', ACCEPTED)
def test_positions_may_be_given_as(dynamics, kind):
    assert np.array_equal(dynamics.mass_matrix(ACCEPTED[kind]), dynamics.mass_matrix(Q))


def test_one_position_may_be_a_view_with_any_stride():
    """NumPy calls it contiguous all the same."""
    for dynamics in (hand_written('pendulum').native, hand_written('pendulum').python):
        for view in (np.zeros(2)[::2], np.zeros(1)[::-1]):
            assert np.array_equal(dynamics.mass_matrix(view), dynamics.mass_matrix([0.0]))


@pytest.mark.parametrize('kind', [np.int64, np.int8, np.uint16, np.float32, np.float16])
def test_positions_may_be_of_type(dynamics, kind):
    values = np.array([0, 1, 2, 3], dtype=kind)
    assert np.array_equal(dynamics.gravity_torque(values), dynamics.gravity_torque([0, 1, 2, 3]))


REFUSED = {
    'too few': ([0.0] * 3, ' 3 .* 4 .*first, second, third, fourth'),
    'too many': ([0.0] * 5, ' 5 .* 4 .*first, second, third, fourth'),
    'matrix': ([[0.0] * 3] * 4, r'shape \(4, 3\).*\(4,\).*\(N, 4\)'),
    'ragged': ([[0.0], [0.0, 1.0], 2, 3], 'array of numbers'),
    'words': (['a', 'b', 'c', 'd'], '<U1 values, real numbers'),
    'digits': (['0', '0', '0', '0'], 'real numbers'),
    'None': (None, 'object values, real'),
    'bools': ([True, False, True, False], 'bool values, real'),
    'complex': ([1j, 0, 0, 0], 'holds complex128 values, real'),
    'masked': (np.ma.masked_array(np.zeros(4), [0, 1, 0, 0]), 'masked array: .*filled'),
    'NaN': ([0.0, np.nan, 0.0, 0.0], "nan at 'second'"),
    'minus infinity': ([0.0, 0.0, 0.0, -np.inf], "-inf at 'fourth'"),
}


@pytest.mark.parametrize('kind', REFUSED)
def test_what_is_no_vector_is_refused_by_name(dynamics, kind):
    value, message = REFUSED[kind]
    for position, name in enumerate('qva'):
        arguments = [Q, V, A]
        arguments[position] = value
        with pytest.raises(StateError, match=f'^{name} .*{message}'):
            dynamics.inverse_dynamics(*arguments)


def test_non_finite_arrays_are_refused(dynamics):
    """As arrays of doubles they reach the compiled check, lists do not."""
    for bad in (np.nan, np.inf, -np.inf, -np.nan):
        for index, name in enumerate(NAMES):
            q = Q.copy()
            q[index] = bad
            with pytest.raises(StateError, match=f"^q is .* at '{name}'"):
                dynamics.mass_matrix(q)


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
    ('out', 'message'),
    [
        ([0.0] * 4, r'float64 array of shape \(4,\)'),
        (np.zeros(4, np.float32), 'out is a float32 array, a float64 array'),
        (np.zeros(5), r'out .*shape \(5,\).*\(4,\)'),
        (np.ma.zeros(4), 'masked array: pass'),
        (as_strided(np.zeros(1), (4,), (0,)), r'out .*\(0,\).*share memory'),
        (frozen(), 'out is read-only'),
    ],
)
def test_what_cannot_be_written_into_is_refused(dynamics, out, message):
    before = np.array(out)
    for q in (Q, Q.tolist()):
        with pytest.raises(StateError, match=message):
            dynamics.gravity_torque(q, out=out)
    assert np.array_equal(out, before)


def test_large_angles_are_computed_as_exactly_as_small_ones():
    """Beyond 2^30 rad native code takes the sine of the C library, as plain Python does."""
    native, python = hand_written('oblique').native, hand_written('oblique').python
    for large in (2.0**30, -(2.0**31), 1e12, 1e300):
        q = Q.copy()
        q[2] = large
        assert_close(native.mass_matrix(q), python.mass_matrix(q))
    v = V * 1e12
    scale = 1e24 * np.abs(native.mass_matrix(Q)).max()
    expected = 1e24 * native.bias_torque(Q, V) - (1e24 - 1.0) * native.gravity_torque(Q)
    assert_close(native.bias_torque(Q, v), expected, scale)


def test_gravity_can_be_changed_at_any_time(dynamics):
    before = dynamics.gravity
    assert before.tolist() == [0.0, 0.0, -9.81]
    g = dynamics.gravity_torque(Q)
    try:
        dynamics.gravity = (0, 0, -19.62)
        assert_close(dynamics.gravity_torque(Q), 2.0 * g)
        dynamics.gravity = np.zeros(3)
        assert not dynamics.gravity_torque(Q).any()
        for bad in ([0.0, 0.0], [0.0, 0.0, np.nan], 'down', None, -9.81):
            with pytest.raises(StateError, match=r'^gravity '):
                dynamics.gravity = bad
        assert not dynamics.gravity.any()
    finally:
        dynamics.gravity = before


def test_an_entry_of_gravity_cannot_be_set(dynamics):
    """It would change a copy: an error instead of nothing."""
    with pytest.raises(ValueError, match='read-only'):
        dynamics.gravity[2] = 0.0
    seen = dynamics.gravity
    dynamics.gravity = (0.0, 0.0, -1.62)
    assert seen.tolist() == [0.0, 0.0, -9.81]
    dynamics.gravity = seen
    assert dynamics.gravity.tolist() == [0.0, 0.0, -9.81]


def test_a_robot_without_moving_joints_is_refused():
    model = parse_urdf('<robot name="rock"><link name="rock"/></robot>')
    with pytest.raises(TopologyError, match=r"'rock'.*joint"):
        RobotDynamics(model)


@pytest.mark.parametrize('model', ['<robot name="rock"/>', None, 5])
def test_what_is_no_model_is_refused(model):
    message = f'model.* {type(model).__name__}.*RobotModel.*parse_urdf'
    with pytest.raises(ParameterError, match=message):
        RobotDynamics(model)


IMPORTS = """
import sys
for name in ('rclpy', 'sensor_msgs', 'std_msgs', 'trajectory_msgs', 'pinocchio'):
    sys.modules[name] = None
import robot_dynamics_ros.core, mechanics.robots, three_joints
print(three_joints.JOINTS[0])
"""


def test_without_ros():
    """The core, and the robots that its tests run on, can be had where there is no ROS."""
    result = subprocess.run(
        [sys.executable, '-c', IMPORTS],
        cwd=Path(__file__).parents[1],
        env={'PYTHONPATH': ':'.join(['.', *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.stdout.strip() == 'turn', result.stderr[-2000:]
