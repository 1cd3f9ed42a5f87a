"""`robot_dynamics contacts` and `robot_dynamics thresholds`.

Modules::

    contacts_command    contacts: what touched the robot in recordings
    thresholds_command  thresholds: from recordings without contact
    watch_options       options of both
    watch_tasks         a task for each recording
    watch_parameters    what parameter files of dynamics_node say of friction and thresholds
    threshold_file      thresholds as a parameter file
    contact_tables      results as text for a terminal
"""
