"""`robot_dynamics identify`.

Modules::

    identify_command       the subcommand
    effort_options         what the efforts are, and what is estimated
    identify_run           from the recordings to the result
    payload_command        --payload: what a link carries
    surveys                which recordings can be used, and how each is divided
    identify_setup         what all tasks share
    identify_sources       the recordings, read again and again: here, or by tasks
    identify_tasks         what is done with one recording, by any process
    identification_tables  the result as text for a terminal
    written_results        what is written, and what speaks against it
"""
