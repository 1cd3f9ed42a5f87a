"""References that end, are not renewed, or should never have been sent."""

import time

import numpy as np
import pytest
import rclpy.duration
from builtin_interfaces.msg import Duration, Time
from guard_scene import MACHINE
from rclpy.clock import Clock
from references import follow, point, trajectory

from robot_dynamics_ros.ros.loop import WAIT_TIMEOUT

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QR, VR, AR = [0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]
TIMEOUT, FADE, MOTION = 0.2, 0.2, 0.3
STEP = rclpy.duration.Duration(seconds=30.0)


def followed(scene, message):
    """Between which times it was taken up [s]."""
    before = time.monotonic()
    follow(scene.node, scene.observer, message)
    return before, time.monotonic()


def check_dropped(scene, torque, earliest, latest):
    """That the torque of the reference was left in time."""
    times, commands = scene.recording.since(earliest - TIMEOUT)
    there = np.flatnonzero(np.abs(commands - torque).max(axis=1) < 1e-9)
    left = times[there[-1]]
    assert earliest + TIMEOUT - 0.05 < left < latest + TIMEOUT + 2 * WAIT_TIMEOUT + MACHINE
    assert times[-1] - left < FADE + 2 * WAIT_TIMEOUT + MACHINE


def test_a_trajectory_that_is_over_is_dropped(guarded, dynamics):
    end = dynamics.gravity_torque(QR)
    with guarded(fade_time=FADE, reference_timeout=TIMEOUT, reference_tolerance=[1.5]) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        motion = trajectory(point(Q), point(QR, seconds=MOTION))
        before, after = followed(scene, motion)
        scene.settle(end)
        scene.settle(dynamics.bias_torque(Q, V))
        check_dropped(scene, end, before + MOTION, after + MOTION)
        assert scene.guard.followed.dropped == 1
        scene.status('reference', 'no active reference')


def test_a_point_lasts_as_long_as_it_is_renewed(guarded, dynamics):
    wanted = dynamics.inverse_dynamics(QR, VR, AR)
    with guarded(fade_time=FADE, reference_timeout=TIMEOUT, reference_tolerance=[1.5]) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        end = time.monotonic() + 3 * TIMEOUT
        while time.monotonic() < end:
            before, after = followed(scene, trajectory(point(QR, VR, AR)))
        assert scene.guard.followed.dropped == 0
        np.testing.assert_allclose(scene.recording.last, wanted, rtol=1e-12)
        scene.settle(dynamics.bias_torque(Q, V))
        check_dropped(scene, wanted, before, after)
        assert scene.guard.followed.dropped == 1


def over():
    message = trajectory(point(Q), point(QR, seconds=1.0))
    message.header.stamp = Time(sec=1)
    return message


def negative():
    message = trajectory(point(QR))
    message.points[0].time_from_start = Duration(sec=-1)
    return message


@pytest.mark.parametrize(
    ('make', 'reason'), [(over, 'the trajectory ended'), (negative, 'negative')]
)
def test_references_of_the_past_are_refused(guarded, dynamics, make, reason):
    with guarded(fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        start = time.monotonic()
        counters = scene.node.topic_counters['reference']
        scene.observer.reference.publish(make())
        scene.observer.until(lambda: counters.rejected == 1, 'refusal')
        assert reason in counters.last_reason
        scene.wait_for_states()
        _, commands = scene.recording.since(start)
        np.testing.assert_allclose(commands, [dynamics.bias_torque(Q, V)] * len(commands))


def test_a_reference_that_the_robot_has_left_is_dropped(guarded, dynamics, capfd):
    """The robot stays where it is, as one that is held; the reference goes on."""
    with guarded(fade_time=FADE, reference_timeout=60.0, reference_tolerance=[0.3]) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        motion = trajectory(point(Q), point([0.3, 0.1, 0.3], seconds=1.0))
        follow(scene.node, scene.observer, motion)
        scene.status('reference', 'left the reference: wrist')
        scene.settle(dynamics.bias_torque(Q, V))
        assert scene.guard.reference is None
        assert 'wrist is at -0.7' in capfd.readouterr().err


def test_setting_the_clock_of_the_machine_does_not_move_a_reference(
    guarded, dynamics, monkeypatch
):
    """As NTP sets it. The reference is slow: a step of half a minute would be a leap."""
    now = Clock.now

    with guarded(fade_time=FADE, terms=['gravity']) as scene:
        scene.settle(dynamics.gravity_torque(Q))
        motion = trajectory(point(Q), point(QR, seconds=60.0))
        follow(scene.node, scene.observer, motion)
        reference = scene.guard.reference
        before = time.monotonic()
        monkeypatch.setattr(Clock, 'now', lambda clock: now(clock) + STEP)
        scene.wait_for_states(20)
        passed = time.monotonic() - before + MACHINE
        wanted = [dynamics.gravity_torque(reference.at(before + t)[0]) for t in (0.0, passed)]
        change = np.abs(np.diff(wanted, axis=0)).max()
        assert np.abs(scene.recording.last - wanted[0]).max() < change
        assert scene.guard.reference is reference
        monkeypatch.undo()
