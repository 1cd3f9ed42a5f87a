"""Facts about a robot for people: its loads, its margins, and what is implausible.

Modules::

    audit               what is suspicious in a description, before torques depend on it
    shapes              the box around the shapes of a link
    inspection          what `inspect` and `validate` say: findings, agreement with Pinocchio
    ellipsoids          boxes and ellipsoids that show inertia, mobility and force
    loads               gravity torque against effort limits, payload margins, over sampled poses
"""

from .audit import audit
from .inspection import CODES, Inspection, Validation, inspect_robot, validate_robot

__all__ = ['CODES', 'Inspection', 'Validation', 'audit', 'inspect_robot', 'validate_robot']
