"""Estimates that a real robot can have: bodies of mass, friction that takes energy.

>>> final = consistent(reduced, robust)

Modules::

    consistent_estimate  the estimate
    weighted_rows        all equations as one triangle, in units of their noise
    pseudo_matrices      the ten parameters of a body as its pseudo-inertia, and back
    reference_bodies     the bodies that the prior prefers: those of the description
    unknowns             what is free, in units of the reference
    conic_problem        cost, prior and cones, and their solution
"""

from .conic_problem import Prior
from .consistent_estimate import consistent

__all__ = ['Prior', 'consistent']
