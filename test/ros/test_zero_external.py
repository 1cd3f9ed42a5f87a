"""`~/zero_external`: answers, refusals, and what it changes."""

import re

import numpy as np
from std_srvs.srv import Trigger

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_ros.control.external.wrench import estimated_wrench

Q, NONE = [0.3, 0.1, -0.7], np.zeros(3)
ERROR = np.array([0.5, -3.0, 0.4])
# The estimate had 5 lags to rise: 0.7 % of it is missing.
SETTLED = 0.03
ZERO = Trigger, 'zero_external'
THRESHOLDS = {'collision_threshold': [5.0, 5.0, 1.0], 'push_threshold': [5.0, 5.0, 1.0]}


def test_what_the_model_does_not_know_is_taken_off_at_rest(felt, dynamics):
    with felt() as arm:
        arm.push = ERROR
        arm.feels(ERROR)
        response = arm.scene.call(*ZERO)
        assert response.success, response.message
        said = re.search(
            r'turn (\S+) N m, slide (\S+) N, wrist (\S+) N m, .* (\S+) N', response.message
        )
        assert said, response.message
        # How large that is, for whoever called it: by the smallest force on the tip.
        jacobian = dynamics.jacobian(Q, 'hand', 'LOCAL')
        force = estimated_wrench(jacobian, ERROR, np.array([False, True, False])).wrench[:3]
        expected = [*ERROR, np.linalg.norm(force)]
        np.testing.assert_allclose([float(each) for each in said.groups()], expected, rtol=0.02)
        arm.feels(NONE, atol=SETTLED)
        arm.push = 2.0 * ERROR
        arm.feels(ERROR, atol=SETTLED)
        # Of another gravity nothing is taken off any more.
        arm.scene.set(gravity=[0.0, 0.0, -9.7])
        arm.scene.set(gravity=[0.0, 0.0, -9.81])
        arm.feels(2.0 * ERROR, atol=SETTLED)
        arm.scene.shows('tare_dropped')


def test_it_is_refused_while_the_arm_moves_or_is_touched_or_nothing_is_estimated(felt):
    with felt(terms=['gravity'], **THRESHOLDS) as arm:
        # Steady, and within the bound of the effort limits: only the thresholds can tell.
        arm.ready()
        arm.push = np.array([0.0, 7.0, 0.0])
        arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
        assert 'slide' in arm.scene.refusal(*ZERO)
        arm.feels(arm.push)
        arm.scene.set(collision_threshold=[], push_threshold=[])
        arm.push = np.array([0.0, 0.0, 15.0])
        arm.feels(arm.push)
        assert 'wrist is 15 N m' in arm.scene.refusal(*ZERO)
        arm.push = NONE
        arm.feels(NONE)
        arm.scene.driver.v[0] = 0.5
        assert 'moves: turn' in arm.scene.refusal(*ZERO)
        arm.scene.driver.effort = lambda: None
        arm.scene.shows('no_external_torques')
        assert 'effort of turn' in arm.scene.refusal(*ZERO)
        arm.scene.set(external_observer=False)
        assert 'external_observer' in arm.scene.refusal(*ZERO)


def begin(arm):
    """A call that averages, for as long as the driver pauses."""
    client = arm.scene.observer.node.create_client(Trigger, '/robot_dynamics/zero_external')
    arm.scene.until(client.service_is_ready, 'the service')
    arm.scene.driver.pause()
    answer = client.call_async(Trigger.Request())
    tare = arm.scene.guard.external.tare
    arm.scene.until(lambda: tare.averaging, 'the first call')
    return answer


def test_a_second_call_is_refused_at_once_and_the_mean_is_of_one_estimate(felt):
    with felt(state_timeout=60.0) as arm:
        arm.feels(NONE)
        first = begin(arm)
        assert 'another call' in arm.scene.refusal(*ZERO)
        assert not first.done()
        arm.scene.driver.resume()
        arm.scene.until(first.done, 'its answer')
        assert first.result().success
        answer = begin(arm)
        arm.scene.set(gravity=[0.0, 0.0, -9.7])
        arm.scene.driver.resume()
        arm.scene.until(answer.done, 'its answer')
        assert not answer.result().success
