"""Exciting trajectories: motions that determine the parameters of a robot, within its limits.

Modules::

    excitation    excite(): the search, the trajectory, what it determines, and its YAML
    motion        what is asked for; Fourier series that start and end at rest
    information   log det of the information of the base parameters, and its derivatives
    limits        limits of the joints
    clearance     distances between shapes and from a floor that are kept
"""
