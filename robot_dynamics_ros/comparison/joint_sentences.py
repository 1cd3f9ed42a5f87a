"""The verdict on one joint, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .comparison import Finding, JointComparison
from .unexplained import is_explained_by_the_fit

ANOTHER_SCALE = 'the effort has another scale'
WORDS = {
    'gravity_compensated': 'gravity is compensated by the driver',
    'sign': 'the sign is turned',
    'exchanged': 'joints are exchanged',
    'delay': 'efforts and positions are shifted in time',
    'current': ANOTHER_SCALE,
    'factor': ANOTHER_SCALE,
    'other_masses': ANOTHER_SCALE,
    'friction': 'friction is not that of the URDF',
    'payload': 'the arm carries another load than the URDF says',
    'units': 'the motion is not in rad or m',
    'velocities': 'the velocities are not those of the positions',
    'partial_effort': 'the effort is missing in some samples',
    'still': 'the joint does not move',
}


def joint_sentence(name: str, figures: JointComparison, findings: Sequence[Finding]) -> str:
    """The verdict on one joint, in one sentence that does not repeat its figures.

    Args:
        name: of the joint.
        figures: of the joint.
        findings: all of them.
    """
    codes = [finding.code for finding in findings if name in finding.joints]
    text = ', '.join(dict.fromkeys(WORDS.get(code, code.replace('_', ' ')) for code in codes))
    if not math.isfinite(figures.rms_residual) or figures.rms_measured == 0.0:
        return f'Nothing to compare: {text or "no effort"}.'
    text = text or _model_alone(figures, findings)
    return f'{text[0].upper()}{text[1:]}.'


def _model_alone(figures: JointComparison, findings: Sequence[Finding]) -> str:
    """What is said of a joint that no finding names."""
    if figures.is_explained:
        return 'as the model says'
    if any(one.code == 'payload' for one in findings) and is_explained_by_the_fit(figures):
        return 'as the model says with the payload'
    return 'not as the model says'
