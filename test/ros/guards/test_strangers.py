"""Another driver speaks on joint_states too, of joints that are none of ours."""

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus
from driver import Driver
from guard_scene import figures
from sensor_msgs.msg import JointState

from robot_dynamics_ros.control.supervisor import Mode

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def of_a_gripper(message):
    message.name = ['finger']
    message.position, message.velocity = [0.01], [0.0]


def alternating():
    """One publisher for the arm and its gripper: a relay, a recording."""
    turn = [0]

    def change(message):
        turn[0] += 1
        if turn[0] % 2:
            of_a_gripper(message)

    return change


@contextmanager
def stranger(scene):
    """Speaks so often that the node never waits for long."""
    node = scene.observer.node
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    driver = Driver(publisher, node.get_clock(), Q, V)
    driver.period, driver.change = 0.002, of_a_gripper
    driver.start()
    try:
        yield
    finally:
        driver.stop()
        node.destroy_publisher(publisher)


def test_states_of_other_joints_do_not_delay_commands(guarded, dynamics):
    moving = dynamics.bias_torque(Q, V)
    with guarded(on_stale='zero', fade_time=FADE) as scene, stranger(scene):
        scene.settle(moving)
        assert (
            int(figures(scene.status('joint_states', '0 rejected'))['ignored, of other joints'])
            > 0
        )
        scene.driver.pause()
        scene.settle(np.zeros(3))
        status = scene.status('joint_states', 'only finger, needed are turn, slide')
        assert status.level == DiagnosticStatus.STALE
        scene.driver.resume()
        scene.settle(moving)


def test_states_of_other_joints_of_one_publisher_leave_no_gap(guarded, dynamics):
    with guarded(on_stale='zero', fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.pause()
        # Stale: the node's queue is empty.
        scene.settle(np.zeros(3))
        before = received(scene)
        scene.driver.sent, scene.driver.change = 0, alternating()
        scene.driver.resume()
        scene.wait_for_states(20)
        scene.driver.pause()
        after = received(scene)
        # On a machine with much else to do, states are really lost.
        assert after.lost - before.lost <= scene.driver.sent - (after.states - before.states)


@dataclass
class Received:
    """Joint states that a node received, and those that it missed."""

    lost: int
    states: int


def received(scene):
    """What the node counted until now."""
    lost = int(figures(scene.status('timing', ''))['lost cycles'])
    counters = scene.node.topic_counters['joint_states']
    return Received(lost, counters.used + counters.rejected + counters.ignored)


@pytest.mark.parametrize('on_stale', ['hold', 'stop'])
def test_states_of_other_joints_do_not_delay_the_final_command(guarded, dynamics, on_stale):
    with guarded(on_stale=on_stale, fade_time=FADE) as scene, stranger(scene):
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.pause()
        mode = {'hold': Mode.HOLD, 'stop': Mode.SILENT}[on_stale]
        scene.observer.until(lambda: scene.guard.mode is mode, str(mode))
        scene.node.trigger_deactivate()
        scene.settle(np.zeros(3))
        assert scene.guard.mode is Mode.SILENT


def test_states_of_other_joints_only_are_reported(guarded, capfd):
    """A prefix that is missing, the topic of the other arm."""
    with guarded(start=False, fade_time=FADE) as scene:
        scene.driver.change = of_a_gripper
        scene.watch(0.1)
        scene.node.start()
        status = scene.status('joint_states', 'only finger')
        assert 'state yet' in status.message
        assert status.level == DiagnosticStatus.STALE
        assert len(scene.recording) == 0
        Log(capfd).until(scene.observer, 'only finger, needed are turn, slide, wrist')
