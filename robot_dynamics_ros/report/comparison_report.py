"""The report of a comparison: measured efforts, torques of the model, and their difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics_ros.comparison import Compared, JointComparison, Samples
from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.core.checks import Array

from .figures import MAX_STRETCHES, Figure, Panel, curve, stacked
from .report import MARKS, JointReport, Level, Report, Table, joint_level, recordings_table, shown
from .text import number, quantity

COLUMNS = ('measured RMS', 'residual RMS', 'after the fit', 'residual / measured')
HINT = (
    'Residual: measured effort minus torque of the model. After the fit: with friction, offset '
    'and what the findings name. ✓ no finding; ○ samples were left out; ● a finding; ▲ more than '
    'half of the effort is residual, or no parameter can be trusted.'
)
FRICTION = 'A step at zero velocity is Coulomb friction, a slope viscous friction.'
MASS = 'A curve like a sine is a wrong mass or centre of mass, or a missing payload.'
VIBRATION = 'A peak is a vibration, a ripple of the gears or the controller.'
# Bins of means, each of so many samples at least: the mean of fewer is noise.
BINS, MIN_OF_BIN = 40, 5


def comparison_report(compared: Sequence[Compared]) -> Report:
    """What a page shows of recordings: with plots where it is one."""
    used, several = [one for one in compared if not one.error], len(compared) > 1
    return Report(
        robot=used[0].robot if used else '',
        title='measured torque and model',
        headline=_headline(used),
        findings=shown(
            replace(one, message=f'{each.file}: {one.message}') if several else one
            for each in used
            for one in each.findings
        ),
        joints=[] if several else [_joint(one, name) for one in used for name in one.joints],
        columns=COLUMNS,
        hint=HINT,
        errors=[one.error for one in compared if one.error],
        tables=[*([_results(used)] if several else []), recordings_table(compared)],
    )


def _headline(used: Sequence[Compared]) -> str:
    """Range of the residuals, and codes of the findings."""
    ratios = (one.relative_residual for each in used for one in each.joints.values())
    known = sorted(100.0 * one for one in ratios if math.isfinite(one))
    ends = f'{number(known[0])} to {quantity(known[-1], "%")}' if known else '-'
    codes = dict.fromkeys(one.code.replace('_', ' ') for each in used for one in each.findings)
    return f'Residual: {ends} of the measured effort; {", ".join(codes) or "no finding"}'


def _results(used: Sequence[Compared]) -> Table:
    """What is found of each joint in each recording."""
    names, rows = dict.fromkeys(name for one in used for name in one.joints), []
    for one in used:
        results = {
            name: f'{MARKS[_level(one, name)]} {one.joints[name].result}' for name in one.joints
        }
        rows.append((one.file, *(results.get(name, '') for name in names)))
    return Table('Joints', ('recording', *names), rows)


def _level(compared: Compared, name: str) -> Level:
    joint = compared.joints[name]
    good = math.isfinite(joint.relative_residual)
    return joint_level(name, compared.findings, bad=not joint.is_explained, good=good)


def _joint(compared: Compared, name: str) -> JointReport:
    one = compared.joints[name]
    values = (one.rms_measured, one.rms_residual, one.rms_after_fit)
    ratio = quantity(100.0 * one.relative_residual, '%')
    cells = (*(quantity(value, one.unit) for value in values), ratio)
    figures = _figures(compared, compared.drawn, name) if compared.drawn else []
    return JointReport(name, _level(compared, name), one.result, cells, figures)


def _figures(compared: Compared, samples: Samples, name: str) -> list[Figure]:
    """Those of one joint."""
    joint, column = compared.joints[name], samples.joints.index(name)
    unit, length = joint.unit, 'm' if joint.unit == 'N' else 'rad'
    v, residual = samples.velocities[:, column], samples.residual[:, column]
    remark, unknown = '', np.full(len(v), np.nan)
    law = unknown
    if fit := joint.friction:
        # The residual does not hold the friction of the URDF.
        law = fit.viscous * v + fit.coulomb * np.sign(v) + fit.offset
        law = law - samples.friction[:, column]
        viscous = quantity(fit.viscous, f'{unit} s/{length}')
        coulomb, offset = quantity(fit.coulomb, unit), quantity(fit.offset, unit)
        remark = f'Fitted: viscous {viscous}, Coulomb {coulomb}, offset {offset}.'
    over_v = Panel('residual', unit, _over(v, residual, law), remark)
    over_q = Panel('residual', unit, _over(samples.positions[:, column], residual, unknown))
    density = Panel('density', f'{unit}/√Hz', _spectra(compared, column))
    return [
        *stacked('Effort over time', 'time [s]', _over_time(joint, samples, column)),
        *stacked('Residual over velocity', f'velocity [{length}/s]', [over_v], FRICTION),
        *stacked('Residual over position', f'position [{length}]', [over_q], MASS),
        *stacked('Spectra up to the cutoff', 'frequency [Hz]', [density], VIBRATION, log=True),
    ]


def _over_time(joint: JointComparison, samples: Samples, column: int) -> list[Panel]:
    """Measurement and model, their difference, and the terms of the model."""
    unit, gaps = joint.unit, np.flatnonzero(samples.begins[1:]) + 1

    def curves(*names: str) -> list[Any]:
        values = ((name, getattr(samples, name)[:, column]) for name in names)
        return [one for name, y in values for one in curve(name, samples.times, y, gaps)]

    parts = {name.capitalize(): 100.0 * share for name, share in joint.shares.items()}
    shares = ', '.join(f'{name} {quantity(share, "%")}' for name, share in parts.items())
    rms, mean = quantity(joint.rms_residual, unit), quantity(joint.bias, unit)
    correlation = f'Correlation {number(joint.correlation)}.'
    return [
        Panel('effort', unit, curves('measured', 'model'), correlation),
        Panel('residual', unit, curves('residual'), f'RMS {rms}, mean {mean}.'),
        Panel('model terms', unit, curves(*TERMS), f'Of the sum of squares: {shares}.'),
    ]


def _over(x: Array, residual: Array, law: Array) -> list[Any]:
    """Some samples of the residual over x, the mean of all, and that of a law."""
    finite = np.isfinite(x) & np.isfinite(residual)
    if not finite.any():
        return []
    x, residual, law = x[finite], residual[finite], law[finite]
    few = slice(None, None, math.ceil(len(x) / MAX_STRETCHES))
    low, high = float(x.min()), float(x.max())
    # Zero is an edge: no bin mixes both directions.
    largest = max(-low, high)
    counts, edges = np.histogram(x, BINS, (-largest, largest) if low < 0.0 < high else (low, high))
    used = (counts >= MIN_OF_BIN) & (low < high)
    sums = (np.histogram(x, edges, weights=one)[0][used] for one in (x, residual, law))
    centres, mean, fitted = (one / counts[used] for one in sums)
    return [
        *curve('samples', x[few], residual[few]),
        *curve('mean', centres, mean),
        *curve('fitted friction', centres, fitted),
    ]


def _spectra(compared: Compared, column: int) -> list[Any]:
    """Amplitude spectral densities of measurement and residual, up to the cutoff."""
    if (spectrum := compared.spectrum) is None:
        return []
    f = spectrum.frequencies
    shown = (f > 0.0) & ~(f > compared.cutoff)
    measured, residual = (
        np.sqrt(one[shown, column]) for one in (spectrum.measured, spectrum.residual)
    )
    return [*curve('measured', f[shown], measured), *curve('residual', f[shown], residual)]
