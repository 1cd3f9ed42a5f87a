"""The command `robot_dynamics`, which needs no ROS.

Modules::

    command_line      the group of subcommands, its errors and exit codes
    compare           compare: measured efforts against a model
    contacts          contacts: what touched the robot
    description_file  the robot of a URDF or xacro file, of a topic or of a recording
    excite            excite: an exciting trajectory for identification
    export_c          export-c: the dynamics of a robot in C99
    identify          identify: the model of the arm that was recorded
    inspect           inspect: a robot, its loads and findings
    node_parameters   parameter files of dynamics_node
    output            what every subcommand shares: --json, --debug, exit codes, files to write
    payload           payload: what a link carries
    progress          a progress bar for work that takes longer than a second
    recorded_robot    the robot of a recording, and which of its joints were recorded
    recording_options files and options of subcommands that read recordings
    surroundings      what ROS hands to the command
    table             a table that fits the terminal
    thresholds        thresholds: from which external torque on a joint is touched
    torques           torques: the torques of a model along recordings
    validate          validate: findings and the agreement with Pinocchio, one line a file
    watching          how contacts and thresholds read recordings
"""

from robot_dynamics_ros.written_file import write_folder

__all__ = ['write_folder']
