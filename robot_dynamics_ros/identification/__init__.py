"""Identification of a robot from recordings: equations, what they can tell, estimates.

Modules::

    parameters/     the columns of the regressor: names, units, nominal values
    regression/     filtered equations of recordings, and their reduction by QR
    observability/  base parameters, rank, condition, excitation
    estimation/     weighted and robust estimates
    consistency/    estimates that a real robot can have
    payload/        what a link carries
    excitation/     motions that tell much, within the limits of the robot
"""
