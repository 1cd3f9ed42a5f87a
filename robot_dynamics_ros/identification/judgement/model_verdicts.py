"""The verdict on an identified model, in sentences."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from robot_dynamics_ros.comparison import FATAL, Finding
from robot_dynamics_ros.core.model.findings import listed

from .judgement import FEWEST, JointJudgement

# Of the RMS of the description: what counts as a gain worth loading.
HALF, NOTICEABLE = 0.5, 0.9
# Of the RMS of the measured effort: with more left, nothing that is identified explains it.
UNEXPLAINED = 0.5
# Share of saturated samples of a joint from which on it was judged at small efforts alone.
MOSTLY = 0.5
# Share of the variance of a residual that earlier values predict, from which on it is said.
REPEATS = 0.25
# Findings because of which a parameter may be off by more than its interval.
DOUBTFUL = {
    'delay': 'a delay of the efforts looks like viscous friction, whose intervals do not hold',
    'recordings_differ': 'the recordings do not show one robot',
    'wrong_load': 'a load is not what was declared',
    'other_masses': 'masses change by more than a factor of 2: it may be another robot',
    'missing': 'joints whose position matters were not recorded',
    'assumed_noise': 'no robot that can exist fits the data within their noise',
}
# Findings because of which a parameter that hardly showed may be far off.
UNCERTAIN = ('poor_excitation', 'ill_conditioned')


def joint_sentence(joint: JointJudgement) -> str:
    """The verdict on one joint, in one sentence that does not repeat its figures.

    Args:
        joint: its figures.
    """
    if not math.isfinite(joint.rms_identified) or joint.rms_measured == 0.0:
        if not joint.moves:
            return 'Not judged: the joint stands still.'
        return (
            f'Not judged: fewer than {FEWEST} samples of the held-out part have motion and a '
            'measured effort.'
        )
    if joint.is_worse:
        word = 'Worse than the URDF'
    elif joint.gain > NOTICEABLE:
        word = 'As good as the URDF'
    else:
        word = 'Better than the URDF'
    return f'{word}; {_residual(joint)}.'


def _residual(joint: JointJudgement) -> str:
    """Whether the residual is noise."""
    if joint.is_noise is None:
        return 'whether the residual is noise is not known: too few samples'
    if joint.is_noise:
        return 'the residual is noise'
    if joint.repeated > REPEATS:
        share = f'{100.0 * joint.repeated:.0f} %'
        return f'earlier values predict {share} of the variance of the residual: not noise'
    return 'the residual is correlated in time, but hardly'


def locked_words(names: Sequence[str]) -> str:
    """That nothing of joints is identified which were not recorded.

    Args:
        names: of these joints, one at least.
    """
    was, are = ('was', 'is') if len(names) == 1 else ('were', 'are')
    return (
        f'Not identified: {listed(names)} {was} not recorded, and {are} taken to be locked at '
        'zero, or at the position limit nearest to it. The bodies that move there, friction and '
        'rotors are those of the URDF.'
    )


def verdict(joints: Mapping[str, JointJudgement], findings: Sequence[Finding]) -> tuple[str, ...]:
    """Sentences about the model as a whole.

    Args:
        joints: figures by name.
        findings: about the data.
    """
    return tuple(_sentences(joints, findings))


def _sentences(joints: Mapping[str, JointJudgement], findings: Sequence[Finding]) -> Iterator[str]:
    judged = {name: one for name, one in joints.items() if one.moves and math.isfinite(one.gain)}
    codes = {finding.code for finding in findings}
    fatal = [code for code in FATAL if code in codes]
    not_trusted = f'Its parameters cannot be trusted: see {_findings(fatal)}.' if fatal else ''
    if fatal and not judged:
        yield f'{not_trusted} Do not load it.'
        return
    if not judged:
        yield (
            f'The model is not judged, do not load it: no joint has {FEWEST} samples with motion '
            'and a measured effort on the held-out part.'
        )
        return
    gains = [one.gain for one in judged.values()]
    mean = float(np.exp(np.mean(np.log(np.maximum(gains, 1e-12)))))
    worst = max(judged, key=lambda name: judged[name].gain)
    counted = f'geometric mean of {len(judged)} joints; worst ' if len(judged) > 1 else ''
    yield (
        f"Held-out residual: {100.0 * mean:.0f} % of the URDF's "
        f'({counted}{worst}, {100.0 * judged[worst].gain:.0f} %).'
    )
    worse = [name for name, one in judged.items() if one.is_worse]
    if worse:
        yield f'It is worse than the URDF at {", ".join(worse)}: do not load it.'
    if fatal:
        yield not_trusted if worse else f'{not_trusted} Do not load it.'
    structured = [
        name for name, one in judged.items() if one.is_noise is False and one.repeated > REPEATS
    ]
    if structured and not fatal:
        yield (
            f'The residual at {_joints(structured, judged)} is not noise: friction that depends '
            'on load, position or temperature, elasticity, or what the findings name. Intervals '
            'hold for noise alone: here they are too narrow.'
        )
    if not worse and not fatal:
        yield _advice(joints, codes, mean)


def _is_unexplained(joint: JointJudgement) -> bool:
    """Whether most of an effort, and not its noise, fits neither model."""
    return (
        joint.moves
        and joint.gain > NOTICEABLE
        and joint.is_noise is False
        and joint.rms_identified > UNEXPLAINED * joint.rms_measured
    )


def _joints(names: Sequence[str], judged: Collection[str]) -> str:
    """Names of joints, or that it is all of those that were judged."""
    return 'all joints' if len(names) == len(judged) > 1 else ', '.join(names)


def _findings(codes: Sequence[str]) -> str:
    if len(codes) == 1:
        return f'the finding {codes[0]}'
    return f'the findings {", ".join(codes[:-1])} and {codes[-1]}'


def _advice(joints: Mapping[str, JointJudgement], codes: Collection[str], mean: float) -> str:
    """Whether a model that is not worse than the description can be loaded.

    Args:
        joints: figures by name.
        codes: of the findings.
        mean: of what it leaves, relative to the description [-].
    """
    unjudged = [name for name, one in joints.items() if one.moves and not math.isfinite(one.gain)]
    doubts = [DOUBTFUL[code] for code in DOUBTFUL if code in codes]
    if unjudged:
        doubts.append(f'{", ".join(unjudged)} was not judged')
    if still := [name for name, one in joints.items() if not one.moves]:
        doubts.append(
            f'{", ".join(still)} stood still: friction there and what only that motion shows are '
            'those of the URDF, and were not judged'
        )
    clipped = [name for name, one in joints.items() if one.moves and one.saturated > MOSTLY]
    if clipped:
        doubts.append(
            f'most efforts of {", ".join(clipped)} are saturated, so that large torques there '
            'were neither fitted nor judged'
        )
    if mean > HALF:
        doubts.append("its residual is more than half of the URDF's")
    elif unexplained := [name for name, one in joints.items() if _is_unexplained(one)]:
        shares = ', '.join(f'{100.0 * joints[name].gain:.0f} % at {name}' for name in unexplained)
        doubts.append(
            f"its residual is {shares} of the URDF's (are the sign and the unit of the effort "
            'right there?)'
        )
    uncertain = [code for code in UNCERTAIN if code in codes]
    if not doubts and uncertain:
        return (
            'It can be loaded for motions like those that were recorded. For other motions, read '
            f'{_findings(uncertain)} first.'
        )
    if not doubts:
        return 'It can be loaded.'
    better = 'better than' if mean <= NOTICEABLE else 'hardly better than'
    return (
        f'It is {better} the URDF, but {"; ".join(doubts)}: read the findings before it is loaded.'
    )
