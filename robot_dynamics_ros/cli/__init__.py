"""The command `robot_dynamics`, which needs no ROS.

Modules::

    command_line      the group of subcommands, its errors and exit codes
    description_file  the robot of a URDF or xacro file
    export_command    export-c: the dynamics of a robot in C99
    written_folder    a folder that is written as a whole
"""

from .written_folder import write_folder

__all__ = ['write_folder']
