"""Results of the quantities for analysis: new arrays, `out`, bound arrays, and what is refused."""

import numpy as np
import pytest
from mechanics.batches import ARGUMENTS
from mechanics.robots import hand_written

from robot_dynamics_ros.core import InertiaError, RobotDynamics, StateError, parse_urdf

pytestmark = pytest.mark.contract

Q, V, A, TAU = np.random.default_rng(4).uniform(-1.0, 1.0, (4, 4))
GIVEN = {'q': Q, 'v': V, 'a': A, 'tau': TAU}
FRAMES = len(hand_written('oblique').model.frames)
SHAPES = {
    'forward_dynamics': (4,),
    'mass_matrix_inverse': (4, 4),
    'inverse_dynamics_derivatives': (3, 4, 4),
    'forward_dynamics_derivatives': (3, 4, 4),
    'regressor': (4, 40),
    'kinetic_energy': (),
    'potential_energy': (),
    'momentum': (6,),
    'momentum_terms': (2, 4),
    'center_of_mass': (3,),
    'center_of_mass_jacobian': (3, 4),
    'frame_poses': (FRAMES, 3, 4),
}


def inputs_of(quantity):
    return [GIVEN[name] for name in ARGUMENTS[quantity]]


@pytest.mark.parametrize('quantity', SHAPES)
def test_out_is_written_and_returned(dynamics, quantity):
    method, inputs = getattr(dynamics, quantity), inputs_of(quantity)
    expected = method(*inputs)
    assert np.shape(expected) == SHAPES[quantity]
    out = np.full(SHAPES[quantity], np.nan)
    assert method(*inputs, out=out) is out
    assert np.array_equal(out, expected)
    wrong = np.zeros((*SHAPES[quantity], 1))
    with pytest.raises(StateError, match='out has shape'):
        method(*inputs, out=wrong)


@pytest.mark.parametrize('quantity', SHAPES)
def test_a_step_reads_and_writes_in_place(dynamics, quantity):
    inputs = [array.copy() for array in inputs_of(quantity)]
    out = np.full(SHAPES[quantity], np.nan)
    step = dynamics.bind(quantity, *inputs, out=out)
    for factor in (1.0, -0.5):
        for array in inputs:
            array *= factor
        step()
        assert np.array_equal(out, getattr(dynamics, quantity)(*inputs))


@pytest.mark.parametrize('quantity', ['kinetic_energy', 'potential_energy'])
def test_an_energy_is_a_float(dynamics, quantity):
    assert type(getattr(dynamics, quantity)(*inputs_of(quantity))) is float


def test_a_pose_is_written_into_one_array(dynamics):
    frame = dynamics.model.frames[-1].name
    R, p = dynamics.frame_pose(Q, frame)
    out = np.full((3, 4), np.nan)
    views = dynamics.frame_pose(Q, frame, out=out)
    assert all(np.shares_memory(view, out) for view in views)
    assert np.array_equal(out, np.column_stack([R, p]))
    assert np.array_equal(dynamics.frame_poses(Q)[-1], out)


def test_without_mass_there_is_no_centre(backend):
    text = """<robot name="air"><link name="base"><inertial><mass value="3"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="arm"/><joint name="turn" type="continuous"><parent link="base"/>
    <child link="arm"/></joint></robot>"""
    dynamics = RobotDynamics(parse_urdf(text), backend=backend)
    for quantity in ('center_of_mass', 'center_of_mass_jacobian'):
        with pytest.raises(InertiaError, match="'air' has no centre"):
            getattr(dynamics, quantity)([0.0])
