"""Two publishers on the command topic of one robot."""

import os
import subprocess
import sys
from pathlib import Path

from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.demo.processes import profile_variable

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
TOPIC = '/robot_dynamics/commands'
CONFIG = Path(__file__).parents[2] / 'config' / 'fastdds.xml'


def intrude(scene):
    """Another publisher, which the node has discovered."""
    publisher = scene.node.create_publisher(Float64MultiArray, TOPIC, 10)
    scene.until(lambda: scene.robot.count_publishers(TOPIC) == 2, 'discovery')
    return publisher


def test_it_does_not_begin_while_another_publishes_and_goes_on_when_one_comes(guarded, dynamics):
    """The robot would fall if we ceased."""
    with guarded(start=False) as scene:
        other = intrude(scene)
        scene.robot.start()
        scene.until_silent()
        assert len(scene.recording) == 0
        scene.shows('other_publishers')
        assert scene.figures('commands')['other publishers'] == '1'
        scene.node.destroy_publisher(other)
        scene.settle(dynamics.bias_torque(Q, V))
        scene.gone('other_publishers')
        intrude(scene)
        scene.shows('other_publishers')
        scene.next_commands(20)


PREDECESSOR = f"""
import rclpy
from std_msgs.msg import Float64MultiArray
rclpy.init()
node = rclpy.create_node('robot_dynamics')
node.create_publisher(Float64MultiArray, '{TOPIC}', 10)
rclpy.spin(node)
"""


def names_of_publishers(node):
    return [info.node_name for info in node.get_publishers_info_by_topic(TOPIC)]


def test_a_publisher_that_is_killed_after_its_discovery_is_waited_for_until_its_lease_ends(
    guarded, dynamics
):
    """The middleware does not hear of its end: config/fastdds.xml says for how long.

    The guarded node runs before the kill. One that is started after it may never discover the
    dead process, and then does not wait (docs/safety.md).
    """
    with guarded(start=False) as scene:
        domain = str(scene.robot.context.get_domain_id())
        profile = {profile_variable(): str(CONFIG), 'ROS_DOMAIN_ID': domain}
        killed = subprocess.Popen([sys.executable, '-c', PREDECESSOR], env=os.environ | profile)
        name = scene.robot.get_name()
        # An endpoint may be discovered before the name of its node.
        scene.until(lambda: names_of_publishers(scene.robot) == [name, name], 'discovery')
        scene.robot.start()
        killed.kill()
        killed.wait()
        scene.shows('other_publishers')
        scene.until_silent()
        scene.until(lambda: scene.robot.count_publishers(TOPIC) == 1, 'the lease')
        scene.settle(dynamics.bias_torque(Q, V))
