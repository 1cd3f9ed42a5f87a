"""An error of the package itself is logged with its traceback, a mistake of a user without."""

import numpy as np
import pytest
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from three_joints import URDF, state

from robot_dynamics_interfaces.srv import GetMassMatrix
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.ros.configuration import Configuration
from robot_dynamics_ros.ros.controller import Controller
from robot_dynamics_ros.ros.node import DynamicsNode
from robot_dynamics_ros.ros.robot import CommandedRobot

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def fail_on_purpose(*arguments, **named):
    raise RuntimeError('on purpose')


def test_in_a_service_and_not_for_what_a_user_did(graph, monkeypatch):
    with graph(robot_description=URDF) as (_, observer):
        observer.refusal(GetMassMatrix, 'get_mass_matrix', state=state([1.0], names=['turn']))
        observer.states.publish(state([1.0, 2.0], names=['turn', 'turn']))
        observer.shows('states_refused')
        assert not observer.lines('Traceback')
        monkeypatch.setattr(RobotDynamics, 'mass_matrix', fail_on_purpose)
        assert 'on purpose' in observer.refusal(
            GetMassMatrix, 'get_mass_matrix', state=state(Q, V)
        )
        assert observer.lines('in fail_on_purpose')


@pytest.mark.parametrize('method', ['take', 'command'])
def test_in_the_answer_to_a_state(graph, monkeypatch, method):
    with graph(robot_description=URDF) as (_, observer):
        monkeypatch.setattr(CommandedRobot, method, fail_on_purpose)

        def logged():
            observer.states.publish(state(Q, V))
            return observer.lines('in fail_on_purpose')

        observer.until(logged, 'the traceback')


@pytest.mark.parametrize(
    ('transition', 'owner', 'method', 'end'),
    [
        ('configure', Configuration, 'robot_of', 'unconfigured'),
        ('activate', Controller, 'begin', 'unconfigured'),
        ('deactivate', LifecycleNode, 'on_deactivate', 'unconfigured'),
        ('cleanup', DynamicsNode, '_clear_robot', 'finalized'),
        ('shutdown', DynamicsNode, '_clear_robot', 'finalized'),
    ],
)
def test_in_a_transition(guarded, dynamics, monkeypatch, transition, owner, method, end):
    """The torque fades to the final command as without the error, and no other follows."""
    with guarded(start=False) as scene:
        if transition != 'configure':
            scene.trigger('configure')
        commanded = transition in ('deactivate', 'shutdown')
        if commanded:
            scene.trigger('activate')
            scene.settle(dynamics.bias_torque(Q, V))
        monkeypatch.setattr(owner, method, fail_on_purpose)
        result = getattr(scene.node, f'trigger_{transition}')()
        monkeypatch.undo()
        assert result == TransitionCallbackReturn.ERROR
        assert scene.node._state_machine.current_state[1] == end
        assert scene.node.ended is (end == 'finalized')
        if commanded:
            scene.settle(np.zeros(3))
        scene.logs('in fail_on_purpose')
