"""C99 from the compiled programs of a robot.

Not imported by `robot_dynamics_ros.core`: only who exports waits for it.
"""

from .export import DEFAULT_QUANTITIES, STEPS, export_c

__all__ = ['DEFAULT_QUANTITIES', 'STEPS', 'export_c']
