"""Measured efforts compared with the torques of a model: figures and findings.

>>> with open_recording([Path('bag')]) as recording:
...     comparison = compare.compare(parse_urdf(text), motions(recording))

Modules::

    compare         from motions to the result: one recording, or what is kept of many
    comparison      the result, and its JSON form
    compared_model  the model of the joints that were recorded
    pose_dependence joints whose torque depends on those that were not recorded
    joint_figures   the figures of each joint
    joint_sentences the verdict on each joint
    spectrum        power spectral densities of effort and residual
    verdicts        findings about robot and driver, in words
    scale_findings  efforts that are a multiple of the torques
    unexplained     findings about efforts that nothing explains
    data_findings   findings about the recordings
    unit_findings   findings about the motion, such as its unit
    velocity_findings  velocities that do not belong to the positions
    evidence/       what is kept of recordings
    explanations/   hypotheses about what lies between model and measurement
"""

from .comparison import (
    FATAL,
    Comparison,
    Finding,
    FrictionFit,
    JointComparison,
    RecordingSummary,
    Samples,
    Spectrum,
)

__all__ = [
    'FATAL',
    'Comparison',
    'Finding',
    'FrictionFit',
    'JointComparison',
    'RecordingSummary',
    'Samples',
    'Spectrum',
]
