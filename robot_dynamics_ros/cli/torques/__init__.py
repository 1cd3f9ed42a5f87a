"""`robot_dynamics torques`.

Modules::

    torques_command  the subcommand
    torque_targets   the files that are written
    torques_tasks    the tasks of each recording: several for a large one
    torques_task     the torques along one recording, or a part of them
"""
