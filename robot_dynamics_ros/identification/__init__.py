"""Identification of a robot from recordings: inertia, friction, rotors and offsets.

>>> identified = Identifier(urdf).fit([Recording.read('bag/', parse_urdf(urdf))])
>>> identified.summary
>>> identified.save('identified/')

Modules::

    identifier         fit, validate, save: the whole identification
    recorded_rows      rows of the regression of all recordings
    robot_fit          bodies, rotors and laws of friction that explain rows best
    friction_law       the law of each joint, of those that the node evaluates
    validation         residuals of motion that was not fitted, with intervals
    base_parameters    combinations of bodies and rotors that act on the torques
    parameters         all parameters with intervals, curves of friction
    findings           about recordings, motion, and what an estimate contradicts
    identified         the result: validates on other recordings, writes files
    identified_model   a robot with identified parameters
    identification_report, result_files, identified_urdf, identified_mjcf
                       the report and the files of an identified robot
    payload            what a link carries
    excitation/        exciting trajectories within the limits of the robot
"""

from .identified import Identified
from .identified_model import IdentifiedModel
from .identifier import Identifier
from .parameters import FrictionCurve, ParameterRow
from .validation import JointValidation

__all__ = [
    'FrictionCurve',
    'Identified',
    'IdentifiedModel',
    'Identifier',
    'JointValidation',
    'ParameterRow',
]
