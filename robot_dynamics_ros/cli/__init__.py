"""The command `robot_dynamics`, which needs no ROS.

Modules::

    compare/          compare: measured efforts against a model
    command_line      the group of subcommands, its errors and exit codes
    description_file  the robot of a URDF or xacro file, or of a topic
    exit_codes        0 good, 1 findings, 2 wrong usage or input that cannot be used
    export_command    export-c: the dynamics of a robot in C99
    output            what every subcommand shares: --json, --debug, text, progress
    progress          a progress bar for work that takes longer than a second
    written_folder    a folder that is written as a whole
"""

from .written_folder import write_folder

__all__ = ['write_folder']
