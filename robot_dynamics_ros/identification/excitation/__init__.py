"""Exciting trajectories: motions that determine the parameters of a robot, within its limits.

Modules::

    excitation           excite(): the trajectory, what it determines, and its YAML
    settings             what is asked for; the band of frequencies
    fourier_series       motions as Fourier series that start and end at rest
    information          log det of the information of the base parameters, and its derivatives
    limits               limits of the joints, and what is assumed
    clearance            distances between bodies and from a floor that are kept
    collision_geometry   the solids of a robot, and their distances by Coal
    constraints          what a motion uses of all that is allowed
    optimisation         from random motions to the best one
"""
