"""The report of an identification: URDF and identified model on the held-out part."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.identification.identification import Identification, ParameterRow
from robot_dynamics_ros.identification.judgement import (
    HeldOutSamples,
    JointJudgement,
    JudgedRecording,
    Judgement,
)
from robot_dynamics_ros.identification.judgement.model_verdicts import NOTICEABLE
from robot_dynamics_ros.identification.regression.equations import REASONS

from .figure import Curve, Figure, Panel, TimeAxis, thinned
from .provenance import Provenance
from .report import Cell, JointReport, Level, Report, Section, level_of, shown_findings, worst
from .text import duration, number, percent, quantity

COLUMNS = ('measured RMS', 'residual RMS, URDF', 'identified', 'identified / URDF')
HINT = (
    'On the held-out part, of which no sample was fitted. Residual: measured torque minus torque '
    'of the model. ✓ smaller than that of the URDF by a tenth or more; ● by less, not judged, or '
    'a finding; ▲ larger by more than 5 %, or no parameter can be trusted.'
)
ROW = {'torque': 2.4, 'residual': 2.0, 'velocity': 1.2}
MOST_POINTS = 1000
# Why equations were left out.
WORDS = {
    'missing': 'no effort',
    'slow': 'slow or at rest',
    'saturated': 'effort saturated',
    'load_changes': 'load changes',
}


def identification_report(identification: Identification, provenance: Provenance) -> Report:
    """What a page or a picture shows of an identification.

    Args:
        identification: to show.
        provenance: how it was made.
    """
    judgement = identification.judgement
    joints = [*_joints(judgement)]
    levels = [one.level for one in joints] + [level_of(one) for one in judgement.findings]
    headline, *remarks = judgement.verdict
    return Report(
        judgement.robot,
        'identified model',
        'Held-out part: none of these samples was fitted. Residual: measured minus model.',
        headline,
        worst(levels) if not identification.objections else 'bad',
        joints,
        ROW,
        remarks=remarks,
        objections=identification.objections,
        columns=COLUMNS,
        hint=HINT,
        findings=shown_findings(
            judgement.findings, {name: one.unit for name, one in judgement.joints.items()}
        ),
        no_finding='None: nothing is wrong with the data.',
        later=[_excitation(identification), *_parameters(identification)],
        recordings=_recordings(judgement),
        provenance=provenance,
    )


def joint_level(joint: JointJudgement, findings: list[Finding]) -> Level:
    """How much better the identified model is at a joint.

    Args:
        joint: its figures.
        findings: that concern it.
    """
    if joint.is_worse:
        return 'bad'
    better = not joint.moves or joint.gain <= NOTICEABLE
    return worst([*map(level_of, findings), *([] if better else ['noted'])])


def _joints(judgement: Judgement) -> Iterator[JointReport]:
    axis = TimeAxis(judgement.samples)
    for column, (name, one) in enumerate(judgement.joints.items()):
        numbers = (
            f'Residual {quantity(one.rms_identified, one.unit)} '
            f'(URDF {quantity(one.rms_nominal, one.unit)}, {percent(one.gain)})'
        )
        cells = (
            Cell.of(one.rms_measured, one.unit), Cell.of(one.rms_nominal, one.unit),
            Cell.of(one.rms_identified, one.unit), Cell.of_ratio(one.gain),
        )  # fmt: skip
        level = joint_level(one, [found for found in judgement.findings if name in found.joints])
        figures = _figures(one, judgement.samples, axis, column)
        yield JointReport(name, level, numbers, one.verdict, cells, figures)


def _figures(
    joint: JointJudgement, samples: HeldOutSamples, axis: TimeAxis, column: int
) -> tuple[Figure, ...]:
    """Those of one joint; none where nothing was measured."""
    measured = samples.measured[:, column]
    if not np.isfinite(measured).any():
        return ()
    urdf, identified = samples.nominal[:, column], samples.identified[:, column]
    prismatic, unit = joint.unit == 'N', joint.unit
    effort, rate = ('force', 'm/s') if prismatic else ('torque', 'rad/s')
    of_both = (
        f'Residual RMS {quantity(joint.rms_nominal, unit)} with the URDF, '
        f'{quantity(joint.rms_identified, unit)} with the identified model.'
    )
    both = [('measured', measured), ('urdf', urdf), ('identified', identified)]
    residuals = [(role, measured - values) for role, values in both[1:]]
    torque = Panel(
        'torque', f'Held-out {effort}', axis.label, f'{effort} [{unit}]', axis.curves(both),
        f'RMS of the measured {effort} {quantity(joint.rms_measured, unit)}.',
    )  # fmt: skip
    residual = Panel(
        'residual', 'Residual', axis.label, f'residual [{unit}]', axis.curves(residuals), of_both
    )
    rows = thinned(len(samples.times), MOST_POINTS)
    v = samples.velocities[rows, column]
    curves = tuple(Curve(f'{role} points', v, left[rows]) for role, left in residuals)
    velocity = Panel(
        'velocity', 'Residual over velocity', f'velocity [{rate}]', f'residual [{unit}]', curves,
        of_both,
    )  # fmt: skip
    hint = 'None of these samples was fitted. The plots zoom together.'
    step = 'A step at zero velocity is Coulomb friction that a model lacks, a slope viscous.'
    return (
        Figure('time', (torque, residual), hint, wide=True),
        Figure('velocity', (velocity,), step),
    )


def _excitation(one: Identification) -> Section:
    """How much the motion of the recordings shows."""
    text = (
        f'The data determine {one.rank} of the {one.structural_rank} base parameters of this '
        f'robot; condition number {number(one.condition)}. Estimate: {one.method_words}.'
    )
    reasons = ('used', *REASONS)
    header = ('equations of', 'used', *(f'left out: {WORDS[reason]}' for reason in REASONS))
    rows = [
        (Cell(name), *(Cell(f'{numbers[reason]:,}', 'number') for reason in reasons))
        for name, numbers in one.equations.items()
    ]
    return Section('excitation', 'Excitation', text, one.undetermined, header, rows)


def _parameters(one: Identification) -> Iterator[Section]:
    """Parameters with intervals, values of the URDF beside."""
    header = 'parameter', 'URDF', 'identified', '95 % interval'
    for key, title, rows in (
        ('joint-parameters', 'Friction, rotors and offsets', one.joint_rows),
        ('body-parameters', 'Inertial parameters of the bodies', one.body_rows),
        ('base-parameters', 'Base parameters', one.base_rows),
    ):
        yield Section(key, title, header=header, rows=[_parameter(row) for row in rows])


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
    return Section('recordings', '', header=header, rows=rows)


def _held_out(recording: JudgedRecording) -> str:
    """Which part of a recording was held out."""
    if recording.split == math.inf:
        return 'none: all of it is fitted'
    if recording.split == -math.inf:
        return f'all of it, {duration(recording.duration)}'
    return f'from {quantity(recording.split, "s")} on, {duration(recording.duration)}'
