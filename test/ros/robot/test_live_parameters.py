"""A change of parameters: read outside of the lock of the loop, in order, and logged."""

import threading

import pytest
from fed_node import fed_node
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from three_joints import URDF
from waiting import wait_until

from robot_dynamics_ros.ros.parameters import node_parameters

LIMIT = 10.0
Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


@pytest.fixture
def during_read(monkeypatch):
    """Sets what is done while parameters are read: after the values, before their return."""
    real = node_parameters.read
    actions = []

    def read(*arguments):
        values = real(*arguments)
        # Not again by what the action itself sets, nor for the check before a change.
        if actions and len(arguments) == 1:
            actions.pop()()
        return values

    monkeypatch.setattr(node_parameters, 'read', read)
    return actions.append


def fade_time_of(robot):
    return robot.guard.settings.fade_time


def test_states_are_answered_while_parameters_are_read(guarded, dynamics, during_read):
    with guarded(fade_time=0.1) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        answered = []

        def wait_for_commands():
            counters = scene.node.topic_counters['joint_states']
            used = counters.used
            scene.observer.wait(lambda: counters.used >= used + 5, 'answers')
            answered.append(counters.used - used)

        during_read(wait_for_commands)
        scene.set(fade_time=0.5)
        assert answered
        assert scene.guard.settings.fade_time == 0.5


def test_a_later_change_is_not_overtaken(graph, during_read):
    """While the values of the first are read, a second thread sets another one."""
    with graph(robot_description=URDF) as (node, _):
        second = threading.Thread(
            target=node.set_parameters, args=([Parameter('fade_time', value=0.2)],)
        )

        def set_again():
            second.start()
            wait_until(
                lambda: node.get_parameter('fade_time').value == 0.2,
                'the second change',
                LIMIT,
                lambda: second.join(0.01),
            )
            # Time to overtake, if it can.
            second.join(0.3)

        during_read(set_again)
        node.set_parameters([Parameter('fade_time', value=0.1)])
        second.join(LIMIT)
        assert fade_time_of(node.robot_holder.require()) == 0.2


def test_a_list_of_numbers_is_logged_as_it_is_written(capfd):
    # As it comes by service.
    message = Parameter('gravity', value=[0.0, 0.0, 9.81]).to_parameter_msg()
    with fed_node() as node:
        assert node.set_parameters([Parameter.from_parameter_msg(message)])[0].successful
    assert 'gravity is now [0.0, 0.0, 9.81]' in capfd.readouterr().err


@pytest.mark.parametrize('atomically', [False, True])
@pytest.mark.parametrize(
    ('name', 'reason'),
    [
        ('state_timeot', 'unknown parameter state_timeot (did you mean state_timeout?)'),
        ('colour', 'unknown parameter colour: '),
        ('locked_joints.finger', 'locked_joints.finger cannot be added'),
    ],
)
def test_an_unknown_parameter_is_refused_by_its_name(graph, atomically, name, reason):
    """By the service, as `ros2 param set` asks for it; nothing else of the request is set."""
    changes = [Parameter(name, value=0.2), Parameter('fade_time', value=0.7)]
    messages = [change.to_parameter_msg() for change in changes]
    with graph(robot_description=URDF) as (node, observer):
        if atomically:
            service = SetParametersAtomically, '/robot_dynamics/set_parameters_atomically'
            result = observer.call(*service, parameters=messages).result
        else:
            service = SetParameters, '/robot_dynamics/set_parameters'
            result = observer.call(*service, parameters=messages[:1]).results[0]
        assert not result.successful
        assert result.reason.startswith(reason)
        assert node.get_parameter('fade_time').value == 0.0
