"""What `dynamics_node --help` prints."""

from __future__ import annotations

from collections.abc import Sequence

HELP = """\
usage: ros2 run robot_dynamics_ros dynamics_node --ros-args [ROS arguments]

Computes torques for a robot from its URDF and its joint states: gravity compensation, Coriolis
torque, and the feedforward of a reference. Reads the topics joint_states and robot_description,
publishes ~/commands and ~/torques, and answers services such as ~/get_mass_matrix. By default it
begins as soon as it has a description and joint states: hold the arm, or keep its brake closed.

ROS arguments:
  --params-file FILE                     parameters; copy config/robot_dynamics.yaml, which
                                         describes each
  -p NAME:=VALUE                         one parameter, such as autostart:=false
  -r '~/commands:=/TOPIC'                topic of the torques, such as
                                         /effort_controller/commands
  -r __ns:=/NAMESPACE, -r __node:=NAME   namespace and name of the node

With launch: ros2 launch robot_dynamics_ros dynamics.launch.py --show-args
Before the first torque on a real arm: docs/first_torque.md
"""


def is_asked_for(arguments: Sequence[str]) -> bool:
    """Whether --help or -h is among the arguments that are not for ROS."""
    own = arguments[: arguments.index('--ros-args')] if '--ros-args' in arguments else arguments
    return '--help' in own or '-h' in own
