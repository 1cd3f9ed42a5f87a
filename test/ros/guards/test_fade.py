"""Torque comes and goes smoothly, and ends on the documented command."""

import numpy as np
import pytest
from fake_controller import FakeController
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from references import point, trajectory
from std_srvs.srv import SetBool
from three_joints import JOINTS, state

from robot_dynamics_interfaces.srv import GetGravity

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
        scene.until_silent()


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


@pytest.mark.parametrize(
    ('way', 'on_stop'), [('deactivated', 'hold'), ('disabled', 'zero'), ('stale', 'hold')]
)
def test_torque_ends_on_the_documented_command_and_returns(guarded, dynamics, way, on_stop):
    """Stale: the last command is reached although no state comes."""
    last = dynamics.gravity_torque(Q) if on_stop == 'hold' else np.zeros(3)
    with guarded(fade_time=FADE, on_stop=on_stop) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        if way == 'stale':
            scene.driver.pause()
        if way == 'disabled':
            assert f'(on_stop={on_stop})' in enable(scene, False)
        else:
            change(scene, Transition.TRANSITION_DEACTIVATE)
        scene.settle(last)
        scene.until_silent()
        if way == 'disabled':
            scene.status('model', 'torque disabled')
            scene.observer.reference.publish(trajectory(point(Q)))
            scene.status('reference', 'torque is disabled')
            enable(scene, True)
        else:
            scene.driver.resume()
            change(scene, Transition.TRANSITION_ACTIVATE)
        scene.settle(dynamics.bias_torque(Q, V))
