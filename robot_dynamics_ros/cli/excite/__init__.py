"""The subcommand excite: a motion for identification.

Modules::

    excite_command     options, and the files that are written
    excitation_tables  figures of merit as tables and JSON
    instructions       how to play and to record the motion
"""
