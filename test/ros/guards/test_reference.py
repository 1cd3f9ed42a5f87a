"""References that end, are left, or should never have been sent."""

import math
import time

import numpy as np
import rclpy.duration
from builtin_interfaces.msg import Duration, Time
from guard_scene import figures
from rclpy.clock import Clock
from references import follow, point, trajectory
from three_joints import JOINTS

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QR = [0.2, -0.1, 0.6]
FADE = 0.2
STEP = rclpy.duration.Duration(seconds=30.0)


def wait_until_dropped(scene):
    """Until the only reference is over or left, and diagnostics say so."""
    scene.observer.until(
        lambda: figures(scene.status('reference', ''))['dropped'] == '1',
        'the end of the reference',
    )


def test_a_reference_that_is_over_is_dropped(guarded, dynamics):
    """When, and how it fades, is a law of the guard (test/control/test_guarded_references.py)."""
    with guarded(fade_time=FADE, reference_timeout=0.2, reference_tolerance=[1.5]) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        follow(scene.node, scene.observer, trajectory(point(Q), point(QR, seconds=0.3)))
        wait_until_dropped(scene)
        scene.settle(dynamics.bias_torque(Q, V))


def over():
    message = trajectory(point(Q), point(QR, seconds=1.0))
    message.header.stamp = Time(sec=1)
    return message


def negative():
    message = trajectory(point(QR))
    message.points[0].time_from_start = Duration(sec=-1)
    return message


def test_a_reference_that_the_robot_has_left_is_dropped(guarded, dynamics, capfd):
    """The robot stays where it is, as one that is held; the reference goes on."""
    with guarded(fade_time=FADE, reference_timeout=60.0, reference_tolerance=[0.3]) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        motion = trajectory(point(Q), point([0.3, 0.1, 0.3], seconds=1.0))
        follow(scene.node, scene.observer, motion)
        scene.status('reference', 'left the reference: wrist')
        wait_until_dropped(scene)
        scene.settle(dynamics.bias_torque(Q, V))
        assert 'wrist is at -0.7' in capfd.readouterr().err


def test_setting_the_clock_of_the_machine_does_not_move_a_reference(
    guarded, dynamics, monkeypatch
):
    """As NTP sets it. The reference is slow: a step of half a minute would be a leap."""
    now = Clock.now
    with guarded(fade_time=FADE, reference_timeout=60.0, terms=['gravity']) as scene:
        scene.settle(dynamics.gravity_torque(Q))
        sent = time.monotonic()
        motion = trajectory(point(Q), point(QR, seconds=600.0))
        follow(scene.node, scene.observer, motion)
        monkeypatch.setattr(Clock, 'now', lambda clock: now(clock) + STEP)
        last = scene.next_commands(20)[-1]
        monkeypatch.undo()
        # The command belongs to a time since then: less than the step, even on a slow machine.
        share = np.linspace(0.0, (time.monotonic() - sent) / 600.0, 100)
        wanted = [dynamics.gravity_torque(q) for q in Q + np.outer(share, np.subtract(QR, Q))]
        assert np.abs(last - wanted).max(axis=1).min() < 1e-3


BAD_REFERENCES = {
    'a joint is missing': (trajectory(point([0.1, 0.2]), names=JOINTS[:2]), 'lacks joints: wrist'),
    'a joint is unknown': (
        trajectory(point([0.1, 0.2, 0.3, 0.4]), names=(*JOINTS, 'gripper')),
        'twice: gripper',
    ),
    'not finite': (trajectory(point([0.1, math.nan, 0.3])), "nan at 'slide'"),
    'accelerations alone': (trajectory(point(Q, (), V)), 'accelerations but no'),
    'absurdly far': (trajectory(point([1e200] * 3)), 'too large'),
    'times stand still': (trajectory(point(Q), point(Q)), 'times must increase'),
    'it is over': (over(), 'the trajectory ended'),
    'a negative time': (negative(), 'negative'),
}


def test_a_bad_reference_is_refused_and_the_one_before_stays(guarded, dynamics):
    wanted = dynamics.inverse_dynamics(Q, V, V)
    with guarded(fade_time=FADE, reference_timeout=1e3, reference_tolerance=[0.0]) as scene:
        follow(scene.node, scene.observer, trajectory(point(Q, V, V)))
        scene.settle(wanted)
        for message, reason in BAD_REFERENCES.values():
            scene.observer.reference.publish(message)
            scene.status('reference', reason)
        np.testing.assert_allclose(scene.next_commands(), [wanted] * 5, rtol=1e-12)
