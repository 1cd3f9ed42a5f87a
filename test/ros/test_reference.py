"""References that are refused, end, or are left; the clocks that may be set meanwhile."""

import math
import time

import numpy as np
from builtin_interfaces.msg import Duration, Time
from rclpy.clock import Clock
from rclpy.duration import Duration as Step
from references import follow, point, trajectory
from rosgraph_msgs.msg import Clock as ClockMessage
from std_msgs.msg import Float64MultiArray
from three_joints import JOINTS

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QR, VR, AR = [0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]


def dropped(scene):
    """Until the only reference is over or left, and diagnostics say so."""
    scene.until(lambda: scene.figures('reference')['dropped'] == '1', 'the end of the reference')


def test_a_reference_that_is_over_or_left_is_dropped(guarded, dynamics):
    """When, and how it fades, is a law of the guard (test/control/test_guarded_references.py)."""
    with guarded(reference_timeout=0.2, reference_tolerance=[1.5]) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        follow(scene.node, scene.observer, trajectory(point(Q), point(QR, seconds=0.3)))
        dropped(scene)
        scene.settle(dynamics.bias_torque(Q, V))
        # The robot stays where it is, as one that is held; the reference goes on.
        scene.set(reference_tolerance=[0.3])
        motion = trajectory(point(Q), point([0.3, 0.1, 0.3], seconds=1.0))
        follow(scene.node, scene.observer, motion)
        assert 'wrist is at -0.7' in scene.shows('reference_left').message
        scene.settle(dynamics.bias_torque(Q, V))


def test_setting_the_clock_of_the_machine_does_not_move_a_reference(
    guarded, dynamics, monkeypatch
):
    """As NTP sets it. The reference is slow: a step of half a minute would be a leap."""
    now, step = Clock.now, Step(seconds=30.0)
    with guarded(reference_timeout=60.0, terms=['gravity']) as scene:
        scene.settle(dynamics.gravity_torque(Q))
        sent = time.monotonic()
        motion = trajectory(point(Q), point(QR, seconds=600.0))
        follow(scene.node, scene.observer, motion)
        monkeypatch.setattr(Clock, 'now', lambda clock: now(clock) + step)
        last = scene.next_commands(20)[-1]
        monkeypatch.undo()
        # The command belongs to a time since then: less than the step, even on a slow machine.
        share = np.linspace(0.0, (time.monotonic() - sent) / 600.0, 100)
        wanted = [dynamics.gravity_torque(q) for q in Q + np.outer(share, np.subtract(QR, Q))]
        assert np.abs(last - wanted).max(axis=1).min() < 1e-3


def stamped(message, **stamp):
    message.header.stamp = Time(**stamp)
    return message


def early(message):
    message.points[0].time_from_start = Duration(sec=-1)
    return message


BAD = {
    'wrist': trajectory(point([0.1, 0.2]), names=JOINTS[:2]),
    'gripper': trajectory(point([0.1, 0.2, 0.3, 0.4]), names=(*JOINTS, 'gripper')),
    "nan at 'slide'": trajectory(point([0.1, math.nan, 0.3])),
    'accelerations': trajectory(point(Q, (), V)),
    'too large': trajectory(point([1e200] * 3)),
    'increase': trajectory(point(Q), point(Q)),
    'ended': stamped(trajectory(point(Q), point(QR, seconds=1.0)), sec=1),
    'negative': early(trajectory(point(QR))),
}


def test_a_bad_reference_is_refused_and_the_one_before_stays(guarded, dynamics):
    wanted = dynamics.inverse_dynamics(Q, V, V)
    with guarded(reference_timeout=1e3, reference_tolerance=[0.0]) as scene:
        follow(scene.node, scene.observer, trajectory(point(Q, V, V)))
        scene.settle(wanted)
        counters = scene.node.topic_counters['reference']
        for count, (named, message) in enumerate(BAD.items(), 1):
            scene.observer.reference.publish(message)
            scene.until(lambda c=count: counters.rejected == c, 'a refusal')
            assert named in counters.last_reason
        scene.shows('reference_refused')
        np.testing.assert_allclose(scene.next_commands(), [wanted] * 5, rtol=1e-12)


class SimulatedTime:
    """A publisher of /clock that can be set."""

    def __init__(self, node, seconds):
        self.set(seconds)
        self._publisher = node.create_publisher(ClockMessage, '/clock', 10)
        node.create_timer(0.01, self._publish)

    def set(self, seconds):
        self._zero = time.monotonic() - seconds

    def _publish(self):
        total = round(1e9 * (time.monotonic() - self._zero))
        stamp = Time(sec=total // 10**9, nanosec=total % 10**9)
        self._publisher.publish(ClockMessage(clock=stamp))


def test_a_clock_that_is_set_back_ends_the_reference_and_resets_the_stamps(guarded, dynamics):
    """As when a simulation starts again."""
    free, following = dynamics.bias_torque(Q, V), dynamics.inverse_dynamics(QR, VR, AR)
    with guarded(use_sim_time=True, reference_timeout=60.0, reference_tolerance=[1.5]) as scene:
        # What must go on goes on where nobody publishes /clock.
        scene.settle(free)
        other = scene.observer.node.create_publisher(
            Float64MultiArray, '/robot_dynamics/commands', 10
        )
        scene.shows('other_publishers')
        scene.observer.node.destroy_publisher(other)
        scene.gone('other_publishers')
        scene.driver.step = None
        clock = SimulatedTime(scene.observer.node, 1000.0)
        scene.until(lambda: scene.node.get_clock().now().nanoseconds > 1e12, 'simulated time')
        scene.settle(free)
        follow(scene.node, scene.observer, trajectory(point(QR, VR, AR)))
        scene.settle(following)
        clock.set(5.0)
        scene.settle(free)
        scene.gone('states_refused')
        scene.logs('clock was set')
        follow(scene.node, scene.observer, trajectory(point(QR, VR, AR)))
        scene.settle(following)
