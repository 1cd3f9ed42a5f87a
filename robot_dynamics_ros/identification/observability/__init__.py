"""What data determine of the parameters.

>>> base = base_parameters(reduced)
>>> findings = excitation_findings(reduced, base)

Modules::

    determined_parameters  the combinations of parameters that data determine
    structure              those that the best data of the robot would determine
    column_order           which columns are preferred as independent ones
    whitened               equations in units of noise and of plausible parameters
    scales                 plausible magnitudes of parameters
    combination_sentences  base parameters in words
    undetermined_bodies    bodies that stay at their prior, and why
    excitation             findings about motion that determines too little
"""

from .determined_parameters import BaseParameters, base_parameters
from .excitation import excitation_findings
from .structure import Structure, structure_of
from .undetermined_bodies import UndeterminedBody

__all__ = [
    'BaseParameters',
    'Structure',
    'UndeterminedBody',
    'base_parameters',
    'excitation_findings',
    'structure_of',
]
