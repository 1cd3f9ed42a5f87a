"""From the evidence of recordings to the judgement of an identified model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .bad_data import (
    current_findings,
    motion_findings,
    moving,
    robot_findings,
    saturation_findings,
    small_efforts,
)
from .clock import clock_findings, lateness
from .contacts import contact_findings
from .drawn_samples import MOST, DrawnSamples
from .judged_evidence import Evidence
from .judgement import HeldOutSamples, JointJudgement, JudgedRecording, Judgement
from .model_verdicts import joint_sentence, verdict
from .survey import Survey
from .whiteness import Flags, LagSums

# Findings of a comparison that are about the data, not about what is identified.
OF_DATA = frozenset(
    {
        'gravity_compensated', 'sign', 'exchanged', 'delay', 'units', 'zero_effort',
        'constant_effort', 'no_effort', 'partial_effort', 'missing', 'short', 'no_velocity',
        'gaps', 'dropouts', 'stamps', 'not_finite', 'jumps', 'unused', 'malformed', 'log_time',
        'unreadable',
    }
)  # fmt: skip
# Of these, what is estimated where efforts are currents.
OF_SCALE = frozenset({'sign', 'exchanged', 'gravity_compensated'})


def judge(
    model: RobotModel,
    seen: Survey,
    evidence: Sequence[Evidence],
    recordings: Sequence[JudgedRecording],
    *,
    compared: Sequence[Finding] = (),
    poor: Sequence[Finding] = (),
    interval: float = float('nan'),
    currents: bool = False,
) -> Judgement:
    """The judgement over all recordings.

    Args:
        model: of the joints that were recorded.
        seen: of all recordings.
        evidence: of each recording that could be used.
        recordings: all of them.
        compared: findings of the comparison with the description.
        poor: findings about the excitation.
        interval: between two samples [s].
        currents: whether the efforts are currents, whose scale and sign are estimated.
    """
    names, moved = model.joint_names, moving(model, seen)
    figures = _figures(model, seen, evidence)
    noise = np.nan_to_num(np.array([joint.rms_identified for joint in figures]))
    # What is left of an effort of unknown scale is of unknown scale too.
    unscaled = {name for one in poor if one.code == 'unknown_gain' for name in one.joints}
    scaled = moved & ~np.isin(names, list(unscaled))
    wrong = list(robot_findings(names, _deviations(evidence, model.size), noise, scaled))
    own = [*motion_findings(model, seen), *saturation_findings(model, seen, interval)]
    findings = [
        *wrong,
        *([] if currents else _current(names, figures, moved, compared, wrong)),
        *(one for one in compared if one.code in OF_DATA - (OF_SCALE if currents else set())),
        *own,
        *_others(poor, [*own, *(one for one in compared if one.code == 'zero_effort')]),
        *clock_findings(evidence, noise),
        *contact_findings(names, [one for one in evidence if not _drifts(one, noise)]),
    ]
    joints = {
        name: replace(joint, verdict=joint_sentence(joint))
        for name, joint in zip(names, figures, strict=True)
    }
    return Judgement(
        model.name,
        tuple(recordings),
        joints,
        findings,
        held_out_samples(names, evidence),
        verdict(joints, findings),
    )


def _current(
    names: tuple[str, ...],
    figures: Sequence[JointJudgement],
    moved: npt.NDArray[np.bool_],
    compared: Sequence[Finding],
    wrong: Sequence[Finding],
) -> list[Finding]:
    """That the efforts may be currents: by the comparison, or by their size where nothing fits."""
    if not wrong:
        return list(current_findings(names, compared))
    measured = np.array([joint.rms_measured for joint in figures])
    missed = np.array([joint.rms_nominal for joint in figures])
    return list(small_efforts(names, measured, missed, moved))


def _drifts(evidence: Evidence, noise: Array) -> bool:
    """Whether the clocks of a recording drift: its residual shows no contacts then."""
    late = lateness(evidence, noise)
    return late is not None and late.drifts


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
    model: RobotModel, seen: Survey, evidence: Sequence[Evidence]
) -> list[JointJudgement]:
    size = model.size
    counts = sum((one.counts for one in evidence), np.zeros(size))
    squares = sum((one.squares for one in evidence), np.zeros((3, size)))
    with np.errstate(all='ignore'):
        rms = np.sqrt(squares / counts)
    noise, repeated = _whiteness(evidence, size)
    return [
        JointJudgement(
            unit='N' if joint.kind == 'prismatic' else 'N m',
            moves=bool(moved),
            rms_measured=float(values[0]),
            rms_nominal=float(values[1]),
            rms_identified=float(values[2]),
            is_noise=bool(white) and bool(np.isfinite(values[2])),
            repeated=float(share),
        )
        for joint, moved, values, white, share in zip(
            model.independent_joints, moving(model, seen), rms.T, noise, repeated, strict=True
        )
    ]


def _deviations(evidence: Sequence[Evidence], size: int) -> Array:
    """Standard deviations of the measured held-out efforts (n,)."""
    counts = np.maximum(sum((one.counts for one in evidence), np.zeros(size)), 1.0)
    squares = sum((one.squares[0] for one in evidence), np.zeros(size)) / counts
    means = sum((one.sums for one in evidence), np.zeros(size)) / counts
    result: Array = np.sqrt(np.maximum(squares - means**2, 0.0))
    return result


def _whiteness(evidence: Sequence[Evidence], size: int) -> tuple[Flags, Array]:
    """Whether each residual is noise (n,), and the share of it that repeats (n,)."""
    lags = [one.lags for one in evidence if one.lags is not None]
    if not lags:
        return np.zeros(size, dtype=bool), np.full(size, np.nan)
    sums = LagSums.joined(lags)
    return sums.is_noise(), sums.repeated()


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
