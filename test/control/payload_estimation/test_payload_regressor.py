"""The torque of a body on a link: what a payload adds to the inverse dynamics of a robot."""

import numpy as np
import pytest
from mechanics.examples import example, needs_examples
from three_joints import URDF

from robot_dynamics_ros.control.payload_estimation.payload_regressor import PayloadRegressor
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.core.errors import UnknownNameError
from robot_dynamics_ros.core.evaluated_dynamics import EvaluatedDynamics
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.payload import Payload

GRAVITY = np.array([0.3, -1.2, -9.6])


def random_payload(random, frame):
    """A body that can exist, on a link."""
    points = random.normal(0.0, 0.1, (6, 3))
    masses = random.uniform(0.1, 0.5, 6)
    mass = masses.sum()
    com = masses @ points / mass
    second = (points - com).T @ (masses[:, None] * (points - com))
    inertia = np.trace(second) * np.eye(3) - second
    return Payload('payload', frame, mass, com, inertia)


def check(model, frame, seed=3):
    """That Y pi is the difference between the loaded robot and the bare one."""
    random = np.random.default_rng(seed)
    payload = random_payload(random, frame)
    loaded = EvaluatedDynamics(model.with_checked_payload(payload), GRAVITY)
    bare = EvaluatedDynamics(model, GRAVITY)
    q, v, a = random.uniform(-1.5, 1.5, (3, 4, model.size))
    regressor = PayloadRegressor(model, frame)
    torque = np.zeros((4, model.size))
    columns = regressor(q, v, a, GRAVITY)
    torque[:, regressor.rows] = columns @ np.array(parameters_of(payload.moments))
    expected = [
        loaded.inverse_dynamics(*state) - bare.inverse_dynamics(*state)
        for state in zip(q, v, a, strict=True)
    ]
    np.testing.assert_allclose(torque, expected, atol=1e-12 * np.abs(expected).max(), rtol=1e-9)


def test_of_a_sliding_and_turning_arm():
    model = parse_urdf(URDF)
    for frame in ('hand', 'slider', 'shoulder'):
        check(model, frame)


@needs_examples
@pytest.mark.parametrize(
    ('robot', 'frame'),
    [
        ('panda_description/urdf/panda.urdf', 'panda_leftfinger'),
        ('talos_data/robots/talos_reduced.urdf', 'gripper_left_base_link'),
    ],
)
def test_of_robots_with_fingers_and_branches(robot, frame):
    check(example(robot).model, frame)


def test_of_mimic_joints():
    """A joint that follows another one twice as fast, in the chain to the link."""
    model = parse_urdf(
        URDF.replace(
            'name="wrist" type="revolute">',
            'name="wrist" type="revolute"><mimic joint="turn" multiplier="-2" offset="0.3"/>',
        )
    )
    assert model.size == 2
    check(model, 'hand')


def test_links_that_do_not_move_are_refused():
    model = parse_urdf(URDF)
    with pytest.raises(ParameterError, match=r"'base'.*base"):
        PayloadRegressor(model, 'base')
    with pytest.raises(UnknownNameError, match="unknown frame 'tool'"):
        PayloadRegressor(model, 'tool')
