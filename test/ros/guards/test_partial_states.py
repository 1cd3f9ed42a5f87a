"""Joints that come in other messages, more slowly, without velocities, or never."""

import math
import re
from contextlib import contextmanager

import numpy as np
import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus
from driver import Driver
from guard_scene import figures
from sensor_msgs.msg import JointState
from three_joints import URDF, state

from robot_dynamics_interfaces.srv import GetGravity
from robot_dynamics_ros.ros import health

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2
ARM = {'joints': ['turn', 'slide'], 'fade_time': FADE}


def only(*names):
    """Makes a driver of some joints."""

    def change(message):
        values = list(zip(message.name, message.position, message.velocity, strict=True))
        held = [each for each in values if each[0] in names]
        message.name = [name for name, _, _ in held]
        message.position = [q for _, q, _ in held]
        message.velocity = [v for _, _, v in held]

    return change


@contextmanager
def second_driver(scene, *names, period=1 / 30):
    """Another driver of some joints, with a clock of its own."""
    node = scene.observer.node
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    driver = Driver(publisher, node.get_clock(), Q, V)
    driver.period = period

    def change(message):
        only(*names)(message)
        message.header.stamp.sec -= 3600

    driver.change = change
    driver.start()
    try:
        yield driver
    finally:
        driver.stop()
        node.destroy_publisher(publisher)


@pytest.fixture
def arm_torque(dynamics):
    """Of turn and slide, the wrist standing where it is."""
    return dynamics.bias_torque(Q, [*V[:2], 0.0])[:2]


def test_a_gripper_at_30_hz_beside_the_arm(guarded, arm_torque):
    """In messages of its own, whose stamps are those of another clock."""
    with guarded(start=False, **ARM) as scene:
        scene.driver.change = only('turn', 'slide')
        scene.node.start()
        with second_driver(scene, 'wrist') as gripper:
            scene.settle(arm_torque)
            before = gripper.sent
            scene.observer.until(lambda: gripper.sent > before + 10, 'the gripper')
            scene.settle(arm_torque)
            assert figures(scene.status('joint_states', ''))['rejected'] == '0'


def test_a_joint_that_is_never_measured_is_named_with_the_line_to_add(guarded, capfd):
    with guarded(start=False, **ARM) as scene:
        scene.driver.change = only('turn', 'slide')
        scene.node.start()
        status = scene.status('joint_states', 'never in joint_states: wrist')
        assert 'locked_joints: {wrist: 0}' in status.message
        assert status.level == DiagnosticStatus.STALE
        scene.status('model', 'never in joint_states: wrist')
        scene.until_silent()
        response = scene.observer.call(GetGravity, '/robot_dynamics/get_gravity')
        assert 'never in joint_states: wrist' in response.message
        log = Log(capfd)
        log.until(scene.observer, 'commanded: never in joint_states: wrist')


def test_a_locked_joint_stands_where_it_is_locked(guarded, arm_torque):
    with guarded(start=False, **ARM, **{'locked_joints.wrist': Q[2]}) as scene:
        scene.driver.change = only('turn', 'slide')
        scene.node.start()
        scene.settle(arm_torque)
        # What a driver says of it is not used.
        with second_driver(scene, 'wrist') as gripper:
            gripper.q[2] = 0.0
            before = gripper.sent
            scene.observer.until(lambda: gripper.sent > before + 5, 'the gripper')
            scene.settle(arm_torque)


@pytest.mark.parametrize(
    ('parameters', 'reason'),
    [
        ({'locked_joints.wrist': 0.1}, "locked_joints: 'wrist' is commanded"),
        ({'locked_joints.finger': 0.1}, "parameter locked_joints: unknown joint 'finger'"),
        ({'locked_joints.wrist': math.nan}, 'locked_joints.wrist is nan'),
    ],
)
def test_what_cannot_be_locked_is_refused(graph, capfd, parameters, reason):
    with graph(robot_description=URDF, **parameters):
        pass
    assert reason in capfd.readouterr().err


def test_a_gripper_that_ceases_is_held_after_its_own_timeout(guarded, dynamics, arm_torque):
    with guarded(start=False, **(ARM | {'state_timeout': 0.1})) as scene:
        scene.driver.change = only('turn', 'slide')
        scene.node.start()
        with second_driver(scene, 'wrist') as gripper:
            scene.settle(arm_torque)
            gripper.pause()
            scene.settle(dynamics.gravity_torque(Q)[:2])
            scene.status('joint_states', 'position of wrist for')
            gripper.resume()
            scene.settle(arm_torque)


def test_states_that_come_too_slowly_for_the_timeout_are_warned_of(guarded, capfd, monkeypatch):
    monkeypatch.setattr(health, 'AVERAGED', 0.5)
    with guarded(start=False, fade_time=FADE, state_timeout=0.1) as scene:
        scene.driver.period = scene.driver.step = 0.1
        scene.node.start()
        status = scene.status('timing', 'turn is measured every')
        assert status.level == DiagnosticStatus.WARN
        assert 'set state_timeout: 0.' in status.message
        scene.set(state_timeout=1.0)
        scene.driver.period = scene.driver.step = 0.01
        scene.status('timing', 'Hz')
    assert 'set state_timeout:' in capfd.readouterr().err


def test_degrees_are_asked_about_and_never_answered(guarded, dynamics):
    def degrees(message):
        message.position = [math.degrees(q) for q in message.position]
        message.velocity = [math.degrees(v) for v in message.velocity]

    with guarded(start=False, fade_time=FADE) as scene:
        scene.driver.change = degrees
        scene.node.start()
        status = scene.status('joint_states', 'not degrees')
        assert re.search('wrist is at -40.11, .*-2 to 2', status.message)
        scene.until_silent()
        assert len(scene.recording) == 0
        scene.driver.change = lambda message: None
        scene.settle(dynamics.bias_torque(Q, V))


def test_a_service_asks_about_degrees(graph):
    with graph(robot_description=URDF) as (_, observer):
        for q, asked in ((np.degrees(Q), True), (Q, False)):
            response = observer.call(GetGravity, '/robot_dynamics/get_gravity', state=state(q))
            assert response.success
            assert ('unit rad' in response.message) == asked
