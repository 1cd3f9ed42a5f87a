"""The command `robot_dynamics`, which needs no ROS: one file a subcommand, and what they share."""

from robot_dynamics_ros.written_file import write_folder

__all__ = ['write_folder']
