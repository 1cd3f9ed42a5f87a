"""Facts about a robot for people: its loads, its margins, and what is implausible.

Modules::

    inspection          everything that `robot_dynamics inspect` shows of a robot
    validation          findings, their codes, and the agreement with Pinocchio
    loads               gravity torque against effort limits, payload margins, over sampled poses
    picture             the arm drawn from its description
"""

from .inspection import Inspection, inspect_robot
from .validation import CODES, Validation, validate_robot

__all__ = ['CODES', 'Inspection', 'Validation', 'inspect_robot', 'validate_robot']
