"""`~/learn_thresholds` while something touches the arm: refused, or named in the answer."""

import numpy as np
import pytest
from felt_node import NONE, THRESHOLDS, felt, hasten

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_interfaces.srv import LearnThresholds
from robot_dynamics_ros.ros.services import external_torques

LEAN = np.array([0.0, 8.0, 0.0])


def ask(arm, duration):
    """Call the service, and wait until it learns; the answer to come."""
    observer = arm.scene.observer
    client = observer.node.create_client(LearnThresholds, '/robot_dynamics/learn_thresholds')
    observer.until(client.service_is_ready, 'the service')
    answer = client.call_async(LearnThresholds.Request(duration=duration))
    observer.until(
        lambda: arm.estimate.collection.tap is not None or answer.done(), 'the estimates'
    )
    return answer


def awaited(arm, answer):
    arm.scene.observer.until(answer.done, 'the answer')
    return answer.result()


@pytest.mark.parametrize('lasting', [True, False], ids=['before the call', 'for a moment'])
def test_nothing_is_learnt_from_a_contact_that_the_node_detects(guarded, dynamics, lasting):
    """Refused soon, not after the hour of the request; the thresholds in use stay."""
    with felt(guarded, dynamics, **THRESHOLDS) as arm:
        arm.ready()
        if lasting:
            arm.push = LEAN
            arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
        answer = ask(arm, 3600.0)
        if not lasting:
            arm.push = LEAN
            arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
            arm.push = NONE
        response = awaited(arm, answer)
        assert not response.success
        assert 'slider: ' in response.message
        assert 'thresholds are learned' in response.message
        assert 'set collision_threshold and push_threshold to []' in response.message
        assert arm.estimate.collection.tap is None
        for name, values in THRESHOLDS.items():
            assert list(arm.scene.node.get_parameter(name).value) == values
        # What the refusal asks for: then it learns.
        arm.push = NONE
        arm.feels(NONE)
        arm.scene.set(collision_threshold=[], push_threshold=[])
        answer = ask(arm, 3600.0)
        arm.scene.wait_for_states(20)
        assert not answer.done()


@pytest.mark.parametrize('torque', [0.0, 15.0, 30.0])
def test_without_thresholds_the_effort_limits_tell_of_a_touch(
    guarded, dynamics, monkeypatch, torque
):
    """The wrist has a limit of 20 N m: a tenth of that is 2 N m."""
    monkeypatch.setattr(external_torques, 'SHORTEST', 1.0)
    given = {'state_timeout': 10.0, 'external_bandwidth': [2.0]}
    with felt(guarded, dynamics, **given) as arm:
        hasten(arm.scene.driver)
        arm.scene.driver.period = 0.003
        arm.feels(NONE)
        arm.push = np.array([0.0, 0.0, torque])
        arm.feels(arm.push, atol=0.1)
        response = awaited(arm, ask(arm, 2.5))
        assert response.success, response.message
        at_rest = 'wrist (limit 20'
        assert (at_rest in response.message) == (torque > 2.0)
        high = 'contacts hardly exceed'
        assert (high in response.message) == (torque > 20.0)
        assert ('something touched' in response.message) == (torque > 2.0)
