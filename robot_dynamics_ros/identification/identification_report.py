"""The report of an identification: URDF and identified model on the held-out part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.report.figure import Array, Curve, Figure, Panel, TimeAxis, thinned
from robot_dynamics_ros.report.report import (
    Cell,
    JointReport,
    Level,
    Report,
    Section,
    findings_section,
    overall,
    verdict_section,
    worst,
)
from robot_dynamics_ros.report.text import duration, number, quantity

from .equations import REASONS
from .judgement import JointJudgement, Judgement
from .parameter_rows import ParameterRow
from .recorded_data import JudgedRecording

COLUMNS = ('measured RMS', 'residual RMS, URDF', 'identified', 'identified / URDF')
HINT = (
    'On the held-out part, of which no sample was fitted. Residual: measured torque minus torque '
    'of the model; beside it the 95 % interval by blocks of time. ✓ smaller than that of the '
    'URDF by a tenth or more, and certainly; ● by less, not certainly, not judged, or a finding; '
    '▲ larger by more than 5 %, and certainly, or no parameter can be trusted.'
)
ABOUT = (
    'Held-out part: none of these samples was fitted. Residual: measured minus model. What is '
    'written was then fitted to everything that was recorded.'
)
NO_FINDING = 'None: nothing is wrong with the data.'
PARAMETERS = 'parameter', 'URDF', 'identified', '95 % interval'
TITLES = {
    'joint-parameters': 'Friction, rotors and offsets',
    'body-parameters': 'Inertial parameters of the bodies',
    'base-parameters': 'Base parameters',
}
ROW = {'torque': 2.4, 'residual': 2.0, 'velocity': 1.2}
MOST_POINTS = 1000
SIGNALS = 'velocities', 'measured', 'nominal', 'identified'
# Why equations were left out.
WORDS = {
    'missing': 'no effort',
    'slow': 'slow or at rest',
    'saturated': 'effort saturated',
}


def identification_report(
    judgement: Judgement,
    rows: Sequence[Sequence[ParameterRow]],
    *,
    summary: str,
    equations: Mapping[str, Mapping[str, int]],
    undetermined: Sequence[str] = (),
    objections: Sequence[str] = (),
) -> Report:
    """What a page or a picture shows of an identification.

    Args:
        judgement: on the held-out part.
        rows: parameters of the joints, of the bodies, and base parameters.
        summary: what the data determine, and by which estimate.
        equations: numbers of fitted equations by joint: used, and left out for each reason.
        undetermined: sentences about bodies that stay as the URDF says, and why.
        objections: why the model is not to be loaded.
    """
    joints = [*_joints(judgement)]
    levels = [one.severity for one in judgement.findings]
    headline, *remarks = judgement.verdict
    return Report(
        judgement.robot,
        'identified model',
        ABOUT,
        headline,
        'error' if objections else overall(joints, levels),
        joints,
        ROW,
        remarks=remarks,
        objections=objections,
        sections=[
            verdict_section(joints, COLUMNS, HINT),
            findings_section(judgement.findings, NO_FINDING),
        ],
        later=[
            _excitation(summary, undetermined, equations),
            *(
                Section(key, title, header=PARAMETERS, rows=[_parameter(row) for row in part])
                for (key, title), part in zip(TITLES.items(), rows, strict=True)
            ),
            _recordings(judgement),
        ],
    )


def joint_level(joint: JointJudgement, findings: list[Finding]) -> Level:
    """How much better the identified model is at a joint.

    Args:
        joint: its figures.
        findings: that concern it.
    """
    if joint.is_worse:
        return 'error'
    better = not joint.moves or joint.standing == 'better'
    known: Level = 'good' if better else 'warning'
    return worst([*(one.severity for one in findings), known])


def _joints(judgement: Judgement) -> Iterator[JointReport]:
    parts = judgement.samples
    signals = {
        name: np.concatenate([getattr(one, name) for one in parts])
        for name in ('times', 'begins', *SIGNALS)
    }
    recording = np.repeat(np.arange(float(len(parts))), list(map(len, parts)))
    axis = TimeAxis(signals['times'], recording, signals['begins'], len(judgement.joints))
    for column, (name, one) in enumerate(judgement.joints.items()):
        identified = Cell.of(one.rms_identified, one.unit, one.rms_low, one.rms_high)
        ratio = Cell.of_ratio(one.gain, one.gain_low, one.gain_high)
        urdf = Cell.of(one.rms_nominal, one.unit)
        numbers = f'Residual {identified} (URDF {urdf}; ratio {ratio})' if one.is_judged else ''
        yield JointReport(
            name,
            joint_level(one, [found for found in judgement.findings if name in found.joints]),
            numbers,
            one.verdict,
            (Cell.of(one.rms_measured, one.unit), urdf, identified, ratio),
            _figures(one, axis, *(signals[key][:, column] for key in SIGNALS)),
        )


def _figures(
    joint: JointJudgement, axis: TimeAxis, v: Array, measured: Array, urdf: Array, own: Array
) -> tuple[Figure, ...]:
    """Those of one joint; none where nothing was measured."""
    if not np.isfinite(measured).any():
        return ()
    unit = joint.unit
    effort, rate = ('force', 'm/s') if unit == 'N' else ('torque', 'rad/s')
    both = [('urdf', urdf), ('identified', own)]
    left = [(role, measured - values) for role, values in both]
    rows = thinned(len(v), MOST_POINTS)
    points = tuple(Curve(f'{role} points', v[rows], one[rows]) for role, one in left)
    torques = axis.curves([('measured', measured), *both])
    over, label = 'Residual over velocity', f'velocity [{rate}]'
    torque = Panel('torque', f'Held-out {effort}', axis.label, effort, unit, torques)
    residual = Panel('residual', 'Residual', axis.label, 'residual', unit, axis.curves(left))
    velocity = Panel('velocity', over, label, 'residual', unit, points)
    hint = 'None of these samples was fitted. The plots zoom together.'
    step = 'A step at zero velocity is Coulomb friction that a model lacks, a slope viscous.'
    return (
        Figure('time', (torque, residual), hint, wide=True),
        Figure('velocity', (velocity,), step),
    )


def _excitation(
    summary: str, undetermined: Sequence[str], equations: Mapping[str, Mapping[str, int]]
) -> Section:
    """How much the motion of the recordings shows."""
    reasons = ('used', *REASONS)
    header = ('equations of', 'used', *(f'left out: {WORDS[reason]}' for reason in REASONS))
    rows = [
        (Cell(name), *(Cell(f'{numbers[reason]:,}', 'number') for reason in reasons))
        for name, numbers in equations.items()
    ]
    text = f'The data determine {summary}.'
    return Section('excitation', 'Excitation', text, undetermined, header, rows)


def _parameter(row: ParameterRow) -> tuple[Cell, ...]:
    same = math.isclose(row.value, row.nominal, rel_tol=1e-9, abs_tol=1e-12)
    value = 'as in the URDF' if same else quantity(row.value, row.unit)
    known = math.isfinite(row.low) and math.isfinite(row.high)
    interval = f'{number(row.low)} to {quantity(row.high, row.unit)}' if known else ''
    return (
        Cell(row.name), Cell.of(row.nominal, row.unit), Cell(value, 'number'),
        Cell(interval or 'not determined alone', 'number'),
    )  # fmt: skip


def _recordings(judgement: Judgement) -> Section:
    """Recordings and their held-out parts."""
    header = 'recording', 'topic', 'samples', 'held out', 'part', 'rate', 'cutoff', 'state'
    rows = [
        (
            Cell(one.file), Cell(one.topic), Cell(f'{one.samples:,}', 'number'),
            Cell(f'{one.held_out:,}', 'number'), Cell(_held_out(one)), Cell.of(one.rate, 'Hz'),
            Cell.of(one.cutoff, 'Hz'), Cell(one.error or 'used'),
        )
        for one in judgement.recordings
    ]  # fmt: skip
    return Section('made', 'How this report was made', header=header, rows=rows)


def _held_out(recording: JudgedRecording) -> str:
    """Which part of a recording was held out."""
    if math.isinf(recording.split):
        whole = f'all of it, {duration(recording.duration)}'
        return whole if recording.split < 0.0 else 'none: all of it is fitted'
    return f'from {quantity(recording.split, "s")} on, {duration(recording.duration)}'
