"""A driver that adds gravity itself is found out from the measured effort."""

from diagnostic_msgs.msg import DiagnosticStatus

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def test_gravity_added_by_the_driver_is_warned_of_and_equal_efforts_are_not(guarded, dynamics):
    gravity = dynamics.gravity_torque(Q)
    with guarded(fade_time=0.2) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.driver.effort = lambda: scene.recording.last
        status = scene.status('driver gravity', 'does not appear')
        assert status.level == DiagnosticStatus.OK

        scene.driver.effort = lambda: scene.recording.last + gravity
        status = scene.status('driver gravity', 'remove gravity from')
        assert status.level == DiagnosticStatus.WARN

        # The advice helps: then the measured effort is right.
        scene.set(terms=['coriolis', 'inertial'])
        scene.settle(dynamics.bias_torque(Q, V) - gravity)
        scene.status('driver gravity', 'terms does not contain gravity')
