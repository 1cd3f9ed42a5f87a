"""Motions that tell much about the parameters of a robot, within its limits.

Modules::

    excited_motion         excite(): the motion, and what it is worth
    excitation_settings  what a motion is asked to be; its band of frequencies
    fourier_series       motions as Fourier series that start and end at rest
    information          log det of the information of the base parameters, and its derivatives
    motion_limits        limits of the joints, and what is assumed
    motion_effort        the torques of motions, and their derivatives
    clearance/           distances between bodies, and from a floor
    violation            by how much a motion exceeds what is allowed
    candidate_motions    random motions, and the variables of the optimisation
    optimisation         from random motions to the best ones
    utilisation          what a motion uses of its limits, between samples too
    trajectory_text      the motion as YAML of JointTrajectory and of FollowJointTrajectory
    motion_picture       the motion as a picture
"""
