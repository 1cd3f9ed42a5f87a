"""The parameters that an identification estimates: which they are, and their order.

Modules::

    parameter_layout  the columns of the regressor
    joint_terms       terms of a joint: friction, rotor, offset, spring, gain
    load              a body that the robot carries in some of the data
"""

from .load import Load
from .parameter_layout import ParameterLayout

__all__ = ['Load', 'ParameterLayout']
