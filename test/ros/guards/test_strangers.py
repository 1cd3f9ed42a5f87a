"""Another driver speaks on joint_states too, of joints that are none of ours."""

from contextlib import contextmanager

import numpy as np
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus
from driver import Driver
from guard_scene import figures
from sensor_msgs.msg import JointState

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def of_a_gripper(message):
    message.name = ['finger']
    message.position, message.velocity = [0.01], [0.0]


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
    with guarded(on_stale='zero', state_timeout=0.1, fade_time=FADE) as scene, stranger(scene):
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
        # Nor the final command.
        scene.driver.pause()
        scene.node.trigger_deactivate()
        scene.settle(np.zeros(3))
        scene.until_silent()


def test_states_of_other_joints_only_are_reported(guarded, capfd):
    """A prefix that is missing, the topic of the other arm."""
    with guarded(start=False, fade_time=FADE) as scene:
        scene.driver.change = of_a_gripper
        scene.node.start()
        status = scene.status('joint_states', 'only finger')
        assert 'state yet' in status.message
        assert status.level == DiagnosticStatus.STALE
        assert len(scene.recording) == 0
        Log(capfd).until(scene.observer, 'only finger, needed are turn, slide, wrist')
