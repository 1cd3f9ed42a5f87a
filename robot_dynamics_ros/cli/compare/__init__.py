"""`robot_dynamics compare`.

Modules::

    compare_command    the command
    compare_parts      the tasks of a comparison, and the parts of large recordings
    compare_task       what is kept of one recording, by any process
    comparison_tables  a comparison as text for a terminal
"""
