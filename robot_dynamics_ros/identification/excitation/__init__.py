"""Exciting trajectories: motions that determine the parameters of a robot, within its limits.

Modules::

    excitation           excite(): the trajectory, what it determines, and its YAML
    motion               what is asked for; Fourier series that start and end at rest
    information          log det of the information of the base parameters, and its derivatives
    clearance            distances between bodies and from a floor that are kept
    collision_geometry   the solids of a robot, and their distances by Coal
    constraints          limits of the joints, and what a motion uses of all that is allowed
    optimisation         from random motions to the best one
"""
