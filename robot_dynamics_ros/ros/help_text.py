"""What `dynamics_node --help` prints."""

from __future__ import annotations

from collections.abc import Sequence

# Exit code after an argument that the node does not know, as of other commands.
WRONG_ARGUMENTS = 2

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


def refusal(arguments: Sequence[str]) -> str:
    """Why the node does not start with these arguments; empty if all of them are for ROS.

    The node has no arguments of its own: one that is ignored would leave it on defaults.

    Args:
        arguments: of the command line, without the name of the program.
    """
    # Not rclpy's remove_ros_args: it reads the parameter files, and takes NAME:=VALUE before
    # --ros-args for a remapping of old.
    unknown, for_ros = [], False
    for argument in arguments:
        if argument in ('--ros-args', '--'):
            for_ros = argument == '--ros-args'
        elif not for_ros:
            unknown.append(argument)
    if not unknown:
        return ''
    file = unknown[0].rpartition(':=')[2]
    if file.endswith(('.yaml', '.yml')):
        hint = f'for a parameter file write --ros-args --params-file {file}'
    else:
        hint = 'write --ros-args before arguments for ROS; --help lists them'
    return f'dynamics_node not started: unknown argument {unknown[0]!r}: {hint}'
