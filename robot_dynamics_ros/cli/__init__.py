"""The command `robot_dynamics`, which needs no ROS.

Modules::

    command_line      the group of subcommands, its errors and exit codes
    compare           compare: measured efforts against a model
    contacts          contacts: what touched the robot
    description_file  the robot of a URDF or xacro file, of a recording or of a topic
    excite            excite: an exciting trajectory for identification
    export_c          export-c: the dynamics of a robot in C99
    identify          identify: the model of the arm that was recorded
    inspect           inspect: a robot, its loads and findings
    output            what every subcommand shares: --json, exit codes, tables, progress, files
    payload           payload: what a link carries
    recording_options files, options and robots of subcommands that read recordings
    thresholds        thresholds: from which external torque on a joint is touched
    torques           torques: the torques of a model along recordings
    validate          validate: findings and the agreement with Pinocchio, one line a file
    watching          what contacts and thresholds share
"""

from robot_dynamics_ros.written_file import write_folder

__all__ = ['write_folder']
