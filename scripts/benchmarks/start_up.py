"""A child of the bench: starts the node once, in a new process, and says how long it took."""

import json
import sys
import time

import rclpy

from robot_dynamics_ros.ros.node import DynamicsNode


def main() -> None:
    """Print, as JSON, the seconds since the parent started us, and those spent on compiling."""
    started = float(sys.argv.pop(1))
    rclpy.init(args=sys.argv)
    node = DynamicsNode()
    node.start()
    ready = time.time() - started
    robot = node.robot_holder.require()
    print(json.dumps({'ready': ready, 'compile': robot.compiled.compile_seconds}))
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
