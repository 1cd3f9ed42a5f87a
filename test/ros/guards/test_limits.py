"""Commands stay within what the joints bear, and change no faster than they may."""

import re

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from guard_scene import figures
from references import follow, point, trajectory

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def test_commands_are_clamped_and_the_joint_named(guarded, dynamics):
    """To effort_limits, which change while it runs."""
    whole = dynamics.bias_torque(Q, V)
    assert whole[1] > 21.0
    with guarded(fade_time=FADE, effort_limits=[100.0, 20.0, 20.0]) as scene:
        scene.recording.limits = np.array([100.0, np.inf, 20.0])
        clamped = [whole[0], 20.0, whole[2]]
        scene.settle(clamped)
        torques = scene.observer.torques
        scene.observer.until(
            lambda: torques and list(torques[-1].effort) == list(scene.recording.last), 'torques'
        )
        assert list(torques[-1].saturated) == ['slide']
        status = scene.status('commands', 'at the effort limit')
        assert status.level == DiagnosticStatus.WARN
        assert int(figures(status)['saturated slide']) > 0
        assert figures(status)['saturated turn'] == '0'

        scene.set(effort_limits=[100.0, 10.0, 20.0])
        scene.settle([whole[0], 10.0, whole[2]])
        scene.set(effort_limits=[1e3])
        scene.settle(whole)
        scene.observer.until(lambda: not torques[-1].saturated, 'no saturation')
        scene.status('commands', 'within the limits')


def test_commands_change_no_faster_than_the_rate_limit(guarded, dynamics):
    """A reference that leaps, no fade, and the recording checks each step."""
    away = dynamics.inverse_dynamics([1.0, -0.4, 1.5], [0.0] * 3, [3.0, -3.0, 3.0])
    start = dynamics.bias_torque(Q, V)
    limits = 1.2 * np.maximum(np.abs(away), np.abs(start))
    rates = 10.0 * limits
    with guarded(
        fade_time=0.0,
        effort_limits=limits.tolist(),
        reference_tolerance=[0.0],
    ) as scene:
        scene.recording.limits, scene.recording.rates = limits, rates
        scene.settle(start)
        leap = trajectory(point([1.0, -0.4, 1.5], [0.0] * 3, [3.0, -3.0, 3.0]))
        follow(scene.node, scene.observer, leap)
        scene.settle(away)
        assert {name for t in scene.observer.torques for name in t.saturated} == {
            *('turn', 'slide', 'wrist')
        }


def test_a_joint_that_stays_at_its_effort_limit_is_warned_of(guarded, capfd):
    """Velocities in deg/s of a slow joint: the Coriolis torque is far too large."""
    with guarded(fade_time=FADE, effort_limits=[1e-3, 200.0, 1e-3]) as scene:
        scene.driver.v[:] = [0.5, -0.2, 5.0]
        status = scene.status('commands', 'for more than 0.5 s')
        assert status.level == DiagnosticStatus.WARN
        assert 'wrist (wanted' in status.message
        assert 'limit 0.001 N m)' in status.message
        assert 'slide' not in status.message
        assert re.search(r'velocity of wrist 5 \(limit 3\): .*rad/s', status.message)
        scene.set(effort_limits=[20.0, 200.0, 20.0])
        scene.status('commands', 'within the limits')
    assert 'effort limit for more' in capfd.readouterr().err
