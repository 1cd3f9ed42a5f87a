"""Regressors are what inverse dynamics of changed models adds, and the friction of `core`."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from three_joints import URDF

from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.regression.regressors import (
    ARMATURE,
    BODIES,
    DISPLACEMENTS,
    GRAVITY,
    OFFSET,
    States,
    friction_basis,
    payload_on,
)

MODEL, G = parse_urdf(URDF), (0.3, -1.2, -9.6)
DYNAMICS = RobotDynamics(MODEL, gravity=G)


@pytest.fixture(scope='module')
def states():
    q, v, a = (
        np.array([getattr(state, name) for state in random_states(MODEL, 20)]) for name in 'qva'
    )
    slips = np.random.default_rng(1).uniform(-1.0, 1.0, (20, len(DISPLACEMENTS), 3))
    return States(DYNAMICS, q, v, a, slips, 0.0 * q)


def added(states, model, gravity=G):
    """The torque of another model or gravity beside that of the usual one."""
    other, state = RobotDynamics(model, gravity=gravity), (states.q, states.v, states.a)
    return other.inverse_dynamics(*state) - DYNAMICS.inverse_dynamics(*state)


def test_a_payload_is_that_of_the_loaded_model(states):
    body = 0.7, (0.05, -0.1, 0.15), np.diag([0.02, 0.03, 0.04])
    pi = parameters_of(Payload('it', 'hand', *body).moments)
    column = payload_on(MODEL, 'hand').column(states)
    np.testing.assert_allclose(
        column @ pi, added(states, MODEL.with_payload('hand', *body)), atol=1e-11
    )


def test_bodies_and_rotors_are_those_of_changed_models(states):
    change = np.random.default_rng(2).normal(size=30)
    changed = MODEL.with_inertial_parameters(MODEL.inertial_parameters() + change, physical=False)
    np.testing.assert_allclose(BODIES.column(states) @ change, added(states, changed), atol=1e-9)
    rotors = dict(zip(MODEL.joint_names, (0.1, 2.0, 0.3), strict=True))
    expected = added(states, MODEL.with_armature(rotors))
    found = ARMATURE.column(states) * list(rotors.values())
    np.testing.assert_allclose(found, expected, atol=1e-11)


def test_torque_is_linear_in_gravity(states):
    change = np.array([2.0, 0.5, -1.0])
    found = GRAVITY.column(states) @ change
    np.testing.assert_allclose(found, added(states, MODEL, np.add(G, change)), atol=1e-11)


def test_friction_is_that_of_the_core(states):
    """Each term alone, with a coefficient of one at each joint."""
    names, torques = MODEL.joint_names, {}
    ones = dict.fromkeys(names, 1.0)
    slips = states.slips[:, :2]
    options = {'smoothing': 0.02, 'coulomb': ones, 'viscous': {}}
    torques['coulomb'] = JointFriction(MODEL, **options).torque(states.v)
    torques['viscous'] = JointFriction(MODEL, viscous=ones).torque(states.v)
    torques['stribeck'] = JointFriction(MODEL, stribeck=ones).torque(states.v)
    torques['coulomb 0.1'] = JointFriction(
        MODEL, gradual=ones, gradual_smoothing=dict.fromkeys(ones, 0.1)
    ).torque(states.v)
    sliding = JointFriction(MODEL, presliding=ones)
    torques['presliding 0.005'] = sliding.torque(states.v, slips=slips)
    load = np.array([2.0, 3.0, 4.0]) * np.ones_like(states.v)
    torques['load'] = JointFriction(MODEL, smoothing=0.02, load=ones).torque(states.v, load=load)
    columns = {term.name: term.column(states) for term in friction_basis(0.02)}
    assert torques.keys() < columns.keys()
    for name, torque in torques.items():
        column = columns[name] * (load if name == 'load' else 1.0)
        np.testing.assert_allclose(column, torque, atol=1e-12, err_msg=name)
    assert (OFFSET.column(states) == 1.0).all()
