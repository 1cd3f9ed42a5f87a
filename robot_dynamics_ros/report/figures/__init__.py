"""What a report draws, as data that plotly and matplotlib draw alike.

Modules::

    panel          curves, panels, figures
    styles         how each role of a curve looks
    joint_parts    what a report holds of each joint
    joint_columns  the samples of one joint
    over_time      torque, residual, parts of the torque
    over_state     residual over velocity and over position
    distribution   spectrum and histogram of the residual
    decimation     fewer points without hiding a peak
"""
