"""States that waited before they were taken: no torque of them, and one of the newest."""

import time

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from guard_scene import figures

from robot_dynamics_ros.ros.polling import PolledSubscription

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def send_while_the_node_waits(scene, count, pause=0.0):
    """States that it cannot take before this returns, as on a busy machine."""
    with scene.node.robot_holder.lock:
        for _ in range(count):
            scene.driver.q += 0.001
            scene.driver.send()
        time.sleep(pause)


def test_states_that_have_waited_longer_than_the_timeout_are_not_answered(guarded, dynamics):
    with guarded(fade_time=0.0, state_timeout=0.2, on_stale='stop') as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.pause()
        scene.until_silent()
        before = len(scene.recording)
        send_while_the_node_waits(scene, 50, pause=1.0)
        scene.observer.until(
            lambda: int(figures(scene.status('timing', ''))['too old to be answered']) >= 50,
            'states that are too old',
        )
        scene.until_silent()
        assert len(scene.recording) == before
        scene.driver.resume()
        scene.settle(dynamics.bias_torque(scene.driver.q, V))


def test_of_a_burst_the_newest_is_answered_once(guarded, dynamics):
    with guarded(fade_time=0.0, terms=['gravity']) as scene:
        scene.settle(dynamics.gravity_torque(Q))
        scene.driver.pause()
        scene.until_taken()
        before = len(scene.recording)
        send_while_the_node_waits(scene, 20)
        scene.settle(dynamics.gravity_torque(scene.driver.q))
        # The first may have been taken alone before the others came.
        assert len(scene.recording) <= before + 2


@pytest.fixture
def no_reception_time(monkeypatch):
    """As from rmw_cyclonedds."""
    poll = PolledSubscription.poll

    def poll_without(subscription):
        for message, info in poll(subscription):
            # The recording of the commands needs it.
            known = 'commands' in subscription.topic
            yield message, info if known else {**info, 'received_timestamp': 0}

    monkeypatch.setattr(PolledSubscription, 'poll', poll_without)


def test_without_a_time_of_reception_the_stamp_counts(guarded, dynamics, no_reception_time):
    """Where it is one of this clock; the stamps of another cannot tell old states."""

    def earlier(seconds):
        def change(message):
            message.header.stamp.sec -= seconds

        return change

    with guarded(state_timeout=0.5, start=False) as scene:
        scene.driver.pause()
        scene.driver.step, scene.driver.change = None, earlier(3600)
        scene.driver.resume()
        scene.node.start()
        scene.settle(dynamics.bias_torque(Q, V))
        status = scene.status('timing', 'not detected')
        assert status.level == DiagnosticStatus.WARN
        assert figures(status)['latency p50 [ms]'] == 'not known'
        assert figures(status)['too old to be answered'] == '0'
        scene.driver.change = lambda message: None
        scene.status('timing', 'Hz')
        scene.driver.change = earlier(1)
        scene.observer.until(
            lambda: figures(scene.status('timing', ''))['too old to be answered'] != '0',
            'states that are too old',
        )
