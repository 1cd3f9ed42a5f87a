"""Regressor times parameters is the torque that other code computes."""

import numpy as np
import pytest
from exact_motion import Drawn, drawn, law, truth
from mechanics.closeness import assert_close
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import JointFriction, ParameterError, RobotDynamics
from robot_dynamics_ros.identification.parameters import Load, ParameterLayout
from robot_dynamics_ros.identification.regression import EquationOptions, MotionEquations
from robot_dynamics_ros.scheduling.plain_data import decoded, encoded

TREE = hand_written('tree')
LINK = next(frame.name for frame in TREE.model.frames if frame.body == 3)
GRAVITY = (0.3, -0.2, -9.7)


def block_of(layout, dynamics, states, **options):
    return MotionEquations(layout, EquationOptions(**options), dynamics).of_samples(states)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_nominal_parameters_give_inverse_dynamics(robot):
    states = drawn(robot.python)
    layout = ParameterLayout(robot.model, ())
    rows = block_of(layout, robot.python, states, gravity=GRAVITY).rows
    q, v, a = states.positions, states.velocities, states.accelerations
    expected = robot.python.with_gravity(GRAVITY).inverse_dynamics(q, v, a)
    assert_close(rows @ layout.nominal(), expected)


def test_terms_of_joints_give_rotors_friction_and_offset():
    states = drawn(TREE.python)
    layout = ParameterLayout(TREE.model)
    q, v, a = states.positions, states.velocities, states.accelerations
    block = block_of(layout, TREE.python, states)
    assert_close(block.rows @ truth(layout), law(TREE.python, q, v, a))


def test_friction_is_that_of_the_node():
    friction = {joint: 0.5 + k for k, joint in enumerate(TREE.model.joint_names)}
    other = {joint: 3.0 - 0.3 * k for k, joint in enumerate(TREE.model.joint_names)}
    node = JointFriction(TREE.model, viscous=friction, coulomb=other)
    layout = ParameterLayout(TREE.model, ('viscous', 'coulomb'))
    values = np.zeros(layout.size)
    values[layout.columns('viscous')] = [*friction.values()]
    values[layout.columns('coulomb')] = [*other.values()]
    states = drawn(TREE.python)
    rows = block_of(layout, TREE.python, states).rows
    assert_close(rows @ values, node.torque(states.velocities))


def test_asymmetric_friction_is_symmetric_with_equal_coefficients():
    terms = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')
    layout, usual = ParameterLayout(TREE.model, terms), ParameterLayout(TREE.model, terms[:2])
    states = drawn(TREE.python)
    rows = block_of(layout, TREE.python, states).rows
    expected = block_of(usual, TREE.python, states).rows
    for term in terms[:2]:
        halves = rows[..., layout.columns(term)], rows[..., layout.columns(f'{term}_negative')]
        assert_close(sum(halves), expected[..., usual.columns(term)])
        # Each equation has one of them.
        assert not (halves[0] * halves[1]).any()


def test_a_spring_pulls_to_its_rest_position():
    layout = ParameterLayout(TREE.model, ('offset', 'stiffness'))
    values = np.zeros(layout.size)
    stiffness, rest = 20.0, 0.3
    values[layout.columns('stiffness')] = stiffness
    values[layout.columns('offset')] = -stiffness * rest
    states = drawn(TREE.python)
    rows = block_of(layout, TREE.python, states).rows
    assert_close(rows @ values, stiffness * (states.positions - rest))


def test_a_load_of_known_mass_is_a_payload():
    """Its known mass is on the right-hand side; before it is gripped, the robot is bare."""
    mass, com, inertia = 1.3, (0.1, -0.2, 0.3), np.diag([0.02, 0.03, 0.04])
    loaded = RobotDynamics(TREE.model.with_payload(LINK, mass, com, inertia), backend='python')
    about = inertia + mass * (np.dot(com, com) * np.eye(3) - np.outer(com, com))
    layout = ParameterLayout(
        TREE.model, (), (Load('brick', LINK, (('', 20.0, 60.0),)),), {'brick m': mass}
    )
    values = layout.nominal()
    rows, columns = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]
    values[layout.body_columns(6)] = [mass, *np.multiply(mass, com), *about[rows, columns]]
    states = drawn(TREE.python)
    q, v, a = states.positions, states.velocities, states.accelerations
    carried = (states.times >= 20.0)[:, None]
    efforts = np.where(
        carried, loaded.inverse_dynamics(q, v, a), TREE.python.inverse_dynamics(q, v, a)
    )
    block = block_of(layout, TREE.python, Drawn(states.times, q, v, a, efforts))
    assert not block.rows[..., layout.is_known].any()
    assert_close(block.rows @ values, block.torques)


def test_efforts_of_known_and_unknown_gain():
    """A current times its gain is the torque, on whichever side of the equation it is."""
    gains = np.linspace(0.5, 3.0, TREE.model.size)
    known = {f'{TREE.model.joint_names[0]} gain': gains[0]}
    layout = ParameterLayout(TREE.model, ('gain',), known=known)
    values = layout.nominal()
    values[layout.columns('gain')] = gains
    states = drawn(TREE.python)
    q, v, a = states.positions, states.velocities, states.accelerations
    torques = TREE.python.inverse_dynamics(q, v, a)
    block = block_of(layout, TREE.python, Drawn(states.times, q, v, a, torques / gains))
    left = block.rows @ np.where(layout.is_known, 0.0, values)
    assert_close(left, block.torques)
    assert_close(block.torques[:, 0], torques[:, 0])
    assert not block.torques[:, 1:].any()


def test_the_power_form_needs_a_filter():
    layout = ParameterLayout(TREE.model)
    with pytest.raises(ParameterError, match='filter'):
        block_of(layout, TREE.python, drawn(TREE.python), form='power')


def test_options_are_plain_data():
    options = EquationOptions(cutoff=5.0, effort_levels={'elbow': 3.0})
    assert decoded(encoded(options)) == options


@pytest.mark.parametrize(
    'options',
    [{'form': 'energy'}, {'cutoff': 0.0}, {'turning_band': -1.0}],
)
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        EquationOptions(**options)
