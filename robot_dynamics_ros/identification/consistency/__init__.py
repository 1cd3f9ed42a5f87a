"""Physically possible bodies: the nearest to an estimate, in the metric of the data.

>>> possible = consistent(found)

Modules::

    consistent_estimate  the cone problem, and its solvers
    pseudo_inertias      bodies as linear matrix inequalities
"""

from .consistent_estimate import consistent

__all__ = ['consistent']
