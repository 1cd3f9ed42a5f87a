"""Measured efforts compared with the torques of a model: figures and findings.

Modules::

    comparison  the result, and its JSON form
"""

from .comparison import (
    Comparison,
    Finding,
    FrictionFit,
    JointComparison,
    RecordingSummary,
    Samples,
    Spectrum,
)

__all__ = [
    'Comparison',
    'Finding',
    'FrictionFit',
    'JointComparison',
    'RecordingSummary',
    'Samples',
    'Spectrum',
]
