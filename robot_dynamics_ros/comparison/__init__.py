"""Measured efforts compared with the torques of a model: figures and findings.

>>> recording = Recording.read('bag/', model)
>>> Comparison(model).fit([recording]).findings

Modules::

    comparison      recordings to the result
    compared        the result, and its JSON form
    findings        the table of findings, and the rule that concludes from them
    recorded_joints the model of the joints that were recorded, and what depends on the others
    model_torques   the torque of the model along a motion, in parts
    evidence        what is kept of a recording: sums of products, and windows
    plot_samples    what is drawn of it: evenly distributed samples
    observations    the windows as columns of regressions in which friction is free
    judge           how well an explanation fits
    hypotheses      what can be added to an explanation, and those that explain together
    relabelling     joints whose whole state belongs to another name or direction
    figures         residual, delay, friction and spectra of each joint
    robot_findings  findings about robot and driver
    motion_findings findings about units and velocities
    data_findings   findings about the samples
"""

from .compared import (
    Compared,
    FrictionFit,
    JointComparison,
    RecordingSummary,
    Samples,
    Spectrum,
)
from .comparison import Comparison
from .findings import Finding

__all__ = [
    'Compared',
    'Comparison',
    'Finding',
    'FrictionFit',
    'JointComparison',
    'RecordingSummary',
    'Samples',
    'Spectrum',
]
