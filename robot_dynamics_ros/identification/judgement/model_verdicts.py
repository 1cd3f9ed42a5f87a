"""The verdict on an identified model, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robot_dynamics_ros.comparison import Finding

from .judgement import JointJudgement

# Of the RMS of the description: what counts as a gain worth loading.
HALF, NOTICEABLE = 0.5, 0.9
# Share of the variance of a residual that follows from what was before, from which on it is said.
REPEATS = 0.25
# Findings because of which no parameter can be trusted.
FATAL = ('wrong_robot', 'current', 'units', 'exchanged', 'sign', 'gravity_compensated')


def joint_sentence(joint: JointJudgement) -> str:
    """The verdict on one joint.

    Args:
        joint: its figures.
    """
    if not math.isfinite(joint.rms_identified) or joint.rms_measured == 0.0:
        return 'Nothing to judge: no effort on the held-out part.'
    size = (
        f'{joint.rms_identified:.3g} {joint.unit} are left of {joint.rms_measured:.3g}, '
        f'with the description {joint.rms_nominal:.3g}'
    )
    if not joint.moves:
        return f'The joint stands still: {size}.'
    if joint.is_worse:
        word = 'Worse than the description'
    elif joint.gain > NOTICEABLE:
        word = 'As good as the description'
    elif joint.gain > HALF:
        word = 'Better than the description'
    else:
        word = f'{1.0 / joint.gain:.2g} times as good as the description'
    if joint.is_noise:
        rest = 'what is left is noise'
    elif joint.repeated > REPEATS:
        share = f'{100.0 * joint.repeated:.0f} %'
        rest = f'{share} of what is left follows from what was before: not noise'
    else:
        rest = 'what is left is mostly noise'
    return f'{word}: {size}; {rest}.'


def verdict(joints: Mapping[str, JointJudgement], findings: Sequence[Finding]) -> tuple[str, ...]:
    """Sentences about the model as a whole.

    Args:
        joints: figures by name.
        findings: about the data.
    """
    return tuple(_sentences(joints, findings))


def _sentences(joints: Mapping[str, JointJudgement], findings: Sequence[Finding]) -> Iterator[str]:
    judged = {name: one for name, one in joints.items() if one.moves and math.isfinite(one.gain)}
    if not judged:
        yield 'No joint that moves has an effort on the held-out part: nothing can be judged.'
        return
    gains = [one.gain for one in judged.values()]
    mean = float(np.exp(np.mean(np.log(np.maximum(gains, 1e-12)))))
    worst = max(judged, key=lambda name: judged[name].gain)
    yield (
        f'On the held-out part the identified model leaves {100.0 * mean:.0f} % of the RMS that '
        f'the description leaves (geometric mean of {len(judged)} joints; worst {worst}, '
        f'{100.0 * judged[worst].gain:.0f} %).'
    )
    worse = [name for name, one in judged.items() if one.is_worse]
    if worse:
        yield f'It is worse than the description at {", ".join(worse)}: do not load it.'
    codes = {finding.code for finding in findings}
    fatal = [code for code in FATAL if code in codes]
    if fatal:
        yield f'Its parameters cannot be trusted: see the finding {", ".join(fatal)}.'
    structured = [
        name for name, one in judged.items() if not one.is_noise and one.repeated > REPEATS
    ]
    if structured:
        yield (
            f'What is left at {", ".join(structured)} is not noise: friction that depends on '
            'load, position or temperature, elasticity, or what the finding list names. Intervals '
            'count that as correlated noise.'
        )
    if not worse and not fatal and mean <= HALF:
        yield 'It can be loaded.'
