"""The report of an identification: URDF and identified model on motion that was not fitted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.report.figure import Array, Curve, Figure, Panel, TimeAxis
from robot_dynamics_ros.report.report import (
    Cell,
    JointReport,
    Level,
    Report,
    Section,
    findings_section,
    joints_section,
    overall,
    worst,
)
from robot_dynamics_ros.report.text import duration, number, quantity

from .parameters import FrictionCurve, ParameterRow
from .validation import JointValidation, nominal_friction

if TYPE_CHECKING:
    from .identified import Identified

COLUMNS = ('measured RMS', 'residual RMS, URDF', 'identified', 'identified / URDF')
HINT = (
    'Of motion that was not fitted. Residual: measured minus torque of the model; beside it '
    'the 95 % interval by blocks of time. ✓ smaller than that of the URDF by a tenth or more, and '
    'certainly; ● by less, not certainly, unknown, or a finding; ▲ larger by more than 5 %, and '
    'certainly, or no parameter can be trusted.'
)
ABOUT = (
    'Each part was predicted by a model that was fitted to the others. What is written was then '
    'fitted to everything that was recorded.'
)
NO_FINDING = 'None: nothing is wrong with the data.'
PARAMETERS = 'parameter', 'URDF', 'identified', '95 % interval'
TITLES = {
    'joint-parameters': 'Friction, rotors and offsets',
    'body-parameters': 'Inertial parameters of the bodies',
    'base-parameters': 'Base parameters',
}
ROW = {'torque': 2.4, 'residual': 2.0, 'velocity': 1.2}
STANDINGS = {
    'worse': 'Worse than the URDF.',
    'better': 'Better than the URDF.',
    'same': 'No certain difference from the URDF.',
    'unknown': 'Not validated: too little motion with an effort.',
}
# Of the usual interval: rows that are farther apart are of two segments.
GAP = 1.5


def identification_report(found: Identified) -> Report:
    """What a page or a picture shows of an identification."""
    joints = [*_joints(found)]
    levels = [one.severity for one in found.findings]
    parameters = found.parameters
    tables = parameters.joints, parameters.bodies, parameters.sums
    return Report(
        found.name,
        'identified model',
        ABOUT,
        found.summary,
        'error' if found.doubts else overall(joints, levels),
        joints,
        ROW,
        remarks=list(found.remarks),
        doubts=list(found.doubts),
        sections=[
            joints_section(joints, COLUMNS, HINT),
            findings_section(found.findings, NO_FINDING),
        ],
        later=[
            *(
                Section(key, title, header=PARAMETERS, rows=[_parameter(row) for row in part])
                for (key, title), part in zip(TITLES.items(), tables, strict=True)
            ),
            _recordings(found),
        ],
    )


def joint_level(joint: JointValidation, findings: list[Finding]) -> Level:
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


def _joints(found: Identified) -> Iterator[JointReport]:
    rows, model = found.recorded.whole, found.robot.model
    measured = np.where(rows.moving, rows.rigid + rows.torque, np.nan)
    nominal = rows.rigid + nominal_friction(model, rows)
    identified = rows.rigid + found.predicted
    lengths = [len(part.times) for part in found.recorded.parts]
    recording = np.repeat(np.arange(float(len(lengths))), lengths)
    step = np.diff(rows.times, prepend=-np.inf)
    begins = np.abs(step) > GAP * np.median(step)
    axis = TimeAxis(rows.times, recording, begins, model.size)
    for column, (name, one) in enumerate(found.validation.items()):
        own = Cell.of(one.rms_identified, one.unit, one.rms_low, one.rms_high)
        ratio = Cell.of_ratio(one.gain, one.gain_low, one.gain_high)
        urdf = Cell.of(one.rms_nominal, one.unit)
        known = math.isfinite(one.gain)
        numbers = f'Residual {own} (URDF {urdf}; ratio {ratio})' if known else ''
        signals = (values[:, column] for values in (measured, nominal, identified))
        yield JointReport(
            name,
            joint_level(one, [each for each in found.findings if name in each.joints]),
            numbers,
            STANDINGS[one.standing],
            (Cell.of(one.rms_measured, one.unit), urdf, own, ratio),
            _figures(one.unit, axis, found.parameters.curves.get(name), *signals),
        )


def _figures(
    unit: str,
    axis: TimeAxis,
    curve: FrictionCurve | None,
    measured: Array,
    urdf: Array,
    own: Array,
) -> tuple[Figure, ...]:
    """Those of one joint; none where nothing was measured."""
    if not np.isfinite(measured).any():
        return ()
    effort, rate = ('force', 'm/s') if unit == 'N' else ('torque', 'rad/s')
    both = [('urdf', urdf), ('identified', own)]
    left = [(role, measured - values) for role, values in both]
    torques = axis.curves([('measured', measured), *both])
    torque = Panel('torque', f'Predicted {effort}', axis.label, effort, unit, torques)
    residual = Panel('residual', 'Residual', axis.label, 'residual', unit, axis.curves(left))
    hint = 'None of these samples was fitted. The plots zoom together.'
    figures = [Figure('time', (torque, residual), hint, wide=True)]
    if curve is not None:
        v = curve.velocities
        band = np.append(v, v[::-1]), np.append(curve.low, curve.high[::-1])
        lines = Curve('interval', *band), Curve('identified', v, curve.torques)
        label = f'velocity [{rate}]'
        panel = Panel('velocity', 'Friction over velocity', label, 'friction', unit, lines)
        figures.append(Figure('velocity', (panel,), 'With its 95 % interval.'))
    return tuple(figures)


def _parameter(row: ParameterRow) -> tuple[Cell, ...]:
    same = math.isclose(row.value, row.nominal, rel_tol=1e-9, abs_tol=1e-12)
    value = 'as in the URDF' if same else quantity(row.value, row.unit)
    known = math.isfinite(row.low) and math.isfinite(row.high)
    interval = f'{number(row.low)} to {quantity(row.high, row.unit)}' if known else ''
    return (
        Cell(row.name), Cell.of(row.nominal, row.unit), Cell(value, 'number'),
        Cell(interval or 'not determined alone', 'number'),
    )  # fmt: skip


def _recordings(found: Identified) -> Section:
    """Where the data are from."""
    header = 'recording', 'topic', 'samples', 'duration', 'rate', 'cutoff', 'state'
    uses = 'used', 'held out'
    rows = [
        (
            Cell(one.file), Cell(one.topic), Cell(f'{one.samples:,}', 'number'),
            Cell(duration(one.duration), 'number'), Cell.of(one.rate, 'Hz'),
            Cell.of(one.cutoff, 'Hz'), Cell(one.error or uses[one.file in found.held_out]),
        )
        for one in found.recordings
    ]  # fmt: skip
    return Section('made', 'How this report was made', header=header, rows=rows)
