"""What the rclpy of ROS 2 Jazzy does not tell."""

from guard_scene import figures

from robot_dynamics_ros.ros.polling import PolledSubscription

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]


def test_without_the_name_of_the_publisher_losses_are_not_known(guarded, dynamics, monkeypatch):
    poll = PolledSubscription.poll

    def poll_in_jazzy(subscription):
        for message, info in poll(subscription):
            info.pop('publisher_gid', None)
            yield message, info

    monkeypatch.setattr(PolledSubscription, 'poll', poll_in_jazzy)
    with guarded(fade_time=0.2) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        assert figures(scene.status('timing', 'Hz'))['lost cycles'] == 'not known'
