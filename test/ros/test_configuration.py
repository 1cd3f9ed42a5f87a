"""Changes of parameters while the node runs."""

import numpy as np
import pytest
from fed_node import fed_node
from rclpy.parameter import Parameter
from three_joints import URDF

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def test_a_list_of_numbers_is_logged_as_it_is_written(capfd):
    # As it comes by service.
    message = Parameter('gravity', value=[0.0, 0.0, 9.81]).to_parameter_msg()
    with fed_node() as node:
        assert node.set_parameters([Parameter.from_parameter_msg(message)])[0].successful
    assert 'gravity is now [0.0, 0.0, 9.81]' in capfd.readouterr().err


@pytest.mark.parametrize(
    ('name', 'value', 'said'),
    [
        ('joints', ['turn'], 'read on configure'),
        ('effort_limits', [1.0, 2.0], 'effort_limits has 2 values'),
        ('external_frame', 'nose', 'nose'),
        ('gravity', [0.0, 0.0, -9.81e3], 'gravity[2] is -9810'),
    ],
)
def test_what_does_not_fit_the_robot_is_refused(graph, name, value, said):
    with graph(robot_description=URDF) as (node, _):
        before = node.get_parameter(name).value
        (result,) = node.set_parameters([Parameter(name, value=value)])
        assert not result.successful
        assert said in result.reason
        assert node.get_parameter(name).value == before


def test_changes_that_are_set_together_fit_together_or_none_is_made(graph):
    with graph(robot_description=URDF) as (node, _):
        changes = [Parameter('fade_time', value=0.5), Parameter('effort_limits', value=[1.0, 2.0])]
        assert not node.set_parameters_atomically(changes).successful
        assert node.robot_holder.require().guard.settings.fade_time == 0.0


def test_what_alters_the_torque_is_faded_in_and_nothing_else_is(guarded, dynamics):
    """The fade takes a minute: the command stays for now."""
    torque = dynamics.bias_torque(Q, V)
    with guarded(fade_time=0.1) as scene:
        scene.settle(torque)
        scene.set(fade_time=60.0, on_stop='hold', state_timeout=5.0)
        scene.wait_for_states(5)
        np.testing.assert_allclose(scene.recording.last, torque, rtol=1e-9)
        scene.set(gravity=[0.0, 0.0, 9.81])
        scene.wait_for_states(5)
        assert np.abs(scene.recording.last - torque).max() < 0.5
        assert np.abs(dynamics.bias_torque(Q, V) - torque).max() == 0.0
        scene.set(fade_time=0.1, gravity=[0.0, 0.0, -9.81])
        scene.settle(torque)
