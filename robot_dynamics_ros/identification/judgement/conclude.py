"""From the evidence of recordings to the judgement of an identified model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.comparison import FATAL, Finding
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .bad_data import (
    STILL,
    held_out_findings,
    motion_findings,
    robot_findings,
    saturated_shares,
    saturation_findings,
    small_efforts,
)
from .clock import clock_findings, delay_line
from .contacts import contact_findings
from .drawn_samples import MOST, DrawnSamples
from .effort_limits import large_efforts, limit_findings
from .judged_evidence import Evidence, TorqueSums
from .judgement import FEWEST, HeldOutSamples, JointJudgement, JudgedRecording, Judgement
from .model_verdicts import joint_sentence, verdict
from .survey import Survey
from .whiteness import LagSums
from .windows import Windows

Flags = npt.NDArray[np.bool_]

# Findings of a comparison that are about the data, not about what is identified.
OF_DATA = frozenset(
    {
        'gravity_compensated', 'sign', 'current', 'exchanged', 'delay', 'units', 'zero_effort',
        'constant_effort', 'no_effort', 'partial_effort', 'implausible_effort', 'missing', 'short',
        'no_velocity', 'gaps', 'dropouts', 'stamps', 'not_finite', 'jumps', 'unused', 'malformed',
        'log_time', 'unreadable', 'velocities',
    }
)  # fmt: skip
# What an estimate from efforts that are not torques of the robot shows of them.
CONSEQUENCES = frozenset({'negative_term', 'assumed_noise', 'other_masses', 'impossible_masses'})
# What velocities that are not those of the motion look like.
OF_VELOCITIES = frozenset(
    {
        'still', 'slow', 'held_out_rest', 'poor_excitation', 'ill_conditioned', 'contact', 'delay',
        'clock_drift',
    }
)  # fmt: skip
# Of these, what is estimated where efforts are currents.
OF_SCALE = frozenset({'current', 'sign', 'exchanged', 'gravity_compensated'})


def judge(
    model: RobotModel,
    survey: Survey,
    evidence: Sequence[Evidence],
    recordings: Sequence[JudgedRecording],
    *,
    compared: Sequence[Finding] = (),
    poor: Sequence[Finding] = (),
    interval: float = float('nan'),
    currents: bool = False,
    still: Collection[str] = (),
    punctual: Collection[str] = (),
) -> Judgement:
    """The judgement over all recordings.

    Args:
        model: of the joints that were recorded.
        survey: of all recordings.
        evidence: of each recording that could be used.
        recordings: all of them.
        compared: findings of the comparison with the description.
        poor: findings about the excitation.
        interval: between two samples [s].
        currents: whether the efforts are currents, whose scale and sign are estimated.
        still: joints that hardly move, of which no equation was fitted.
        punctual: recordings whose fit has shown that their efforts are not late.
    """
    names = model.joint_names
    fitted = TorqueSums.joined([one.of_fitted for one in evidence])
    held_out = TorqueSums.joined([one.of_held_out for one in evidence])
    held = np.isin(names, list(still))
    enough = (fitted.moving + held_out.moving >= FEWEST) & ~held
    # What a shorter motion has changed is to be judged too.
    shortly = (fitted.counts > 0) & (survey.span[1] - survey.span[0] > STILL)
    moved = enough | (shortly & ~held)
    saturated = saturated_shares(survey, interval)
    figures = _figures(model, moved, held_out, evidence, saturated)
    left = Windows.usual_residuals([one.windows for one in evidence], model.size)
    # What is left of an effort of unknown scale is of unknown scale too.
    unscaled = {name for one in poor if one.code == 'unknown_gain' for name in one.joints}
    scaled = enough & ~np.isin(names, list(unscaled))
    # With another motion nothing fits: no other finding about the robot is looked for.
    codes = {one.code for one in compared}
    in_units = not codes & {'units', 'velocities'}
    wrong = list(robot_findings(names, fitted.deviations, left, scaled)) if in_units else []
    left_out = OF_SCALE if currents else {'current'} if wrong else set()
    data = [one for one in compared if one.code in OF_DATA - left_out]
    if wrong and not currents:
        measured, missed, _ = fitted.rms
        data = [*small_efforts(names, measured, missed, enough), *data]
    is_current = any(one.code == 'current' for one in data)
    samples = held_out_samples(names, evidence)
    large = _large(model, TorqueSums.joined([fitted, held_out]), samples, scaled)
    large = large if in_units and not (wrong or is_current) else []
    limits = [] if currents or large else list(limit_findings(model, survey))
    own = [*motion_findings(names, moved), *saturation_findings(model, survey, interval), *limits]
    noise = np.nan_to_num(TorqueSums.joined([fitted, held_out]).rms[2])
    steady = [one for one in evidence if not _drifts(one, noise)]
    if wrong and not any(one.code in FATAL for one in data):
        # Nothing explains the efforts: then a delay does not either.
        data = [one for one in data if one.code != 'delay']
    causes = [*wrong, *large, *data]
    is_fatal = any(one.code in FATAL for one in causes)
    poor = _not_explained(poor, causes)
    findings = [
        *wrong,
        *large,
        *data,
        *_held_out(names, moved, held_out, evidence),
        *own,
        *_others(poor, [*own, *(one for one in compared if one.code == 'zero_effort')]),
        *([] if is_fatal else _new(clock_findings(evidence, noise, punctual), compared)),
        *([] if unscaled else contact_findings(names, steady)),
    ]
    if 'velocities' in codes:
        findings = [one for one in findings if one.code not in OF_VELOCITIES]
    joints = {
        name: replace(joint, verdict=joint_sentence(joint))
        for name, joint in zip(names, figures, strict=True)
    }
    return Judgement(
        model.name,
        tuple(recordings),
        joints,
        findings,
        samples,
        verdict(joints, findings),
    )


def _not_explained(findings: Sequence[Finding], causes: Sequence[Finding]) -> list[Finding]:
    """Findings without those that follow from efforts that are not torques of this robot.

    Args:
        findings: about the estimate.
        causes: about the data.
    """
    is_fatal = any(one.code in FATAL for one in causes)
    return [one for one in findings if not (is_fatal and one.code in CONSEQUENCES)]


def _large(
    model: RobotModel, sums: TorqueSums, samples: HeldOutSamples, judged: Flags
) -> list[Finding]:
    """Efforts beyond the limits of the description, which it does not explain."""
    largest = np.nanmax(np.abs(samples.measured), axis=0, initial=0.0)
    return list(large_efforts(model, sums.rms[:2], largest, judged))


def _held_out(
    names: tuple[str, ...], moved: Flags, held_out: TorqueSums, evidence: Sequence[Evidence]
) -> Iterable[Finding]:
    """What of the held-out part judges nothing: all of it if it is too short, or some joints."""
    if not moved.any() or sum(one.held_out for one in evidence) >= FEWEST:
        return held_out_findings(names, moved, held_out.moving >= FEWEST)
    parts = [one for one in evidence if one.held_out] or evidence
    listed = ', '.join(f'{one.file} {one.held_out} ({one.duration:.2g} s)' for one in parts)
    message = (
        f'The held-out part is too short to judge a joint: {FEWEST} samples at least are needed, '
        f'and there are: {listed}. Record a longer motion, or hold out another recording, '
        '--held-out BAG.'
    )
    return [Finding('short', (), None, message)]


def _drifts(evidence: Evidence, noise: Array) -> bool:
    """Whether the clocks of a recording drift: its residual shows no contacts then."""
    late = delay_line(evidence, noise)
    return late is not None and late.drifts


def _new(findings: Iterable[Finding], compared: Sequence[Finding]) -> list[Finding]:
    """Findings but delays where the comparison with the description has found some."""
    said = any(one.code == 'delay' for one in compared)
    return [one for one in findings if not (said and one.code == 'delay')]


def _others(findings: Sequence[Finding], own: Sequence[Finding]) -> list[Finding]:
    """Findings but those about joints that stand still or are saturated, which are said already.

    Args:
        findings: about the excitation.
        own: about motion, saturation, and efforts that are not measured.
    """
    said = {name for finding in own for name in finding.joints}
    return [
        one
        for one in findings
        if one.code not in ('still', 'saturated') or not said.issuperset(one.joints)
    ]


def _figures(
    model: RobotModel,
    moved: Flags,
    held_out: TorqueSums,
    evidence: Sequence[Evidence],
    saturated: Array,
) -> list[JointJudgement]:
    """Those of each joint; NaN where too few samples were judged."""
    noise, repeated = _whiteness(evidence, model.size)
    enough = held_out.counts >= FEWEST
    rms = np.where(enough, held_out.rms, np.nan)
    return [
        JointJudgement(
            unit='N' if joint.kind == 'prismatic' else 'N m',
            moves=bool(moved[index]),
            samples=int(held_out.counts[index]),
            rms_measured=float(rms[0, index]),
            rms_nominal=float(rms[1, index]),
            rms_identified=float(rms[2, index]),
            is_noise=noise[index] if enough[index] else None,
            repeated=float(repeated[index]) if enough[index] else float('nan'),
            saturated=float(saturated[index]),
        )
        for index, joint in enumerate(model.independent_joints)
    ]


def _whiteness(evidence: Sequence[Evidence], size: int) -> tuple[list[bool | None], Array]:
    """Whether each residual is noise (n,), and the share of it that repeats (n,).

    Recordings with different low passes have lags of their own: a residual is noise if it is in
    all of them.
    """
    sums = LagSums.joined([one.lags for one in evidence if one.lags is not None])
    answers = [[each.is_noise()[joint] for each in sums] for joint in range(size)]
    known = [[answer for answer in each if answer is not None] for each in answers]
    shares = np.array([each.repeated() for each in sums]).reshape(-1, size)
    repeated: Array = np.fmax.reduce(np.vstack([np.full(size, np.nan), shares]))
    return [all(each) if each else None for each in known], repeated


def held_out_samples(names: tuple[str, ...], evidence: Sequence[Evidence]) -> HeldOutSamples:
    """The samples of several recordings, in their order.

    Args:
        names: of the joints.
        evidence: of each recording, one at least.
    """
    most = MOST // len(evidence)
    parts = [DrawnSamples.joined([one.samples], most).arrays(len(names)) for one in evidence]
    layers = np.concatenate([layers for _, layers, _ in parts], axis=1)
    return HeldOutSamples(
        names,
        np.concatenate(
            [np.full(len(times), number) for number, (times, _, _) in enumerate(parts)]
        ),
        np.concatenate([begins for _, _, begins in parts]),
        np.concatenate([times for times, _, _ in parts]),
        *layers,
    )
