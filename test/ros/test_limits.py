"""Commands stay within the limits, and no joint whose limit was forgotten is commanded."""

import math
import re

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from three_joints import JOINTS, URDF, state

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def test_commands_are_clamped_and_the_joint_named(guarded, dynamics):
    """To effort_limits, which change while it runs."""
    v = [0.5, -0.2, 2.5]
    whole = dynamics.bias_torque(Q, v)
    assert whole[1] > 21.0
    with guarded(v=v, effort_limits=[100.0, 20.0, 100.0]) as scene:
        scene.recording.limits = np.array([100.0, np.inf, 100.0])
        scene.settle([whole[0], 20.0, whole[2]])
        torques = scene.torques
        scene.until(
            lambda: torques and list(torques[-1].effort) == list(scene.recording.last), 'torques'
        )
        assert list(torques[-1].saturated) == ['slide']
        assert 'slide' in scene.shows('saturated').message
        assert scene.figures('commands')['saturated turn'] == '0'
        scene.set(effort_limits=[100.0, 10.0, 100.0])
        scene.settle([whole[0], 10.0, whole[2]])
        scene.set(effort_limits=[1e3])
        scene.settle(whole)
        scene.until(lambda: not torques[-1].saturated, 'no saturation')
        scene.gone('saturated')


def test_a_node_activates_after_effort_limits_is_set(guarded, dynamics):
    """CAD exports leave limits out, or write 0; .inf says that none is meant."""
    zero = URDF.replace('effort="200"', 'effort="0"')
    with guarded(robot_description=zero, effort_limits=[]) as scene:
        refused = scene.transition('activate')
        scene.until(refused.done, 'an answer')
        assert not refused.result().success
        found = scene.shows('no_effort_limit')
        assert found.level == DiagnosticStatus.ERROR
        assert 'effort_limits for turn, slide' in found.message
        scene.until_silent()
        scene.set(effort_limits=[math.inf, 200.0, 20.0])
        scene.trigger('activate')
        scene.settle(dynamics.bias_torque(Q, V))
        # They must not go while it commands.
        assert 'effort_limits for turn' in scene.refused(effort_limits=[])
        scene.settle(dynamics.bias_torque(Q, V))


@pytest.mark.parametrize(
    ('masses', 'code', 'mended', 'other'),
    [
        # Left out, and in grams.
        ('0', 'weightless_joint', {'massless_joints': list(JOINTS)}, {'massless_joints': []}),
        ('\\1e3', 'gravity_exceeds_effort', {'effort_limits': [1e6]}, {}),
    ],
)
def test_a_description_that_cannot_be_true_does_not_move(guarded, masses, code, mended, other):
    """Where it is so on purpose, a parameter says that."""
    text = re.sub(r'(?<=mass value=")([\d.]+)', masses, URDF)
    with guarded(robot_description=text) as scene:
        assert scene.shows(code).level == DiagnosticStatus.ERROR
        refused = scene.transition('activate')
        scene.until(refused.done, 'an answer')
        assert not refused.result().success
        scene.until_silent()
        scene.recording.limits = scene.recording.rates = np.full(3, np.inf)
        scene.set(**mended)
        scene.trigger('activate')
        scene.next_commands()
        if other:
            assert 'turn, slide, wrist' in scene.refused(**other)


def test_a_joint_that_is_not_commanded_needs_no_limit(graph):
    described = {'robot_description': URDF, 'effort_limits': []}
    with graph(**described, joints=['wrist', 'slide']) as (_, observer):
        observer.answer_to(state(Q, V))
