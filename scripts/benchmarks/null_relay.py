"""The floor that rclpy sets: a node that answers each joint state and computes nothing."""

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.ros.loop import STATES


class NullRelay(Node):
    """Sends back the positions."""

    def __init__(self):
        super().__init__('null_relay')
        self._commands = self.create_publisher(Float64MultiArray, '~/commands', 10)
        self.create_subscription(JointState, '~/joint_states', self._on_joint_state, STATES)

    def _on_joint_state(self, message):
        self._commands.publish(Float64MultiArray(data=message.position))


def main():
    """Run until told to stop."""
    rclpy.init()
    node = NullRelay()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
