"""States that cannot be trusted: no torque from them, the reason said, and it goes on."""

import itertools
import math
import re

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.2


def not_finite(message):
    message.position[1] = math.nan


def too_few_positions(message):
    message.position = message.position[:-1]


def a_jump(message):
    message.position[1] += 0.5


def a_stamp_of_yesterday(message):
    message.header.stamp.sec -= 86400


def absurd_velocity(message):
    message.velocity = [1e200] * 4


BAD = {
    not_finite: "position of 'wrist' is nan",
    too_few_positions: 'position has 3 values for 4',
    a_stamp_of_yesterday: 's before that of',
    absurd_velocity: 'times its limit',
}


def test_a_bad_state_between_good_states_is_not_answered(guarded, dynamics):
    """The driver says for ever the same, so that only a bad state could move the torque.

    Each reason is a law of StateFilter (test/control) or JointStateReader (test_joint_states.py).
    """
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=FADE) as scene:
        scene.settle(torque)
        for spoil, reason in BAD.items():
            scene.driver.change = every_second(spoil)
            said = f'rejected .*{reason}'
            assert re.search(said, scene.status('joint_states', reason).message)
            np.testing.assert_allclose(scene.next_commands(), [torque] * 5, rtol=1e-12)
        scene.driver.change = lambda message: None
        scene.status('joint_states', '0 rejected')
        np.testing.assert_allclose(scene.recording.commands[-20:], [torque] * 20, rtol=1e-12)


def every_second(spoil):
    turns = itertools.count()
    return lambda message: spoil(message) if next(turns) % 2 else None


@pytest.mark.parametrize('spoil', [not_finite, a_jump], ids=lambda spoil: spoil.__name__)
def test_refused_states_only_become_stale(guarded, dynamics, spoil):
    """The jump is one to and fro: nobody knows where the robot is."""
    torque, turns = dynamics.bias_torque(Q, V), itertools.count()
    with guarded(fade_time=FADE, state_timeout=0.1) as scene:
        scene.settle(torque)

        def always(message):
            if spoil is not a_jump or next(turns) % 2:
                spoil(message)

        scene.driver.change = always
        scene.settle(dynamics.gravity_torque(Q))
        status = scene.status('joint_states', 'joint state for')
        assert status.level == DiagnosticStatus.STALE
        assert 'wrist' in status.message
        scene.driver.change = lambda message: None
        scene.settle(torque)
        scene.status('joint_states', '0 rejected')


def test_a_moved_robot_is_followed_there(guarded, dynamics, capfd):
    """It was moved while the driver was off: the torque goes there through the fade."""
    there = [0.3, -0.4, 0.9]
    with guarded(fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.q[:] = there
        scene.settle(dynamics.bias_torque(there, V))
    assert "position of 'wrist' jumped by 1.6" in capfd.readouterr().err
