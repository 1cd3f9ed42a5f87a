"""Identification of a robot from recordings: equations, what they can tell, estimates.

Modules::

    parameters/     the columns of the regressor: names, units, nominal values
    regression/     filtered equations of recordings, and their reduction by QR
    observability/  base parameters, rank, condition, excitation
    excitation/     motions that tell much, within the limits of the robot
"""
