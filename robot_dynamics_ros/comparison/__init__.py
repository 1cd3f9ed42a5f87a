"""Measured efforts compared with the torques of a model: figures and findings.

>>> recording = Recording.read('bag/', model)
>>> Comparison(model).fit([recording])[0].findings

Modules::

    comparison       recordings to results: findings and figures
    compared         the result of one recording, and its JSON form
    findings         the table of findings, and the rule that concludes from them
    recorded_joints  the joints that were recorded: their torques, and what depends on the others
    observations     a recording as samples, and as columns of regressions
    hypotheses       what may differ from the model, each a regression, and the best of them
    relabelling      joints whose whole state belongs to another name or direction
    robot_findings   findings about robot and driver
    sample_findings  findings about units, velocities and samples
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
