"""Live torques, payloads and rotors: the oracle agrees with the right ones and with no others."""

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.model.sampling import State, random_states

pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

GRAVITY = (1.0, -2.0, -9.0)
MASS, COM = 1.7, (0.03, -0.08, 0.15)
INERTIA = ((0.011, 0.001, -0.002), (0.001, 0.014, 0.0005), (-0.002, 0.0005, 0.009))
MOVING_FRAMES = [
    (robot, frame.name)
    for robot in HAND_WRITTEN
    for frame in robot.model.frames
    if frame.body >= 0
]


def rotors(model):
    """Another one for each joint, mimic joints included."""
    return {joint.name: 0.1 * (index + 1) for index, joint in enumerate(model.joints)}


def live(robot, dynamics, state, oracle=None):
    terms = dynamics.torque_terms(state.q, state.v, state.a)
    oracle = oracle or PinocchioReference(robot.text, dynamics.model)
    return terms, lambda changed: oracle.compare_torques(changed, state, dynamics.gravity)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_the_right_torques_agree_and_an_error_in_any_entry_does_not(robot):
    dynamics = RobotDynamics(robot.model, gravity=GRAVITY, backend='python')
    for state in random_states(robot.model, 5):
        terms, compare = live(robot, dynamics, state)
        report = compare(terms)
        assert report.agrees, report
        assert report.tolerance == 1e-12
        assert report.samples == 1
        for index in np.ndindex(terms.shape):
            changed = terms.copy()
            changed[index] += 1e-9 * np.abs(terms).max()
            wrong = compare(changed)
            assert not wrong.agrees
            assert wrong.worst.worst_absolute == pytest.approx(
                1e-9 * np.abs(terms).max(), rel=0.01
            )


def test_terms_in_another_order_or_of_another_gravity_do_not_agree():
    robot = hand_written('oblique')
    dynamics = RobotDynamics(robot.model, gravity=GRAVITY, backend='python')
    (state,) = random_states(robot.model, 1)
    terms, compare = live(robot, dynamics, state)
    assert not compare(terms[[1, 0, 2]]).agrees
    assert not compare(terms[[0, 2, 1]]).agrees
    assert not compare(-terms).agrees
    assert not compare(np.nan * terms).agrees
    other = PinocchioReference(robot.text, robot.model).compare_torques(
        terms, state, np.array([0, 0, -9.81])
    )
    assert not other.agrees


def test_at_rest_without_gravity_two_zeros_agree_and_nothing_else_does():
    robot = hand_written('oblique')
    dynamics = RobotDynamics(robot.model, gravity=(0.0, 0.0, 0.0), backend='python')
    rest = np.zeros(robot.model.size)
    terms, compare = live(robot, dynamics, State(rest + 0.3, rest, rest))
    assert compare(terms).agrees
    assert not compare(terms + 1e-200).agrees


def test_what_the_feedforward_keeps_is_what_can_be_compared():
    robot = hand_written('tree')
    dynamics = RobotDynamics(robot.model, backend='python')
    feedforward = Feedforward(dynamics, robot.model.joint_names[:1])
    oracle = PinocchioReference(robot.text, robot.model)
    for state in random_states(robot.model, 5):
        feedforward.compute(state.q, state.v, np.array([state.q, state.v, state.a])[:, :1])
        used = State(feedforward.q, feedforward.v, feedforward.a)
        report = oracle.compare_torques(feedforward.terms, used, dynamics.gravity)
        assert report.agrees, report
        wrong = State(feedforward.q + 1e-6, feedforward.v, feedforward.a)
        assert not oracle.compare_torques(feedforward.terms, wrong, dynamics.gravity).agrees


@pytest.mark.parametrize(
    ('robot', 'frame'), MOVING_FRAMES, ids=[f'{robot}-{frame}' for robot, frame in MOVING_FRAMES]
)
def test_a_payload_on_any_link_and_rotors_in_all_joints(robot, frame):
    """Links that are fixed to others and links that mimic joints move are among them."""
    model = robot.model.with_payload(frame, MASS, COM, INERTIA).with_armature(rotors(robot.model))
    dynamics = RobotDynamics(model, gravity=GRAVITY, backend='python')
    states = list(random_states(model, 3))
    report = PinocchioReference(robot.text, model).compare(dynamics, states)
    assert report.agrees, report
    for without in (model.without_payload(), model.with_armature(zeros(model))):
        assert not PinocchioReference(robot.text, without).compare(dynamics, states).agrees
    terms, compare = live(robot, dynamics, states[0])
    assert compare(terms).agrees
    assert not live(robot, dynamics, states[0], PinocchioReference(robot.text, robot.model))[1](
        terms
    ).agrees


def zeros(model):
    return dict.fromkeys((joint.name for joint in model.joints), 0.0)


def test_links_fixed_to_others_and_links_of_mimic_joints_are_among_them():
    frames = {(str(robot), frame) for robot, frame in MOVING_FRAMES}
    assert ('mimic', 'distal') in frames
    assert ('mimic', 'thumb') in frames
    model = hand_written('fixed_links').model
    assert len([frame for frame in model.frames if frame.body >= 0]) > len(model.joints)


def test_two_payloads_on_one_link():
    robot = hand_written('fixed_links')
    frame = robot.model.frames[-1].name
    model = robot.model.with_payload(frame, MASS, COM, INERTIA, name='tool')
    model = model.with_payload(frame, 0.4, (0.0, 0.1, 0.0), name='part')
    dynamics = RobotDynamics(model, backend='python')
    assert PinocchioReference(robot.text, model).compare(dynamics).agrees
    assert (
        not PinocchioReference(robot.text, model.without_payload('part')).compare(dynamics).agrees
    )


@pytest.mark.parametrize('change', [{'mass': MASS * (1 + 1e-9)}, {'com': (0.03, -0.08, -0.15)}])
def test_a_wrong_payload_is_found_out(change):
    robot = hand_written('mimic')
    right = {'mass': MASS, 'com': COM, 'inertia': INERTIA}
    model = robot.model.with_payload('distal', **right)
    dynamics = RobotDynamics(robot.model.with_payload('distal', **right | change))
    assert not PinocchioReference(robot.text, model).compare(dynamics).agrees
