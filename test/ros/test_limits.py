"""Commands stay within the limits, and no joint whose limit was forgotten is commanded."""

import math

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from references import follow, point, trajectory
from three_joints import JOINTS, URDF, state

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def test_commands_are_clamped_and_the_joint_named(guarded, dynamics):
    """To effort_limits, which change while it runs; velocities in deg/s are one cause."""
    v = [0.5, -0.2, 5.0]
    whole = dynamics.bias_torque(Q, v)
    assert whole[1] > 21.0
    with guarded(v=v, effort_limits=[100.0, 20.0, 100.0]) as scene:
        scene.recording.limits = np.array([100.0, np.inf, 100.0])
        clamped = [whole[0], 20.0, whole[2]]
        scene.settle(clamped)
        torques = scene.observer.torques
        scene.until(
            lambda: torques and list(torques[-1].effort) == list(scene.recording.last), 'torques'
        )
        assert list(torques[-1].saturated) == ['slide']
        status = scene.shows('saturated')
        assert 'slide (wanted' in status.message
        assert 'limit 20 N)' in status.message
        assert 'rad/s' in status.message
        values = scene.figures('commands')
        assert int(values['saturated slide']) > 0
        assert values['saturated turn'] == '0'
        scene.set(effort_limits=[100.0, 10.0, 100.0])
        scene.settle([whole[0], 10.0, whole[2]])
        scene.set(effort_limits=[1e3])
        scene.settle(whole)
        scene.until(lambda: not torques[-1].saturated, 'no saturation')
        scene.gone('saturated')


def test_commands_change_no_faster_than_the_rate_limit(guarded, dynamics):
    """A reference that leaps, no fade, and the recording checks each step."""
    away = dynamics.inverse_dynamics([1.0, -0.4, 1.5], [0.0] * 3, [3.0, -3.0, 3.0])
    start = dynamics.bias_torque(Q, V)
    limits = 1.2 * np.maximum(np.abs(away), np.abs(start))
    free = {'fade_time': 0.0, 'reference_tolerance': [0.0], 'reference_timeout': 60.0}
    with guarded(**free, effort_limits=limits.tolist()) as scene:
        scene.recording.limits, scene.recording.rates = limits, 10.0 * limits
        scene.settle(start)
        leap = trajectory(point([1.0, -0.4, 1.5], [0.0] * 3, [3.0, -3.0, 3.0]))
        follow(scene.node, scene.observer, leap)
        scene.settle(away)
        saturated = {name for t in scene.observer.torques for name in t.saturated}
        assert saturated == set(JOINTS)


AXIS = '<axis xyz="0 0 1"/></joint>'
ZERO = AXIS.replace('</joint>', '<limit effort="0" velocity="3"/></joint>')


@pytest.mark.parametrize('axis', [AXIS, ZERO], ids=['missing', 'zero'])
def test_a_node_activates_after_effort_limits_is_set(guarded, dynamics, axis):
    """CAD exports leave limits out, or write 0; .inf says that none is meant."""
    with guarded(robot_description=URDF.replace(AXIS, axis), effort_limits=[]) as scene:
        refused = scene.transition('activate')
        scene.until(refused.done, 'an answer')
        assert not refused.result().success
        found = scene.shows('no_effort_limit')
        assert found.level == DiagnosticStatus.ERROR
        assert 'effort_limits for turn' in found.message
        scene.until_silent()
        scene.set(effort_limits=[math.inf, 200.0, 20.0])
        scene.trigger('activate')
        scene.settle(dynamics.bias_torque(Q, V))
        # They must not go while it commands.
        (result,) = scene.node.set_parameters([Parameter('effort_limits', value=[])])
        assert not result.successful
        assert 'effort_limits for turn' in result.reason
        scene.settle(dynamics.bias_torque(Q, V))


def test_a_joint_that_is_not_commanded_needs_no_limit(graph):
    described = {'robot_description': URDF, 'effort_limits': []}
    with graph(**described, joints=['wrist', 'slide']) as (_, observer):
        observer.answer_to(state(Q, V))
