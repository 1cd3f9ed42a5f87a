"""Identification of a robot from recordings: `Identifier(urdf).fit([recording]).save(folder)`."""

from .identified import Identified
from .identifier import Identifier
from .parameters import FrictionCurve, IdentifiedModel, ParameterRow
from .validation import JointValidation

__all__ = [
    'FrictionCurve',
    'Identified',
    'IdentifiedModel',
    'Identifier',
    'JointValidation',
    'ParameterRow',
]
