"""The report of an identification: URDF and identified model on motion that was not fitted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.report.figures import Figure, Panel, curve, stacked
from robot_dynamics_ros.report.report import (
    JointReport,
    Report,
    Table,
    joint_level,
    recordings_table,
    shown,
)
from robot_dynamics_ros.report.text import number, quantity

from .parameters import FrictionCurve, ParameterRow
from .validation import nominal_friction

if TYPE_CHECKING:
    from .identified import Identified

COLUMNS = ('measured RMS', 'residual RMS of the URDF', 'of the identified model', 'ratio')
HINT = (
    'Each quarter of the time, or what was held out, is predicted by a model of the rest. '
    'Residual: measured minus torque of the model, with its 95 % interval by blocks of time. '
    '✓ certainly smaller than that of the URDF, by a tenth or more; ● not certainly, or by less, '
    'or a finding; ▲ certainly larger, by more than 5 %, or no parameter can be trusted.'
)
# Of the usual interval: rows that are farther apart are of two segments.
GAP = 1.5


def identification_report(found: Identified) -> Report:
    """What a page shows of an identification."""
    tables = {
        'Friction, rotors and offsets': found.parameters.joints,
        'Inertial parameters of the bodies': found.parameters.bodies,
        'Base parameters': found.parameters.sums,
    }
    return Report(
        robot=found.name,
        title='identified model',
        headline=found.summary,
        findings=shown(found.findings),
        joints=[*_joints(found)],
        columns=COLUMNS,
        hint=HINT,
        about=found.remarks,
        errors=found.doubts,
        tables=[
            *(_parameters(*one) for one in tables.items()),
            recordings_table(found.recordings, found.held_out),
        ],
    )


def _joints(found: Identified) -> Iterator[JointReport]:
    rows = found.recorded.whole
    signals = {
        'measured': np.where(rows.moving, rows.rigid + rows.torque, np.nan),
        'URDF': rows.rigid + nominal_friction(found.robot.model, rows),
        'identified': rows.rigid + found.predicted,
    }
    for column, (name, one) in enumerate(found.validation.items()):
        cells = (
            quantity(one.rms_measured, one.unit),
            quantity(one.rms_nominal, one.unit),
            quantity(one.rms_identified, one.unit, one.rms_low, one.rms_high),
            quantity(100.0 * one.gain, '%', 100.0 * one.gain_low, 100.0 * one.gain_high),
        )
        own = {key: values[:, column] for key, values in signals.items()}
        curves = found.parameters.curves
        figures = _over_time(one.unit, rows.times, own)
        figures += _friction(curves[name]) if figures and name in curves else []
        good = not one.moves or one.standing == 'better'
        level = joint_level(name, found.findings, bad=one.is_worse, good=good)
        yield JointReport(name, level, one.standing, cells, figures)


def _over_time(unit: str, times: Array, signals: dict[str, Array]) -> list[Figure]:
    """Efforts of a joint and their residuals; none where nothing was measured."""
    measured, step = signals['measured'], np.abs(np.diff(times))
    if not np.isfinite(measured).any():
        return []
    gaps = np.flatnonzero(step > GAP * np.median(step)) + 1
    efforts, residuals = [], []
    for name, values in signals.items():
        efforts += curve(name, times, values, gaps)
        residuals += [] if name == 'measured' else curve(name, times, measured - values, gaps)
    panels = [Panel('effort', unit, efforts), Panel('residual', unit, residuals)]
    return stacked('Predicted effort over time', 'time [s]', panels)


def _friction(found: FrictionCurve) -> list[Figure]:
    """The law that is written, and its band."""
    v = found.velocities
    band = np.append(v, v[::-1]), np.append(found.low, found.high[::-1])
    curves = [*curve('95 % interval', *band), *curve('identified', v, found.torques)]
    label = f'velocity [{"m/s" if found.unit == "N" else "rad/s"}]'
    return stacked('Friction over velocity', label, [Panel('friction', found.unit, curves)])


def _parameters(title: str, rows: Sequence[ParameterRow]) -> Table:
    """Values before and after, with intervals."""
    cells = []
    for row in rows:
        same = math.isclose(row.value, row.nominal, rel_tol=1e-9, abs_tol=1e-12)
        value = 'as in the URDF' if same else quantity(row.value, row.unit)
        known = f'{number(row.low)} to {number(row.high)}' if row.interval else ''
        nominal = quantity(row.nominal, row.unit)
        cells.append((row.name, nominal, value, known or 'not determined alone'))
    return Table(title, ('parameter', 'URDF', 'identified', '95 % interval'), cells)
