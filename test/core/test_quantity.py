"""Every quantity: its method is what its record says, in shape, arguments, words and results."""

import ast
import inspect
from pathlib import Path

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
from robot_dynamics_ros.core.quantity import PROGRAMS, QUANTITIES

pytestmark = pytest.mark.contract


def test_its_method_takes_and_says_what_the_record_says():
    """So do types, which scripts/stubs.py writes."""
    for each in PROGRAMS.values():
        assert inspect.getdoc(getattr(RobotDynamics, each.name)).startswith(each.summary)
    tree = ast.parse(
        Path(inspect.getfile(RobotDynamics)).with_name('quantity_methods.pyi').read_text()
    )
    shown = [ast.unparse(one) for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    made = [f'{each.definition}\n    {each.summary!r}' for each in PROGRAMS.values()]
    assert shown == [ast.unparse(ast.parse(one)) for one in made]


@pytest.mark.parametrize('quantity', QUANTITIES)
def test_out_is_written_and_returned(dynamics, quantity):
    """A new array where it is not given; the inputs are left as they were; a step in place."""
    inputs = [rows[0] for rows in inputs_of(dynamics.model, quantity, 1)]
    copies, method = [array.copy() for array in inputs], getattr(dynamics, quantity)
    shape, options = QUANTITIES[quantity].shape_of(dynamics.model), {}
    if QUANTITIES[quantity].of_frame:
        options = {'frame': dynamics.model.frames[-1].name}
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
    with pytest.raises(StateError, match=r'^out '):
        method(*inputs, **options, out=np.zeros((*shape, 1)))
    assert all(map(np.array_equal, inputs, copies))
    out = np.full(shape, np.nan)
    step = dynamics.bind(quantity, *copies, out=out, **options)
    for factor in (1.0, -0.5):
        for array in copies:
            array *= factor
        step()
        assert np.array_equal(out, call(dynamics, quantity, *copies))


def test_without_mass_there_is_no_centre(backend):
    text = """<robot name="air"><link name="base"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="arm"/><joint name="turn" type="continuous"><parent link="base"/>
    <child link="arm"/></joint></robot>"""
    dynamics = RobotDynamics(parse_urdf(text), backend=backend)
    for quantity in 2 * ('center_of_mass', 'center_of_mass_jacobian'):
        with pytest.raises(InertiaError, match="'air'"):
            getattr(dynamics, quantity)([0.0])


@pytest.fixture
def tree():
    return RobotDynamics(hand_written('tree').model, backend='python')


@pytest.mark.parametrize(
    ('key', 'error', 'named'),
    [
        ('torque', UnknownNameError, "'torque'"),
        ('jacobian', ParameterError, 'frame'),
        (('frame_pose', 'hand'), UnknownNameError, "'hand'"),
        (('jacobian', 'waist', 'BASE'), ParameterError, "'BASE'.*LOCAL, WORLD"),
        (5, ParameterError, '5'),
        ((), ParameterError, 'quantity, frame, axes'),
        (('jacobian', 5), ParameterError, '5'),
        (('mass_matrix', 'waist'), ParameterError, "'waist'"),
        (('frame_pose', 'waist', 'LOCAL'), ParameterError, "'LOCAL'"),
    ],
)
def test_what_is_no_key_is_refused(tree, key, error, named):
    with pytest.raises(error, match=named):
        tree.compile(key)


@pytest.mark.parametrize('frame', [['waist'], 5, None, ('waist', 'LOCAL')])
def test_a_frame_is_a_name(tree, frame):
    q, twist = np.zeros(tree.model.size), np.zeros(6)
    for name, *inputs in (
        ('frame_pose', q), ('jacobian', q), ('external_torque', q, twist), ('task_space', q, q),
        ('task_inertia', q), ('joint_velocity', q, twist), ('payload_margin', q),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match='frame'):
            getattr(tree, name)(*inputs, frame)


@pytest.mark.parametrize('rows', [np.zeros((0, 4)), np.zeros((3, 4)), np.zeros((1, 1, 4))])
def test_what_takes_one_state_refuses_rows(dynamics, rows):
    frame, joints = dynamics.model.frames[-1].name, dynamics.model.joint_names
    for name, given in {
        'task_space': (rows, rows, frame),
        'task_inertia': (rows, frame),
        'joint_velocity': (rows, np.zeros(6), frame),
        'forward_dynamics_holding': (joints, rows, rows, rows),
    }.items():
        with pytest.raises(StateError, match=rf'{name} .*\bq\b'):
            getattr(dynamics, name)(*given)
