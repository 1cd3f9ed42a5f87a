"""`~/zero_external` and `~/learn_thresholds`: answers, refusals, and what they change."""

import re
from threading import Event

import numpy as np
import pytest
from felt_node import NONE, THRESHOLDS, Q, felt, hasten
from geometry_msgs.msg import Inertia
from std_srvs.srv import Trigger

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_interfaces.srv import GetGravity, LearnThresholds, SetPayload
from robot_dynamics_ros.control.external_forces.detection import threshold_floor
from robot_dynamics_ros.control.external_forces.wrench import estimated_wrench
from robot_dynamics_ros.ros.services import external_torques

ERROR = np.array([0.5, -3.0, 0.4])
# Where states were lost just before, the estimate had 5 lags to rise: 0.7 % of it is missing.
SETTLED = 0.03
ZERO, LEARN = (Trigger, 'zero_external'), (LearnThresholds, 'learn_thresholds')


def test_what_the_model_does_not_know_is_taken_off_at_rest(guarded, dynamics):
    with felt(guarded, dynamics, state_timeout=1.0) as arm:
        arm.push = ERROR
        message = arm.take_off()
        said = re.search(r'turn (\S+) N m, slide (\S+) N, wrist (\S+) N m, .* (\S+) N', message)
        assert said, message
        # How large that is, for whoever called it: by the smallest force on the tip.
        jacobian = dynamics.jacobian(Q, 'hand', 'LOCAL')
        force = estimated_wrench(jacobian, ERROR, np.array([False, True, False])).wrench[:3]
        expected = [*ERROR, np.linalg.norm(force)]
        np.testing.assert_allclose(
            [float(number) for number in said.groups()], expected, rtol=0.02
        )
        arm.feels(NONE, atol=SETTLED)
        arm.push = 2.0 * ERROR
        arm.feels(ERROR, atol=SETTLED)
        arm.scene.status('external forces', 'estimated')


def test_it_is_refused_while_the_arm_moves_or_is_touched_or_nothing_is_estimated(
    guarded, dynamics
):
    with felt(guarded, dynamics, terms=['gravity']) as arm:
        observer = arm.scene.observer
        arm.push = np.array([0.0, 0.0, 15.0])
        arm.feels(arm.push)
        assert 'wrist is 15 N m' in observer.refusal(*ZERO)
        arm.push = NONE
        arm.feels(NONE)
        arm.scene.driver.v[0] = 0.5
        assert 'arm moves: turn' in observer.refusal(*ZERO)
        arm.scene.driver.effort = lambda: None
        arm.scene.status('external forces', 'is not measured')
        assert 'estimated: effort of turn' in observer.refusal(*ZERO)
        arm.scene.set(external_observer=False)
        assert 'set external_observer: true' in observer.refusal(*ZERO)
        assert 'set external_observer: true' in observer.refusal(*LEARN, duration=20.0)


def test_nothing_is_taken_off_while_somebody_leans_on_the_arm(guarded, dynamics):
    """Steady, and within the bound of the effort limits: only the thresholds can tell."""
    with felt(guarded, dynamics, **THRESHOLDS) as arm:
        arm.ready()
        arm.push = np.array([0.0, 8.0, 0.0])
        arm.touched(Contact.KIND_PUSH)
        refusal = arm.scene.observer.refusal(*ZERO)
        assert 'external torque of slide' in refusal
        assert 'nothing may touch' in refusal
        assert not arm.estimate.tare.torque.any()


def test_another_source_takes_nothing_off_and_says_so(guarded, dynamics, capfd):
    with felt(guarded, dynamics, state_timeout=1.0) as arm:
        arm.push = ERROR
        arm.take_off()
        arm.scene.set(external_from='commanded')
        arm.scene.set(external_from='measured')
        arm.feels(ERROR)
    assert 'external_from was changed: what ~/zero_external' in capfd.readouterr().err


def test_thresholds_are_learnt_from_what_comes_and_used_at_once(guarded, dynamics, monkeypatch):
    monkeypatch.setattr(external_torques, 'SHORTEST', 1.0)
    # The wrist has no noise: nothing of it tells of other poses.
    random, noise = np.random.default_rng(0), np.array([0.2, 1.0, 0.0])
    given = {'state_timeout': 10.0, 'external_bandwidth': [2.0], 'threshold_margin': 1.5}
    with felt(guarded, dynamics, **given) as arm:
        hasten(arm.scene.driver)
        compute, computing, go_on = external_torques.learned_thresholds, Event(), Event()

        def awaited(*given, **named):
            assert named['margin'] == 1.5
            computing.set()
            assert go_on.wait(10.0)
            return compute(*given, **named)

        monkeypatch.setattr(external_torques, 'learned_thresholds', awaited)
        # Several states in each cell of the learning.
        arm.scene.driver.period = 0.003
        arm.scene.driver.effort = lambda: arm.gravity + random.uniform(-noise, noise)
        arm.feels(NONE, atol=2.0)
        request = {'duration': 2.5, 'false_alarms_per_hour': 1.0}
        observer = arm.scene.observer
        client = observer.node.create_client(LearnThresholds, '/robot_dynamics/learn_thresholds')
        observer.until(client.service_is_ready, 'the service')
        answer = client.call_async(LearnThresholds.Request(**request))
        observer.until(computing.is_set, 'the computation')
        # Other services are answered meanwhile: it runs in a thread.
        assert observer.call(GetGravity, '/robot_dynamics/get_gravity').success
        assert not answer.done()
        go_on.set()
        observer.until(answer.done, 'its answer')
        response = answer.result()
        assert response.success, response.message
        assert 'learn from 60 s' in response.message
        # The arm stands still.
        assert 'speed of turn, slide, wrist below 0.01' in response.message
        assert list(response.joint_names) == ['turn', 'slide', 'wrist']
        for kind in ('collision', 'push'):
            learnt = np.array(getattr(response, f'{kind}_threshold'))
            assert (learnt > 0.0).all()
            # Of the size of the noise: it is averaged, and the rare level is above what came.
            assert (learnt < 10.0 * noise)[:2].all()
            assert learnt[2] == threshold_floor(dynamics.model.effort_limits)[2]
            used = arm.scene.node.get_parameter(f'{kind}_threshold').value
            np.testing.assert_array_equal(used, learnt)
        assert arm.estimate.contact.detects
        assert arm.estimate.collection.tap is None


def test_requests_that_cannot_be_answered_are_refused(guarded, dynamics):
    with felt(guarded, dynamics, state_timeout=1.0) as arm:
        arm.feels(NONE)
        client = arm.scene.observer.node.create_client(Trigger, '/robot_dynamics/zero_external')
        arm.scene.observer.until(client.service_is_ready, 'the service')
        first = client.call_async(Trigger.Request())
        arm.scene.observer.until(lambda: arm.estimate.collection.tap is not None, 'the first call')
        refusal = arm.scene.observer.refusal
        assert 'another call' in refusal(*LEARN, duration=20.0)
        assert re.search(r'duration.* 5\.0 s.* 12 .* 3600 s', refusal(*LEARN, duration=5.0))
        assert 'duration is nan s' in refusal(*LEARN, duration=np.nan)
        wrong = {'duration': 20.0, 'false_alarms_per_hour': -1.0}
        assert 'false_alarms_per_hour is -1.0' in refusal(*LEARN, **wrong)
        arm.scene.set(external_observer=False)
        arm.scene.observer.until(first.done, 'its answer')
        assert 'switched off' in first.result().message


def test_a_second_call_is_refused_at_once_and_the_first_goes_on(guarded, dynamics, monkeypatch):
    monkeypatch.setattr(external_torques, 'SHORTEST', 1.0)
    with felt(guarded, dynamics, state_timeout=1.0) as arm:
        arm.feels(NONE)
        observer = arm.scene.observer
        client = observer.node.create_client(LearnThresholds, '/robot_dynamics/learn_thresholds')
        observer.until(client.service_is_ready, 'the service')
        first = client.call_async(LearnThresholds.Request(duration=2.0))
        observer.until(lambda: arm.estimate.collection.tap is not None, 'the first call')
        tap = arm.estimate.collection.tap
        for service in (LEARN, ZERO):
            given = {'duration': 2.0} if service is LEARN else {}
            assert 'another call of ~/zero_external' in observer.refusal(*service, **given)
            assert not first.done()
            assert arm.estimate.collection.tap is tap
        observer.until(first.done, 'its answer')
        # Of 2 s, no thresholds can be learnt; the next call is taken.
        assert 'contact: take' in first.result().message
        assert observer.call(Trigger, '/robot_dynamics/zero_external').success


def heavier(arm):
    load = {'frame': 'hand', 'inertia': Inertia(m=0.1)}
    assert arm.scene.observer.call(SetPayload, '/robot_dynamics/set_payload', **load).success


@pytest.mark.parametrize(
    ('change', 'what'),
    [
        (lambda arm: arm.scene.set(external_from='commanded'), 'external_from'),
        (lambda arm: arm.scene.set(gravity=[0.0, 0.0, -9.7]), 'gravity'),
        (heavier, 'payload'),
    ],
    ids=['source', 'gravity', 'payload'],
)
def test_thresholds_are_not_learnt_from_estimates_of_two_kinds(guarded, dynamics, change, what):
    """Refused soon, not after the hour of the request."""
    with felt(guarded, dynamics, state_timeout=1.0) as arm:
        arm.feels(NONE)
        observer = arm.scene.observer
        client = observer.node.create_client(LearnThresholds, '/robot_dynamics/learn_thresholds')
        observer.until(client.service_is_ready, 'the service')
        answer = client.call_async(LearnThresholds.Request(duration=3600.0))
        observer.until(lambda: arm.estimate.collection.tap is not None, 'the call')
        change(arm)
        observer.until(answer.done, 'its answer')
        assert 'changed meanwhile: call' in answer.result().message
        assert arm.estimate.collection.tap is None
        assert not arm.estimate.contact.detects
