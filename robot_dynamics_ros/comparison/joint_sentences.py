"""The verdict on one joint, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .comparison import HALF, Finding, JointComparison
from .unexplained import is_explained_by_the_fit

# They leave an offset as it is.
WITH_AN_OFFSET = {'friction', 'unexplained', 'still', 'partial_effort'}
WORDS = {
    'gravity_compensated': 'gravity is compensated by the driver',
    'sign': 'the sign is turned',
    'exchanged': 'joints are exchanged',
    'delay': 'efforts and positions are shifted in time',
    'current': 'the effort has another scale',
    'factor': 'the effort has another scale',
    'other_masses': 'the effort has another scale',
    'not_judged': 'not judged',
    'units': 'the motion is not in rad or m',
    'velocities': 'the velocities are not those of the positions',
    'partial_effort': 'the effort is missing in some samples',
    'still': 'the joint does not move',
}


def joint_sentence(name: str, figures: JointComparison, findings: Sequence[Finding]) -> str:
    """The verdict on one joint, in one sentence.

    Args:
        name: of the joint.
        figures: of the joint.
        findings: all of them.
    """
    concerned = [finding for finding in findings if name in finding.joints]
    words = [_words(one, figures) for one in concerned if one.code != 'unexplained']
    if _is_offset(figures, concerned):
        words.append(f'an offset of {figures.bias:.3g} {figures.unit} is left')
    text = ', '.join(dict.fromkeys(words))
    if not math.isfinite(figures.rms_residual) or figures.rms_measured == 0.0:
        return f'Nothing to compare: {text or "no effort"}.'
    if any(finding.code == 'unexplained' for finding in concerned):
        text = f'{text}; {_left(figures)}' if text else _left(figures)
    text = text or _model_alone(figures, findings)
    size = (
        f'residual {figures.rms_residual:.3g} of {figures.rms_measured:.3g} {figures.unit} '
        f'({100.0 * figures.relative_residual:.0f} %)'
    )
    return f'{text[0].upper()}{text[1:]}: {size}.'


def _model_alone(figures: JointComparison, findings: Sequence[Finding]) -> str:
    """What is said of a joint that no finding names."""
    if figures.is_explained:
        return 'as the model says'
    if any(one.code == 'payload' for one in findings) and is_explained_by_the_fit(figures):
        return 'as the model says with the payload'
    return 'not as the model says'


def _is_offset(figures: JointComparison, concerned: Sequence[Finding]) -> bool:
    """Whether a constant is most of what the model does not say, and no finding explains it."""
    return not _is_told(concerned) and abs(figures.bias) > HALF * figures.rms_measured


def _is_told(concerned: Sequence[Finding]) -> bool:
    """Whether a finding explains a wrong mean of the effort."""
    return bool({finding.code for finding in concerned} - WITH_AN_OFFSET)


def _words(finding: Finding, figures: JointComparison) -> str:
    if finding.code == 'payload':
        more = finding.value is not None and finding.value > 0.0
        return f'the arm carries {"more" if more else "less"} than the URDF says'
    if finding.code == 'friction':
        return _friction(finding, figures)
    return WORDS.get(finding.code, finding.code.replace('_', ' '))


def _friction(finding: Finding, figures: JointComparison) -> str:
    if figures.friction_described <= 0.0 or finding.value is None:
        return 'friction is missing'
    return (
        f'friction is not that of the description (described {figures.friction_described:.3g} '
        f'{figures.unit}, fitted {finding.value:.3g} {figures.unit} at the RMS speed)'
    )


def _left(figures: JointComparison) -> str:
    share = figures.rms_after_fit / figures.rms_measured
    if not math.isfinite(share):
        return 'the effort is unexplained'
    return f'{100.0 * share:.0f} % of the RMS is left after friction is fitted, unexplained'
