"""Identification of a robot from recordings: inertia, friction, rotors and offsets.

>>> identified = Identifier(urdf).fit([Recording.read('bag/', parse_urdf(urdf))])
>>> identified.summary
>>> identified.save('identified/')
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
