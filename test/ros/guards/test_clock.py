"""Simulated time that is set back, as when a simulation starts again."""

import time

from builtin_interfaces.msg import Time
from references import follow, point, trajectory
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QR, VR, AR = [0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]


class SimulatedTime:
    """A publisher of /clock that can be set."""

    def __init__(self, node, seconds):
        self.set(seconds)
        self._publisher = node.create_publisher(Clock, '/clock', 10)
        node.create_timer(0.01, self._publish)

    def set(self, seconds):
        self._zero = time.monotonic() - seconds

    def _publish(self):
        total = round(1e9 * (time.monotonic() - self._zero))
        stamp = Time(sec=total // 10**9, nanosec=total % 10**9)
        self._publisher.publish(Clock(clock=stamp))


def test_what_must_go_on_goes_on_without_simulated_time(guarded, dynamics):
    """Whoever publishes /clock is gone, or was never there."""
    with guarded(use_sim_time=True, fade_time=0.2) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        publisher = scene.observer.node.create_publisher(
            Float64MultiArray, '/robot_dynamics/commands', 10
        )
        scene.status('commands', 'other publisher')
        scene.observer.node.destroy_publisher(publisher)
        scene.status('commands', 'within the limits')


def test_a_clock_that_is_set_back_ends_the_reference_and_resets_the_stamps(
    guarded, dynamics, capfd
):
    free, following = dynamics.bias_torque(Q, V), dynamics.inverse_dynamics(QR, VR, AR)
    with guarded(
        use_sim_time=True, fade_time=0.2, reference_timeout=60.0, reference_tolerance=[1.5]
    ) as scene:
        scene.driver.step = None
        clock = SimulatedTime(scene.observer.node, 1000.0)
        scene.settle(free)
        follow(scene.node, scene.observer, trajectory(point(QR, VR, AR)))
        scene.settle(following)
        capfd.readouterr()
        clock.set(5.0)
        scene.settle(free)
        scene.status('joint_states', '0 rejected')
        assert 'clock was set' in capfd.readouterr().err
        follow(scene.node, scene.observer, trajectory(point(QR, VR, AR)))
        scene.settle(following)
