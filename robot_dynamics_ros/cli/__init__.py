"""The command `robot_dynamics`, which needs no ROS.

Modules::

    compare/          compare: measured efforts against a model
    command_line      the group of subcommands, its errors and exit codes
    contacts/         contacts: what touched the robot; thresholds: from which torque on
    description_file  the robot of a URDF or xacro file, of a topic or of a recording
    excite/           excite: a motion for identification
    exit_codes        0 good, 1 findings, 2 wrong usage or input that cannot be used
    export_command    export-c: the dynamics of a robot in C99
    files_to_write    outputs that would replace an input, or one another
    fleet_options     --scheduler, --jobs and --resume of subcommands for many recordings
    identify/         identify: the model of the arm that was recorded
    inspect_command   inspect: a robot, its loads and findings
    output            what every subcommand shares: --json, --debug, text, progress
    progress          a progress bar for work that takes longer than a second
    recorded_robot    the robot of a recording, and which of its joints were recorded
    recording_files   the files of the recordings that a command line names
    recording_options --urdf, --topic, --rename and --cutoff of subcommands that read recordings
    surroundings      what ROS hands to the command
    tables/           tables that fit the terminal; an inspected robot as tables and lines
    torques/          torques: the torques of a model along recordings
    validate_command  validate: findings and the agreement with Pinocchio, one line a file
    validated_file    what validate finds about files, examined by processes
    written_folder    files that are written into a folder as a whole
    xacro_file        a xacro file, expanded
"""

from .written_folder import write_folder

__all__ = ['write_folder']
