"""Every quantity: its method is what its record says, in shape, arguments, words and results."""

import inspect

import numpy as np
import pytest
from mechanics.batches import call, inputs_of
from mechanics.robots import hand_written

from robot_dynamics_ros.core import (
    InertiaError,
    ParameterError,
    RobotDynamics,
    StateError,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.quantity import QUANTITIES

pytestmark = pytest.mark.contract


def options_of(dynamics, quantity):
    return {'frame': dynamics.model.frames[-1].name} if QUANTITIES[quantity].of_frame else {}


@pytest.mark.parametrize('quantity', QUANTITIES.values(), ids=lambda quantity: quantity.name)
def test_its_method_takes_and_says_what_the_record_says(quantity):
    options = ['frame'] * quantity.of_frame + ['axes'] * quantity.takes_axes
    method = getattr(RobotDynamics, quantity.name)
    parameters = inspect.signature(method).parameters
    assert list(parameters) == ['self', *quantity.arguments, *options, 'out']
    assert inspect.getdoc(method).split('\n')[0] == quantity.summary


@pytest.mark.parametrize('quantity', QUANTITIES)
def test_out_is_written_and_returned(dynamics, quantity):
    """A new array where it is not given; the inputs are left as they were."""
    inputs = [rows[0] for rows in inputs_of(dynamics.model, quantity, 1)]
    copies = [array.copy() for array in inputs]
    shape = QUANTITIES[quantity].shape_of(dynamics.model)
    options, method = options_of(dynamics, quantity), getattr(dynamics, quantity)
    assert 'energy' not in quantity or type(method(*inputs)) is float
    result, other = (np.asarray(call(dynamics, quantity, *inputs)) for _ in range(2))
    assert (result.shape, result.dtype) == (shape, np.float64)
    assert not np.shares_memory(result, other)
    memory = np.full((*shape, 2), 7.0)
    for out in (np.full(shape, np.nan), memory[..., 0], np.zeros(shape[::-1]).T):
        found = method(*inputs, **options, out=out)
        if quantity == 'frame_pose':
            assert all(np.shares_memory(view, out) for view in found)
        else:
            assert found is out
        assert np.array_equal(out, result)
    assert (memory[..., 1] == 7.0).all()
    with pytest.raises(StateError, match='out has shape'):
        method(*inputs, **options, out=np.zeros((*shape, 1)))
    assert all(map(np.array_equal, inputs, copies))


@pytest.mark.parametrize('quantity', QUANTITIES)
def test_a_step_reads_and_writes_in_place(dynamics, quantity):
    inputs = [rows[0].copy() for rows in inputs_of(dynamics.model, quantity, 1)]
    out = np.full(QUANTITIES[quantity].shape_of(dynamics.model), np.nan)
    step = dynamics.bind(quantity, *inputs, out=out, **options_of(dynamics, quantity))
    for factor in (1.0, -0.5):
        for array in inputs:
            array *= factor
        step()
        assert np.array_equal(out, call(dynamics, quantity, *inputs))


def test_without_mass_there_is_no_centre(backend):
    text = """<robot name="air"><link name="base"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="arm"/><joint name="turn" type="continuous"><parent link="base"/>
    <child link="arm"/></joint></robot>"""
    dynamics = RobotDynamics(parse_urdf(text), backend=backend)
    for quantity in 2 * ('center_of_mass', 'center_of_mass_jacobian'):
        with pytest.raises(InertiaError, match="'air' has no centre"):
            getattr(dynamics, quantity)([0.0])


@pytest.fixture
def tree():
    return RobotDynamics(hand_written('tree').model, backend='python')


@pytest.mark.parametrize(
    ('key', 'error', 'message'),
    [
        ('torque', UnknownNameError, "'torque'.*inverse"),
        ('jacobian', ParameterError, 'jacobian.*frame'),
        (('frame_pose', 'hand'), UnknownNameError, "unknown frame 'hand'"),
        (('jacobian', 'waist', 'BASE'), ParameterError, "'BASE'.*LOCAL, WORLD"),
        (5, ParameterError, '5'),
        ((), ParameterError, 'quantity, frame, axes'),
        (('jacobian', 5), ParameterError, 'frame is 5'),
        (('mass_matrix', 'waist'), ParameterError, "mass_matrix.*'waist'"),
        (('frame_pose', 'waist', 'LOCAL'), ParameterError, "'LOCAL'"),
    ],
)
def test_what_is_no_key_is_refused(tree, key, error, message):
    with pytest.raises(error, match=message):
        tree.compile(key)


@pytest.mark.parametrize('frame', [['waist'], 5, None, ('waist', 'LOCAL')])
def test_a_frame_is_a_name(tree, frame):
    q, twist = np.zeros(tree.model.size), np.zeros(6)
    of_frames = [name for name, each in QUANTITIES.items() if each.of_frame]
    calls = [
        lambda name=name: getattr(tree, name)(
            *(each[0] for each in inputs_of(tree.model, name, 1)), frame
        )
        for name in of_frames
    ]
    calls += [
        lambda: tree.joint_velocity(q, twist, frame),
        lambda: tree.task_space(q, q, frame),
        lambda: tree.task_inertia(q, frame),
        lambda: tree.payload_margin(q, frame),
    ]
    for each in calls:
        with pytest.raises(ParameterError, match='frame'):
            each()


@pytest.mark.parametrize('rows', [np.zeros((0, 4)), np.zeros((3, 4)), np.zeros((1, 1, 4))])
def test_what_takes_one_state_refuses_rows(dynamics, rows):
    frame, joints = dynamics.model.frames[-1].name, dynamics.model.joint_names
    for name, given in {
        'task_space': (rows, rows, frame),
        'task_inertia': (rows, frame),
        'joint_velocity': (rows, np.zeros(6), frame),
        'forward_dynamics_holding': (joints, rows, rows, rows),
    }.items():
        with pytest.raises(StateError, match=rf'{name} takes one state: q has shape \('):
            getattr(dynamics, name)(*given)
