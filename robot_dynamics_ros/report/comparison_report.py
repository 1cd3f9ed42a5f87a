"""The report of a comparison: measured efforts, torques of the model, and their difference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.comparison import Compared, Finding, JointComparison, Samples
from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.core.model.findings import counted, listed

from .figure import STYLES, Array, Curve, Figure, Panel, TimeAxis, envelope, thinned
from .report import (
    Cell,
    JointReport,
    Level,
    Report,
    Section,
    finding_value,
    findings_section,
    joints_section,
    overall,
    worst,
)
from .text import NO_BREAK, duration, in_one_line, number, percent, quantity

COLUMNS = ('measured RMS', 'residual RMS', 'after the fit', 'residual / measured')
HINT = (
    'Residual: measured torque minus torque of the model. After the fit: with fitted friction and '
    'offset, and with what the findings name, such as a payload. ✓ no finding; ○ samples were '
    'left out; ● a finding, and at most half of the effort is residual; ▲ more than half, or no '
    'parameter can be trusted.'
)
NO_FINDING = 'None: nothing contradicts the model.'
RECORDINGS = 'recording', 'topic', 'samples', 'duration', 'rate', 'cutoff of the filter', 'state'
ROW = {'torque': 2.4, 'residual': 1.7, 'velocity': 1.0, 'position': 1.0}
# How to read the figures of a joint.
HINTS = {
    'time': 'Residual: measured minus model. The plots zoom together: drag a rectangle to zoom '
    'in, double-click to zoom out.',
    'velocity': 'A step at zero velocity is Coulomb friction, a slope viscous friction.',
    'position': 'A curve like a sine is a wrong mass or centre of mass, or a missing payload.',
    'spectrum': 'A peak is a vibration, a ripple of the gears or the controller. The filter '
    'removes what is above its cutoff.',
}
# Of a part of the torque, relative to the largest part [-]: what is below is rounding.
NOTHING = 1e-9
# Samples drawn over velocity and position, points of the fit, and stretches of a spectrum.
MOST_POINTS, POINTS_OF_FIT, STRETCHES = 1000, 300, 1000
# Bins of means, each of so many samples at least: the mean of fewer is noise.
BINS, FEWEST_OF_A_BIN = 40, 5
# Of a spectrum: the density below which the filter left nothing, relative to the largest [-].
LOWEST = 1e-4


def comparison_report(compared: Sequence[Compared]) -> Report:
    """What a page or a picture shows of recordings: with plots where it is one."""
    used = [one for one in compared if not one.error]
    findings = [
        one if len(compared) == 1 else replace(one, message=f'{each.file}: {one.message}')
        for each in used
        for one in each.findings
    ]
    joints = [*_joints(used[0])] if len(compared) == 1 and used else []
    levels: list[Level] = [one.severity for one in findings]
    levels += ['error' if not used else 'warning'] if len(used) < len(compared) else []
    recordings = [
        (
            Cell(one.file), Cell(one.topic), Cell(f'{one.samples:,}', 'number'),
            Cell(duration(one.duration), 'number'), Cell.of(one.rate, 'Hz'),
            Cell.of(one.cutoff, 'Hz'), Cell(one.error or 'compared'),
        )
        for one in compared
    ]  # fmt: skip
    table = joints_section(joints, COLUMNS, HINT) if joints else _each(used)
    return Report(
        used[0].robot if used else '',
        'measured torque and model',
        _about(compared),
        _headline(used, findings),
        overall(joints, levels),
        joints,
        ROW,
        sections=[table, findings_section(findings, NO_FINDING)],
        later=[Section('made', 'How this report was made', header=RECORDINGS, rows=recordings)],
    )


def _each(used: Sequence[Compared]) -> Section:
    """What is found of each joint in each recording."""
    names = tuple(dict.fromkeys(name for one in used for name in one.joints))
    rows = [
        (
            Cell(names=(one.file,)),
            *(
                Cell(
                    joint.result,
                    level=joint_level(joint, [f for f in one.findings if name in f.joints]),
                )
                if (joint := one.joints.get(name))
                else Cell()
                for name in names
            ),
        )
        for one in used
    ]
    return Section('summary', 'Recordings', header=('recording', *names), rows=rows)


def joint_level(joint: JointComparison, findings: Sequence[Finding]) -> Level:
    """How well the model explains the effort of a joint."""
    if not joint.is_explained:
        return 'error'
    known: Level = 'good' if math.isfinite(joint.relative_residual) else 'warning'
    return worst([*(one.severity for one in findings), known])


def _headline(used: Sequence[Compared], findings: Sequence[Finding]) -> str:
    """The result in one sentence, figures first."""
    if not used:
        return 'No recording could be compared.'
    ratios = [one.relative_residual for each in used for one in each.joints.values()]
    known = sorted(filter(math.isfinite, ratios))
    begin = 'No effort was compared'
    if known:
        span = ' to '.join(dict.fromkeys(map(percent, (known[0], known[-1]))))
        begin = f'Residual: {span} of the measured effort'
    if not findings:
        return f'{begin}; no finding.'
    codes: dict[str, list[Finding]] = {}
    for one in findings:
        codes.setdefault(one.code, []).append(one)
    gists = ', '.join(_gist(code, found) for code, found in codes.items())
    return f'{begin}; {counted(len(findings), "finding")}: {gists}.'


def _gist(code: str, found: Sequence[Finding]) -> str:
    """A code of findings, with its joints, and its value if there is one."""
    names = list(dict.fromkeys(name for one in found for name in one.joints))
    word, value = code.replace('_', ' '), finding_value(found[0])
    # With a unit: others need their message.
    if len(found) == 1 and NO_BREAK in value:
        word = f'{word} {value}'
    if not names:
        return word
    return f'{word} in {in_one_line(names[0], 40) if len(names) == 1 else f"{len(names)} joints"}'


def _about(compared: Sequence[Compared]) -> str:
    """What was compared, in one line."""
    used = [one for one in compared if not one.error]
    samples, unused = sum(one.samples for one in used), len(compared) - len(used)
    joints = dict.fromkeys(name for one in used for name in one.joints)
    locked = dict.fromkeys(in_one_line(name, 60) for one in used for name in one.locked)
    parts = [
        f'{counted(len(joints), "joint")}, {counted(len(used), "recording")}, '
        f'{duration(sum(one.duration for one in used))}, {samples:,} samples',
        f'{counted(unused, "recording")} could not be used' if unused else '',
        f'not recorded and locked: {listed([*locked])}' if locked else '',
    ]
    return f'{"; ".join(filter(None, parts))}.'


def _joints(comparison: Compared) -> Iterator[JointReport]:
    samples = comparison.drawn
    if samples is None:
        return
    axis = TimeAxis(
        samples.times, np.zeros(len(samples.times)), samples.begins, len(samples.joints)
    )
    for name, one in comparison.joints.items():
        panels = _panels(one, comparison, samples, axis, name)
        numbers = (
            f'Residual {quantity(one.rms_residual, one.unit)} of '
            f'{quantity(one.rms_measured, one.unit)} ({percent(one.relative_residual)}), '
            f'{quantity(one.rms_after_fit, one.unit)} after the fit'
        )
        cells = (
            Cell.of(one.rms_measured, one.unit), Cell.of(one.rms_residual, one.unit),
            Cell.of(one.rms_after_fit, one.unit), Cell.of_ratio(one.relative_residual),
        )  # fmt: skip
        yield JointReport(
            name,
            joint_level(one, [found for found in comparison.findings if name in found.joints]),
            numbers if math.isfinite(one.rms_residual) else '',
            one.result,
            cells,
            tuple(
                Figure(key, shown, HINTS[key], wide=key == 'time')
                for key, each in panels.items()
                if (shown := tuple(panel for panel in each if panel.curves))
            ),
        )


def _panels(
    joint: JointComparison, comparison: Compared, samples: Samples, axis: TimeAxis, name: str
) -> dict[str, list[Panel]]:
    """The panels of one joint by their figure; one without curves has nothing to show."""
    unit = joint.unit
    column = samples.joints.index(name)
    kind, length = ('force', 'm') if unit == 'N' else ('torque', 'rad')
    left, v = samples.residual[:, column], samples.velocities[:, column]

    def over_time(
        key: str, title: str, label: str, curves: Iterable[tuple[str, Array]], remark: str
    ) -> Panel:
        return Panel(key, title, axis.label, label, unit, axis.curves(curves), remark)

    rms, mean = (quantity(one, unit) for one in (joint.rms_residual, joint.bias))
    parts = {role: getattr(samples, role)[:, column] for role in TERMS}
    sizes = {role: np.nanmax(np.abs(part), initial=0.0) for role, part in parts.items()}
    least = NOTHING * max(sizes.values())
    explained = ', '.join(
        f'{STYLES[term].name} {percent(part)}'
        for term, part in joint.shares.items()
        if math.isfinite(part)
    )
    time = [
        over_time(
            'torque',
            f'{kind.capitalize()}: measured and model',
            kind,
            [('measured', samples.measured[:, column]), ('model', samples.model[:, column])],
            f'Correlation {number(joint.correlation)}',
        ),
        over_time(
            'residual', 'Residual', 'residual', [('residual', left)], f'RMS {rms}, mean {mean}'
        ),
        over_time(
            'parts',
            f'Parts of the {kind} of the model',
            kind,
            [(role, one) for role, one in parts.items() if sizes[role] > least],
            explained and f'Of the sum of squares of the measured {kind}: {explained}',
        ),
    ]
    over_v, fit, remark = _samples_and_mean(v, left), joint.friction, ''
    if fit is not None and over_v:
        # The residual does not hold the friction of the URDF.
        rows = np.flatnonzero(np.isfinite(v) & np.isfinite(parts['friction']))
        rows = rows[np.argsort(v[rows])][thinned(len(rows), POINTS_OF_FIT)]
        law = fit.viscous * v[rows] + fit.coulomb * np.sign(v[rows]) + fit.offset
        over_v += (Curve('fit', v[rows], law - parts['friction'][rows]),)
        remark = (
            f'Fitted: {number(fit.viscous)} {unit} s/{length} viscous, '
            f'{quantity(fit.coulomb, unit)} Coulomb, offset {quantity(fit.offset, unit)}'
        )
    over_q = _samples_and_mean(samples.positions[:, column], left)
    title, label = 'Residual over velocity', f'velocity [{length}/s]'
    velocity = Panel('velocity', title, label, 'residual', unit, over_v, remark)
    title, label = 'Residual over position', f'position [{length}]'
    position = Panel('position', title, label, 'residual', unit, over_q)
    spectrum = _spectrum(comparison, column, unit)
    return {'time': time, 'velocity': [velocity], 'position': [position], 'spectrum': [spectrum]}


def _spectrum(comparison: Compared, column: int, unit: str) -> Panel:
    """Amplitude spectral densities of measurement and residual."""
    spectrum, remark, curves = comparison.spectrum, '', []
    for role in ('measured', 'residual') if spectrum is not None else ():
        density = np.sqrt(getattr(spectrum, role)[:, column])
        highest = np.max(density, initial=0.0, where=np.isfinite(density))
        # Neither the frequency zero nor what has no logarithm, or is of the filter alone.
        shown = (spectrum.frequencies > 0.0) & (density > LOWEST * highest)
        if not shown.any():
            continue
        frequencies, density = spectrum.frequencies[shown], density[shown]
        curves.append(Curve(role, *envelope(frequencies, density, STRETCHES)))
        power = np.cumsum(density**2)
        half = float(frequencies[np.searchsorted(power, 0.5 * power[-1])])
        remark = (
            f'Half of the power of the residual lies below {quantity(half, "Hz")}; it is '
            f'strongest at {quantity(float(frequencies[np.argmax(density)]), "Hz")}'
        )
    cutoff = comparison.cutoff
    if curves and cutoff > 0.0:
        heights = np.concatenate([curve.y for curve in curves])
        ends = np.array([heights.min(), heights.max()])
        curves.append(Curve('cutoff', np.full(2, cutoff), ends))
        remark += f'; cutoff of the filter {quantity(cutoff, "Hz")}'
    label, density_unit = 'frequency [Hz]', f'{unit}/√Hz'
    return Panel(
        'spectrum', 'Spectrum', label, 'density', density_unit, tuple(curves), remark, log=True
    )


def _samples_and_mean(x: Array, left: Array) -> tuple[Curve, ...]:
    """Some of the residuals, and the mean of all, over x."""
    finite = np.isfinite(x) & np.isfinite(left)
    if not finite.any():
        return ()
    x, left = x[finite], left[finite]
    some = thinned(len(x), MOST_POINTS)
    return Curve('samples', x[some], left[some]), *_mean(x, left)


def _mean(x: Array, y: Array) -> tuple[Curve, ...]:
    """The mean of y in stretches of x; none where no stretch has samples enough."""
    low, high = float(x.min(initial=np.inf)), float(x.max(initial=-np.inf))
    if not low < high:
        return ()
    edges = np.linspace(low, high, BINS + 1)
    # The middle edge of velocities in both directions is zero: no bin mixes the two.
    if low < 0.0 < high:
        edges += -edges[np.argmin(np.abs(edges))]
    place = np.searchsorted(edges, x, side='right')
    counts = np.bincount(place, minlength=BINS + 2)
    used = np.flatnonzero(counts >= FEWEST_OF_A_BIN)
    sums, centres = (np.bincount(place, one, BINS + 2)[used] / counts[used] for one in (y, x))
    return (Curve('mean', centres, sums),) if len(used) else ()
