"""Facts about a robot for people: its loads, its margins, and what is implausible.

Modules::

    inspection          everything that `robot_dynamics inspect` says of a robot
    validation          findings and the agreement with Pinocchio, for `robot_dynamics validate`
    gravity_load        gravity torque at zero and over sampled poses, against the effort limits
    link_payload        the mass that the joints can hold at a link, over sampled poses
    agreement           the comparison with Pinocchio, as findings
    codes               the stable names of all findings
    finding_json        findings as JSON
    robot_json          the robot as JSON
    sampled_poses       the algorithms on arrays: many poses at once, with nothing compiled
    picture/            the arm drawn from its description
"""

from .inspection import Inspection, inspect_robot
from .validation import Validation, validate_robot

__all__ = ['Inspection', 'Validation', 'inspect_robot', 'validate_robot']
