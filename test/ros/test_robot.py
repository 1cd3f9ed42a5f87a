"""What outlives a robot that is cleaned up: its last command, and a person's decision."""

import numpy as np
import pytest
from std_srvs.srv import SetBool

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


@pytest.mark.parametrize('on_stop', ['hold', 'zero'])
def test_commands_go_on_from_the_last_one_after_cleanup(guarded, dynamics, on_stop):
    """The recording, which checks each step, would see a leap."""
    with guarded(fade_time=0.2, on_stop=on_stop) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        for transition in (scene.node.trigger_deactivate, scene.node.trigger_cleanup):
            transition()
        last = scene.recording.last.copy()
        assert last.any() == (on_stop == 'hold')
        scene.node.trigger_configure()
        np.testing.assert_array_equal(scene.node.robot_holder.require().guard.effort, last)
        scene.node.trigger_activate()
        scene.settle(dynamics.bias_torque(Q, V))


def test_what_a_person_has_disabled_stays_so(guarded, dynamics):
    with guarded(fade_time=0.1) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        assert scene.observer.call(SetBool, '/robot_dynamics/enable', data=False).success
        for step in ('deactivate', 'cleanup', 'configure', 'activate'):
            getattr(scene.node, f'trigger_{step}')()
        sent = len(scene.recording)
        scene.wait_for_states(20)
        assert len(scene.recording) == sent
        assert scene.observer.call(SetBool, '/robot_dynamics/enable', data=True).success
        scene.settle(dynamics.bias_torque(Q, V))
