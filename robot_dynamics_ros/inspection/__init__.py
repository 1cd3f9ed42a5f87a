"""Facts about a robot for people: its loads, its margins, and what is implausible.

Modules::

    inspection          what `inspect` and `validate` say: findings, agreement with Pinocchio
    ellipsoids          boxes and ellipsoids that show inertia, mobility and force
    loads               gravity torque against effort limits, payload margins, over sampled poses
"""

from .inspection import CODES, Inspection, Validation, inspect_robot, validate_robot

__all__ = ['CODES', 'Inspection', 'Validation', 'inspect_robot', 'validate_robot']
