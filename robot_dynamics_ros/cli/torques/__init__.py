"""`robot_dynamics torques`.

Modules::

    torques_command  the subcommand
    torque_targets   the files that are written
    torques_task     the torques along one recording
"""
