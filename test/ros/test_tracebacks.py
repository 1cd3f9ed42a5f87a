"""An error of the package itself is logged with its traceback, a mistake of a user without."""

import numpy as np
import pytest
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn
from three_joints import state

from robot_dynamics_interfaces.srv import GetMassMatrix
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.ros.configuration import Configuration
from robot_dynamics_ros.ros.node import DynamicsNode

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def fail_on_purpose(*arguments, **named):
    raise RuntimeError('on purpose')


def test_in_a_service_and_for_a_state_and_not_for_what_a_user_did(lent, monkeypatch):
    mass, at = (GetMassMatrix, 'get_mass_matrix'), state(Q, V)
    lent.refusal(*mass, state=state([1.0], names=['turn']))
    lent.states.publish(state([1.0, 2.0], names=['turn', 'turn']))
    lent.shows('states_refused')
    assert not lent.lines('Traceback')
    with monkeypatch.context() as planted:
        planted.setattr(RobotDynamics, 'mass_matrix', fail_on_purpose)
        assert 'on purpose' in lent.refusal(*mass, state=at)
    before = len(lent.lines('in fail_on_purpose'))
    assert before
    with monkeypatch.context() as planted:
        planted.setattr(GuardedFeedforward, 'command', fail_on_purpose)

        def logged():
            lent.send(at)
            return len(lent.lines('in fail_on_purpose')) > before

        lent.until(logged, 'the traceback')


@pytest.mark.parametrize(
    ('transition', 'owner', 'method', 'end'),
    [
        ('configure', Configuration, 'robot_of', 'unconfigured'),
        ('deactivate', LifecycleNode, 'on_deactivate', 'unconfigured'),
        ('shutdown', DynamicsNode, '_clear_robot', 'finalized'),
    ],
)
def test_in_a_transition(guarded, dynamics, monkeypatch, transition, owner, method, end):
    """The torque fades to the final command as without the error, and no other follows."""
    with guarded(start=False) as scene:
        if transition != 'configure':
            scene.trigger('configure', 'activate')
            scene.settle(dynamics.bias_torque(Q, V))
        monkeypatch.setattr(owner, method, fail_on_purpose)
        result = getattr(scene.robot, f'trigger_{transition}')()
        monkeypatch.undo()
        assert result == TransitionCallbackReturn.ERROR
        assert scene.robot._state_machine.current_state[1] == end
        assert scene.robot.ended is (end == 'finalized')
        if transition != 'configure':
            scene.settle(np.zeros(3))
        scene.logs('in fail_on_purpose')
