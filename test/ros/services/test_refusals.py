"""No torque from a state that is not trusted, and the reason said."""

import math

import numpy as np
import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from references import follow, point, trajectory
from three_joints import JOINTS, URDF, state

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def without_a_position():
    message = state(Q, V)
    message.position = message.position[:-1]
    return message


def with_field(field, values):
    message = state(Q, V, extra=False)
    setattr(message, field, values)
    return message


def with_a_repeated_name():
    message = state(Q, V)
    message.name[0] = JOINTS[0]
    return message


BAD_STATES = {
    'no joints': (with_field('name', []), 'empty; needed are turn, slide, wrist'),
    'too few positions': (with_field('position', [0.1, 0.2]), 'position has 2 values'),
    'no positions': (with_field('position', []), 'position has 0 values'),
    'too many velocities': (
        with_field('velocity', [0.0] * 4),
        'velocity has 4 values',
    ),
    'position is NaN': (state([0.1, math.nan, 0.3], V), "position of 'slide' is nan"),
    'velocity is infinite': (state(Q, [0.0, 0.0, math.inf]), "velocity of 'wrist' is inf"),
    'velocity is absurd': (state(Q, [1e200] * 3), 'times its limit'),
    'a name is repeated': (with_a_repeated_name(), 'once: turn'),
}


@pytest.mark.parametrize('bad', BAD_STATES)
def test_a_bad_state_gives_no_torque_and_the_next_good_one_does(graph, bad):
    message, reason = BAD_STATES[bad]
    with graph(robot_description=URDF) as (node, observer):
        counters = node.topic_counters['joint_states']
        observer.states.publish(message)
        observer.until(lambda: counters.rejected == 1, 'refusal')
        assert reason in counters.last_reason
        observer.answer_to(state(Q, V))
        assert len(observer.commands) == len(observer.torques) == 1


BAD_REFERENCES = {
    'a joint is missing': (trajectory(point([0.1, 0.2]), names=JOINTS[:2]), 'lacks joints: wrist'),
    'a joint is unknown': (
        trajectory(point([0.1, 0.2, 0.3, 0.4]), names=(*JOINTS, 'gripper')),
        'twice: gripper',
    ),
    'too few positions': (trajectory(point([0.1, 0.2])), 'positions has 2 values'),
    'not finite': (trajectory(point([0.1, math.nan, 0.3])), "nan at 'slide'"),
    'too many velocities': (trajectory(point(Q, [0.0] * 4)), 'velocities has 4 values'),
    'accelerations alone': (trajectory(point(Q, (), V)), 'accelerations but no'),
    'absurdly far': (trajectory(point([1e200] * 3)), 'too large'),
    'times stand still': (trajectory(point(Q), point(Q)), 'times must increase'),
}


@pytest.mark.parametrize('bad', BAD_REFERENCES)
def test_a_bad_reference_is_refused_and_the_one_before_stays(graph, dynamics, bad):
    message, reason = BAD_REFERENCES[bad]
    with graph(robot_description=URDF) as (node, observer):
        follow(node, observer, trajectory(point(Q, V, V)))
        counters = node.topic_counters['reference']
        observer.reference.publish(message)
        observer.until(lambda: counters.rejected == 1, 'refusal')
        assert reason in counters.last_reason
        command, _ = observer.answer_to(state([0.0] * 3))
    np.testing.assert_allclose(command.data, dynamics.inverse_dynamics(Q, V, V), rtol=1e-12)


def test_diagnostics_tell_of_refusals(graph):
    with graph(robot_description=URDF) as (_, observer):
        reports = []
        observer.node.create_subscription(DiagnosticArray, '/diagnostics', reports.append, 10)
        observer.states.publish(without_a_position())

        def status():
            found = [s for r in reports for s in r.status if s.name.endswith(': joint_states')]
            return [s for s in found if 'rejected' in s.message]

        observer.until(status, 'diagnostics')
        assert 'position has 3 values' in status()[0].message
        # There has been no good one yet.
        assert status()[0].level == DiagnosticStatus.STALE


def test_a_topic_that_is_refused_does_not_silence_another(graph, capfd):
    with graph(robot_description=URDF) as (_, observer):
        log = Log(capfd)
        observer.states.publish(without_a_position())
        log.until(observer, 'joint_states rejected')
        observer.reference.publish(trajectory(point([0.1, 0.2])))
        log.until(observer, 'reference rejected')
