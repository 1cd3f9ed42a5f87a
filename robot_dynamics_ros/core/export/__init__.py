"""The dynamics of a robot for others: a package of C99, functions of CasADi.

Not imported by `robot_dynamics_ros.core`: only who exports waits for it.
"""

from .c_export import DEFAULT_QUANTITIES, export_c

__all__ = ['DEFAULT_QUANTITIES', 'export_c']
