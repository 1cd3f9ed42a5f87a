"""Torque comes and goes smoothly, and ends on the documented command."""

import numpy as np
import pytest
from fake_controller import FakeController
from guard_scene import MACHINE
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from references import point, trajectory
from std_srvs.srv import SetBool
from three_joints import JOINTS, state

from robot_dynamics_interfaces.srv import GetGravity
from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.ros.loop import WAIT_TIMEOUT

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
FADE = 0.3


def change(scene, transition):
    response = scene.observer.call(
        ChangeState, '/robot_dynamics/change_state', transition=Transition(id=transition)
    )
    assert response.success


def begin_deactivation(scene):
    """The future of its answer."""
    client = scene.observer.node.create_client(ChangeState, '/robot_dynamics/change_state')
    scene.observer.until(client.service_is_ready, 'the service')
    wanted = Transition(id=Transition.TRANSITION_DEACTIVATE)
    return client.call_async(ChangeState.Request(transition=wanted))


def enable(scene, wanted):
    response = scene.observer.call(SetBool, '/robot_dynamics/enable', data=wanted)
    assert response.success, response.message
    return response.message


def test_activation_follows_the_formula(guarded, dynamics):
    """command = s torque with s = 3 x^2 - 2 x^3, from zero, over the second of the default."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(state_timeout=2.0) as scene:
        scene.settle(torque)
        times, commands = scene.recording.since(0.0)
    assert not commands[0].any()
    shares = commands / torque
    np.testing.assert_allclose(shares, shares[:, :1] * [1.0, 1.0, 1.0], atol=1e-9)
    assert (np.diff(shares[:, 0]) >= 0.0).all()
    x = np.clip(times - times[0], 0.0, 1.0)
    # The greatest slope of s is 1.5: that much a command that is received late is off. In a pause
    # of the machine all are.
    errors = np.abs(shares[:, 0] - x * x * (3.0 - 2.0 * x))
    assert np.median(errors) < 1.5 * 0.05
    assert errors.max() < 1.5 * (0.05 + MACHINE)
    assert times[-1] - times[0] < 1.0 + 2 * WAIT_TIMEOUT + MACHINE


@pytest.mark.parametrize('on_stop', ['zero', 'hold'])
def test_deactivation_ends_on_the_documented_command(guarded, dynamics, on_stop):
    last = dynamics.gravity_torque(Q) if on_stop == 'hold' else np.zeros(3)
    with guarded(fade_time=FADE, on_stop=on_stop) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        change(scene, Transition.TRANSITION_DEACTIVATE)
        scene.settle(last)
        scene.check_silent()
        change(scene, Transition.TRANSITION_ACTIVATE)
        scene.settle(dynamics.bias_torque(Q, V))


@pytest.mark.contract
def test_services_are_answered_during_the_fade_of_a_deactivation(guarded, dynamics):
    with guarded(fade_time=FADE) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.set(fade_time=3.0)
        deactivation = begin_deactivation(scene)
        before = len(scene.recording)
        scene.observer.until(lambda: len(scene.recording) > before + 5, 'commands of the fade')
        answer = scene.observer.call(GetGravity, '/robot_dynamics/get_gravity', state=state(Q))
        assert answer.success
        assert not deactivation.done()
        scene.observer.until(deactivation.done, 'the end of the fade')
        assert deactivation.result().success
        scene.settle(np.zeros(3))
        scene.check_silent()


def test_a_controller_that_is_lost_ends_the_fade_of_a_deactivation(guarded, dynamics):
    with guarded(fade_time=FADE, start=False, controller='/effort_controller') as scene:
        controller = FakeController(scene, list(JOINTS))
        scene.observer.until(
            lambda: 'effort_controller' in scene.node.get_node_names(), 'the controller'
        )
        scene.node.start()
        controller.tell()
        scene.settle(dynamics.bias_torque(Q, V))
        scene.set(fade_time=60.0)
        deactivation = begin_deactivation(scene)
        controller.switch('inactive')
        scene.observer.until(deactivation.done, 'the end of the fade')
        assert deactivation.result().success
        assert scene.recording.last.any()


@pytest.mark.parametrize('on_stop', ['zero', 'hold'])
def test_enable_fades_the_torque_out_and_in(guarded, dynamics, on_stop):
    last = dynamics.gravity_torque(Q) if on_stop == 'hold' else np.zeros(3)
    with guarded(fade_time=FADE, on_stop=on_stop) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        assert f'(on_stop={on_stop})' in enable(scene, False)
        scene.settle(last)
        scene.observer.until(lambda: scene.guard.mode is Mode.SILENT, 'silence')
        scene.check_silent()
        scene.status('model', 'torque disabled')
        counters = scene.node.topic_counters['reference']
        scene.observer.reference.publish(trajectory(point(Q)))
        scene.observer.until(lambda: counters.rejected == 1, 'refusal')
        assert 'torque is disabled' in counters.last_reason
        enable(scene, True)
        scene.settle(dynamics.bias_torque(Q, V))


def test_a_robot_that_is_stale_can_be_stopped(guarded):
    """The last command is reached although no state comes."""
    with guarded(fade_time=FADE) as scene:
        scene.wait_for_states()
        scene.driver.pause()
        scene.observer.until(lambda: scene.guard.mode is Mode.HOLD, 'hold')
        change(scene, Transition.TRANSITION_DEACTIVATE)
        scene.settle(np.zeros(3))
        assert scene.guard.mode is Mode.SILENT
