"""Measured efforts compared with the torques of a model: figures and findings.

>>> recording = Recording.read('bag/', model)
>>> Comparison(model).fit([recording])[0].findings
"""

from .compared import Compared, FrictionFit, JointComparison, Samples
from .comparison import Comparison
from .findings import Finding

__all__ = [
    'Compared',
    'Comparison',
    'Finding',
    'FrictionFit',
    'JointComparison',
    'Samples',
]
