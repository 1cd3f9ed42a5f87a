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
from robot_dynamics_ros.core.model.findings import listed

from .figures import Figure, Panel, curve, stacked
from .report import MARKS, JointReport, Level, Report, Table, joint_level, recordings_table
from .text import number, quantity

COLUMNS = ('measured RMS', 'residual RMS', 'after the fit', 'residual / measured')
HINT = (
    'Residual: measured torque minus torque of the model. After the fit: with fitted friction and '
    'offset, and with what the findings name, such as a payload. ✓ no finding; ○ samples were '
    'left out; ● a finding, and at most half of the effort is residual; ▲ more than half, or no '
    'parameter can be trusted.'
)
ZOOM = 'Drag a rectangle to zoom in, double-click to zoom out.'
FRICTION = 'A step at zero velocity is Coulomb friction, a slope viscous friction.'
MASS = 'A curve like a sine is a wrong mass or centre of mass, or a missing payload.'
VIBRATION = 'A peak is a vibration, a ripple of the gears or the controller.'
# Of a part of a torque, relative to the largest one [-].
ROUNDING = 1e-9
# Samples drawn over velocity and position.
MAX_POINTS = 1000
# Bins of means, each of so many samples at least: the mean of fewer is noise.
BINS, MIN_OF_BIN = 40, 5


def comparison_report(compared: Sequence[Compared]) -> Report:
    """What a page shows of recordings: with plots where it is one."""
    used, several = [one for one in compared if not one.error], len(compared) > 1
    return Report(
        robot=used[0].robot if used else '',
        title='measured torque and model',
        headline=_headline(used),
        findings=[
            replace(one, message=f'{each.file}: {one.message}') if several else one
            for each in used
            for one in each.findings
        ],
        joints=[] if several else [_joint(one, name) for one in used for name in one.joints],
        columns=COLUMNS,
        hint=HINT,
        about=[
            f'{one.file}: not recorded and locked: {listed(one.locked)}.'
            for one in used
            if one.locked
        ],
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
    names = tuple(dict.fromkeys(name for one in used for name in one.joints))
    rows = [
        (
            one.file,
            *(
                f'{MARKS[_level(one, name)]} {one.joints[name].result}'
                if name in one.joints
                else ''
                for name in names
            ),
        )
        for one in used
    ]
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
    q, v, residual, friction = (
        getattr(samples, one)[:, column]
        for one in ('positions', 'velocities', 'residual', 'friction')
    )
    fit, remark, law = joint.friction, '', None
    if fit is not None:
        # The residual does not hold the friction of the URDF.
        law = fit.viscous * v + fit.coulomb * np.sign(v) + fit.offset - friction
        remark = (
            f'Fitted: {number(fit.viscous)} {unit} s/{length} viscous, '
            f'{quantity(fit.coulomb, unit)} Coulomb, offset {quantity(fit.offset, unit)}.'
        )
    over_v = Panel('residual', unit, _over(v, residual, law), remark)
    over_q = Panel('residual', unit, _over(q, residual))
    spectra = _spectra(compared, column, unit)
    return [
        *stacked('Torque over time', 'time [s]', _over_time(joint, samples, column), ZOOM),
        *stacked('Residual over velocity', f'velocity [{length}/s]', [over_v], FRICTION),
        *stacked('Residual over position', f'position [{length}]', [over_q], MASS),
        *stacked('Spectra up to the cutoff', 'frequency [Hz]', spectra, VIBRATION, log=True),
    ]


def _over_time(joint: JointComparison, samples: Samples, column: int) -> list[Panel]:
    """Measurement and model, their difference, and the parts of the model."""
    gaps = np.flatnonzero(samples.begins[1:]) + 1

    def curves(*names: str) -> list[Any]:
        values = {name: getattr(samples, name)[:, column] for name in names}
        sizes = {name: np.nanmax(np.abs(one), initial=0.0) for name, one in values.items()}
        least = ROUNDING * max(sizes.values())
        shown = [name for name in names if sizes[name] > least]
        return [curve(name, samples.times, values[name], gaps) for name in shown]

    unit = joint.unit
    shares = ', '.join(
        f'{name} {round(100.0 * one, 1) + 0.0:g} %' for name, one in joint.shares.items()
    )
    rms, mean = quantity(joint.rms_residual, unit), quantity(joint.bias, unit)
    correlation = f'Correlation {number(joint.correlation)}.'
    return [
        Panel(
            'force' if unit == 'N' else 'torque', unit, curves('measured', 'model'), correlation
        ),
        Panel('residual', unit, curves('residual'), f'RMS {rms}, mean {mean}.'),
        Panel('model terms', unit, curves(*TERMS), f'Of the sum of squares: {shares}.'),
    ]


def _over(x: Array, residual: Array, law: Array | None = None) -> list[Any]:
    """Some samples of the residual over x, the mean of all, and that of a law."""
    finite = np.isfinite(x) & np.isfinite(residual)
    if not finite.any():
        return []
    x, residual = x[finite], residual[finite]
    few = slice(None, None, math.ceil(len(x) / MAX_POINTS))
    low, high = float(x.min()), float(x.max())
    # Zero is an edge: no bin mixes both directions.
    largest = max(-low, high)
    counts, edges = np.histogram(x, BINS, (-largest, largest) if low < 0.0 < high else (low, high))
    used = (counts >= MIN_OF_BIN) & (low < high)

    def mean(values: Array) -> Array:
        return np.histogram(x, edges, weights=values)[0][used] / counts[used]

    return [
        curve('samples', x[few], residual[few]),
        curve('mean', mean(x), mean(residual)),
        *([] if law is None else [curve('fitted friction', mean(x), mean(law[finite]))]),
    ]


def _spectra(compared: Compared, column: int, unit: str) -> list[Panel]:
    """Amplitude spectral densities of measurement and residual, up to the cutoff."""
    spectrum = compared.spectrum
    if spectrum is None:
        return []
    shown = (spectrum.frequencies > 0.0) & ~(spectrum.frequencies > compared.cutoff)
    curves = [
        curve(name, spectrum.frequencies[shown], np.sqrt(getattr(spectrum, name)[shown, column]))
        for name in ('measured', 'residual')
    ]
    return [Panel('density', f'{unit}/√Hz', curves)]
