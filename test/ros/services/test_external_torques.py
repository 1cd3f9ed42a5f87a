"""`~/zero_external`: answers, refusals, and what it changes."""

import re

import numpy as np
from captured_log import Log
from felt_node import NONE, THRESHOLDS, Q, felt
from std_srvs.srv import Trigger

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_ros.control.external.wrench import estimated_wrench

ERROR = np.array([0.5, -3.0, 0.4])
# The estimate had 5 lags to rise: 0.7 % of it is missing.
SETTLED = 0.03
ZERO = Trigger, 'zero_external'


def test_what_the_model_does_not_know_is_taken_off_at_rest(guarded, dynamics):
    with felt(guarded, dynamics) as arm:
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
        arm.push = np.array([0.0, 0.0, 15.0])
        arm.feels(arm.push)
        assert 'wrist is 15 N m' in arm.refusal()
        arm.push = NONE
        arm.feels(NONE)
        arm.scene.driver.v[0] = 0.5
        assert 'arm moves: turn' in arm.refusal()
        arm.scene.driver.effort = lambda: None
        arm.scene.status('external forces', 'is not measured')
        assert 'estimated: effort of turn' in arm.refusal()
        arm.scene.set(external_observer=False)
        assert 'set external_observer: true' in arm.refusal()


def test_nothing_is_taken_off_while_somebody_leans_on_the_arm(guarded, dynamics):
    """Steady, and within the bound of the effort limits: only the thresholds can tell."""
    with felt(guarded, dynamics, **THRESHOLDS) as arm:
        arm.ready()
        arm.push = np.array([0.0, 7.0, 0.0])
        arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
        refusal = arm.refusal()
        assert 'external torque of slide' in refusal
        assert 'nothing may touch' in refusal
        arm.feels(arm.push)


def call(arm):
    """A call of ~/zero_external that averages, for as long as the driver pauses."""
    client = arm.scene.observer.node.create_client(Trigger, '/robot_dynamics/zero_external')
    arm.scene.observer.until(client.service_is_ready, 'the service')
    arm.scene.driver.pause()
    answer = client.call_async(Trigger.Request())
    tare = arm.scene.guard.external.tare
    arm.scene.observer.until(lambda: tare.averaging, 'the first call')
    return answer


def test_a_second_call_is_refused_at_once_and_the_first_goes_on(guarded, dynamics):
    with felt(guarded, dynamics, state_timeout=60.0) as arm:
        arm.feels(NONE)
        first = call(arm)
        assert 'another call' in arm.scene.observer.refusal(*ZERO)
        assert not first.done()
        arm.scene.driver.resume()
        arm.scene.observer.until(first.done, 'its answer')
        assert first.result().success


def test_what_is_averaged_is_of_one_estimate(guarded, dynamics):
    with felt(guarded, dynamics, state_timeout=60.0) as arm:
        arm.feels(NONE)
        answer = call(arm)
        arm.scene.set(gravity=[0.0, 0.0, -9.7])
        arm.scene.driver.resume()
        arm.scene.observer.until(answer.done, 'its answer')
        assert 'interrupted' in answer.result().message


def test_of_another_gravity_nothing_is_taken_off_any_more(guarded, dynamics, capfd):
    with felt(guarded, dynamics) as arm:
        arm.push = ERROR
        arm.take_off()
        arm.scene.set(gravity=[0.0, 0.0, -9.7])
        arm.scene.set(gravity=[0.0, 0.0, -9.81])
        arm.feels(ERROR, atol=SETTLED)
        Log(capfd).until(arm.scene.observer, 'gravity was changed after ~/zero_external')
