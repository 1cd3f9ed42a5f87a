"""What outlives a robot that is cleaned up: its last command, and a person's decision."""

from std_srvs.srv import SetBool

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def test_commands_go_on_from_the_last_one_after_cleanup(guarded, dynamics):
    """The recording, which checks each step, would see a leap."""
    with guarded(fade_time=0.2, on_stop='hold') as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        for transition in (scene.node.trigger_deactivate, scene.node.trigger_cleanup):
            transition()
        scene.settle(dynamics.gravity_torque(Q))
        scene.node.trigger_configure()
        scene.node.trigger_activate()
        scene.settle(dynamics.bias_torque(Q, V))


def test_what_a_person_has_disabled_stays_so(guarded, dynamics):
    with guarded(fade_time=0.1) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        assert scene.observer.call(SetBool, '/robot_dynamics/enable', data=False).success
        for step in ('deactivate', 'cleanup', 'configure', 'activate'):
            getattr(scene.node, f'trigger_{step}')()
        scene.until_silent()
        assert scene.observer.call(SetBool, '/robot_dynamics/enable', data=True).success
        scene.settle(dynamics.bias_torque(Q, V))
