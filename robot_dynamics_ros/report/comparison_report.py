"""The report of a comparison: measured efforts, torques of the model, and their difference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.comparison import (
    FATAL,
    Comparison,
    Finding,
    FrictionFit,
    JointComparison,
    Samples,
)
from robot_dynamics_ros.comparison.evidence.extremes import extreme_rows
from robot_dynamics_ros.core.model.findings import counted, listed
from robot_dynamics_ros.parameter_yaml import yaml_value

from .figure import STYLES, Array, Curve, Figure, Panel, TimeAxis, envelope, thinned
from .provenance import Provenance
from .report import Cell, JointReport, Level, Report, Section, level_of, shown_findings, worst
from .text import NO_BREAK, duration, in_one_line, number, percent, quantity

COLUMNS = ('measured RMS', 'residual RMS', 'after the fit', 'residual / measured')
HINT = (
    'Residual: measured torque minus torque of the model. After the fit: with fitted friction and '
    'offset, and with what the findings name, such as a payload. ✓ no finding; ● a finding, and '
    'at most half of the effort is residual; ▲ more than half, or no parameter can be trusted.'
)
ROW = {'torque': 2.4, 'residual': 1.7, 'velocity': 1.0, 'position': 1.0}
# Findings of joints whose effort is not known to be the torque, with the friction that fits.
UNKNOWN = ('unexplained', 'factor', 'other_masses', 'not_judged')
TERMS = {
    'gravity': 'gravity', 'coriolis': 'Coriolis', 'inertia': 'inertia',
    'friction': 'fitted friction', 'residual': 'rest',
}  # fmt: skip
# Of a part of the torque, relative to the largest part [-]: what is below is rounding.
NOTHING = 1e-9
# Samples drawn over velocity and position, peaks among them, and points of the fit.
MOST_POINTS, PEAKS, POINTS_OF_FIT = 1000, 150, 300
# Bins of means, each of so many samples at least: the mean of fewer is noise; of the histogram.
BINS, FEWEST_OF_A_BIN, HISTOGRAM_BINS = 40, 5, 60
# Of a spectrum: drawn stretches, and the density below which the filter left nothing,
# relative to the largest [-].
STRETCHES, LOWEST = 400, 1e-4


def comparison_report(comparison: Comparison, provenance: Provenance) -> Report:
    """What a page or a picture shows of a comparison.

    Args:
        comparison: to show.
        provenance: how it was made.
    """
    joints = [*_joints(comparison)]
    levels = [one.level for one in joints] + [level_of(one) for one in comparison.findings]
    used = any(not one.error for one in comparison.recordings)
    units = {name: one.unit for name, one in comparison.joints.items()}
    findings = shown_findings(comparison.findings, units)
    return Report(
        comparison.robot,
        'measured torque and model',
        _about(comparison),
        _headline(comparison, {one.code: value for _, one, value in findings}),
        worst(levels) if used else 'bad',
        joints,
        ROW,
        columns=COLUMNS,
        hint=HINT,
        findings=findings,
        no_finding='None: nothing contradicts the model.',
        sections=_parameters(comparison),
        recordings=_recordings(comparison),
        provenance=provenance,
    )


def friction_parameters(comparison: Comparison) -> tuple[str, ...]:
    """The fitted friction as lines of friction.yaml, one for each joint.

    Args:
        comparison: whose fits they are.

    Returns:
        Empty where no friction is missing, or of no joint is known in the unit of its torque, or
        a finding makes every fit doubtful.
    """
    found = comparison.findings
    unknown = {name for one in found if one.code in UNKNOWN for name in one.joints}
    missing = {name for one in found if one.code == 'friction' for name in one.joints}
    if any(one.code in FATAL for one in found) or not missing - unknown:
        return ()
    lines = ['joints:']
    for name, one in comparison.joints.items():
        fit = None if name in unknown else one.friction
        pair = (fit.viscous, fit.coulomb) if fit else (0.0, 0.0)
        viscous, coulomb = (yaml_value(float(f'{value:.4g}')) for value in pair)
        remark = '' if fit else '  # not shown'
        joint = f'{yaml_value(name)}: {{viscous: {viscous}, coulomb: {coulomb}}}'
        lines.append(f'  {joint}{remark}')
    return tuple(lines)


def _headline(comparison: Comparison, values: dict[str, str]) -> str:
    """The result in one sentence, figures first."""
    if all(one.error for one in comparison.recordings):
        return 'No recording could be compared.'
    ratios = [one.relative_residual for one in comparison.joints.values()]
    known = sorted(filter(math.isfinite, ratios))
    begin = 'No effort was compared'
    if known:
        span = ' to '.join(dict.fromkeys(map(percent, (known[0], known[-1]))))
        begin = f'Residual: {span} of the measured effort'
    if not comparison.findings:
        return f'{begin}; no finding.'
    codes: dict[str, list[Finding]] = {}
    for one in comparison.findings:
        codes.setdefault(one.code, []).append(one)
    parts = [_gist(code, found, values[code]) for code, found in codes.items()]
    return f'{begin}; {counted(len(comparison.findings), "finding")}: {", ".join(parts)}.'


def _gist(code: str, found: list[Finding], value: str) -> str:
    """A code of findings, with its joints, and its value if there is one."""
    names = list(dict.fromkeys(name for one in found for name in one.joints))
    word = code.replace('_', ' ')
    # With a unit: others need their message.
    if len(found) == 1 and NO_BREAK in value:
        word = f'{word} {value}'
    if not names:
        return word
    return f'{word} in {in_one_line(names[0], 40) if len(names) == 1 else f"{len(names)} joints"}'


def _about(comparison: Comparison) -> str:
    """What was compared, in one line."""
    used = [one for one in comparison.recordings if not one.error]
    samples = sum(one.samples for one in used)
    rates = sorted({round(one.rate) for one in used if one.rate > 0.0})
    rate = ''
    if rates:
        rate = f' at {rates[0]} Hz' if len(rates) == 1 else f' at {rates[0]} to {rates[-1]} Hz'
    unused = len(comparison.recordings) - len(used)
    line = (
        f'{counted(len(comparison.joints), "joint")}, {counted(len(used), "recording")}, '
        f'{duration(sum(one.duration for one in used))}{rate}, {samples:,} samples'
    )
    if len(comparison.samples.times) < samples:
        line += f', {len(comparison.samples.times):,} drawn with every peak among them'
    if unused:
        line += f'; {counted(unused, "recording")} could not be used'
    if comparison.locked:
        locked = [in_one_line(name, 60) for name in comparison.locked]
        line += f'; not recorded with these and locked: {listed(locked)}'
    return f'{line}.'


def _parameters(comparison: Comparison) -> list[Section]:
    """Fitted friction to paste; nothing where no friction is missing."""
    text = 'Fitted friction, for the file of parameter joint_model (term friction):'
    lines = friction_parameters(comparison)
    return [Section('parameters', 'Parameters to set next', text, code=lines)] if lines else []


def _recordings(comparison: Comparison) -> Section:
    header = 'recording', 'topic', 'samples', 'duration', 'rate', 'cutoff of the filter', 'state'
    rows = [
        (
            Cell(one.file), Cell(one.topic), Cell(f'{one.samples:,}', 'number'),
            Cell(duration(one.duration), 'number'), Cell.of(one.rate, 'Hz'),
            Cell.of(one.cutoff, 'Hz'), Cell(one.error or 'compared'),
        )
        for one in comparison.recordings
    ]  # fmt: skip
    return Section('recordings', '', header=header, rows=rows)


def _joints(comparison: Comparison) -> Iterator[JointReport]:
    axis = TimeAxis(comparison.samples)
    for name, one in comparison.joints.items():
        figures: tuple[Figure, ...] = ()
        if name in comparison.samples.joints:
            column = comparison.samples.joints.index(name)
            drawn = JointFigures(one, comparison, axis, column)
            figures = tuple(figure for figure in drawn.all() if figure.panels)
        numbers = (
            f'Residual {quantity(one.rms_residual, one.unit)} of '
            f'{quantity(one.rms_measured, one.unit)} ({percent(one.relative_residual)}), '
            f'{quantity(one.rms_after_fit, one.unit)} after the fit'
        )
        cells = (
            Cell.of(one.rms_measured, one.unit), Cell.of(one.rms_residual, one.unit),
            Cell.of(one.rms_after_fit, one.unit), Cell.of_ratio(one.relative_residual),
        )  # fmt: skip
        level = joint_level(one, [found for found in comparison.findings if name in found.joints])
        yield JointReport(name, level, numbers, one.verdict, cells, figures)


def joint_level(joint: JointComparison, findings: list[Finding]) -> Level:
    """How well the model explains the effort of a joint.

    Args:
        joint: its figures.
        findings: that concern it.
    """
    if not joint.is_explained:
        return 'bad'
    known = math.isfinite(joint.relative_residual)
    return worst([*map(level_of, findings), *([] if known else ['noted'])])


@dataclass(frozen=True)
class JointFigures:
    """The figures of one joint.

    Attributes:
        joint: its figures of the comparison.
        comparison: of all joints.
        axis: the times of its samples.
        column: of the joint in the samples.
    """

    joint: JointComparison
    comparison: Comparison
    axis: TimeAxis
    column: int

    def all(self) -> tuple[Figure, ...]:
        """All of them; one without panels has nothing to show."""
        return (
            self._time(),
            self._velocity(),
            self._position(),
            self._spectrum(),
            self._histogram(),
        )

    @property
    def _samples(self) -> Samples:
        return self.comparison.samples

    def _of(self, name: str) -> Array:
        """(K,) one quantity of `Samples`, such as 'gravity'."""
        values: Array = getattr(self._samples, name)[:, self.column]
        return values

    @property
    def _effort(self) -> str:
        return 'force' if self.joint.unit == 'N' else 'torque'

    @property
    def _position_unit(self) -> str:
        return 'm' if self.joint.unit == 'N' else 'rad'

    def _quantity(self, value: float) -> str:
        return quantity(float(value), self.joint.unit)

    def _span(self, values: Array) -> str:
        finite = values[np.isfinite(values)]
        if not finite.size:
            return 'not measured'
        return f'from {number(float(finite.min()))} to {self._quantity(finite.max())}'

    def _time(self) -> Figure:
        """Torque, residual and parts of the torque, zoomed in time together."""
        panels = self._torque(), self._residual(), self._parts()
        hint = (
            f'Residual: measured {self._effort} minus that of the model. The plots zoom together: '
            'drag a rectangle to zoom in, double-click to zoom out.'
        )
        return Figure('time', tuple(panel for panel in panels if panel.curves), hint, wide=True)

    def _torque(self) -> Panel:
        measured, model = self._of('measured'), self._of('model')
        words = (
            f'Measured {self._effort} {self._span(measured)}, of the model {self._span(model)}; '
            f'correlation {number(self.joint.correlation)}'
        )
        if np.isfinite(self.joint.delay):
            words += f', delay {quantity(1e3 * self.joint.delay, "ms")}'
        title = f'{self._effort.capitalize()}: measured and model'
        label = f'{self._effort} [{self.joint.unit}]'
        curves = self.axis.curves([('measured', measured), ('model', model)])
        return Panel('torque', title, self.axis.label, label, curves, f'{words}.')

    def _residual(self) -> Panel:
        residual = self._of('residual')
        words = f'Residual {self._span(residual)}'
        if np.isfinite(residual).any():
            row = int(np.nanargmax(np.abs(residual)))
            words += f', largest at {quantity(self.axis.times[row], "s")}'
        words += (
            f'; RMS {self._quantity(self.joint.rms_residual)}, '
            f'mean {self._quantity(self.joint.bias)}.'
        )
        label = f'residual [{self.joint.unit}]'
        curves = self.axis.curves([('residual', residual)])
        return Panel('residual', 'Residual', self.axis.label, label, curves, words)

    def _parts(self) -> Panel:
        parts = {role: self._of(role) for role in TERMS if role != 'residual'}
        sizes = {
            role: float(np.nanmax(np.abs(values), initial=0.0)) for role, values in parts.items()
        }
        limit = NOTHING * max(sizes.values())
        drawn = [(role, values) for role, values in parts.items() if sizes[role] > limit]
        largest = ', '.join(
            f'{STYLES[role].name} {self._quantity(sizes[role])}' for role, _ in drawn
        )
        explained = ', '.join(
            f'{TERMS.get(term, term)} {percent(share)}'
            for term, share in self.joint.shares.items()
            if np.isfinite(share)
        )
        words = f'Largest magnitudes of the parts: {largest or "none"}.'
        if explained:
            words += f' Shares of the sum of squares of the measured {self._effort}: {explained}.'
        title = f'Parts of the {self._effort} of the model'
        label = f'{self._effort} [{self.joint.unit}]'
        return Panel('parts', title, self.axis.label, label, self.axis.curves(drawn), words)

    def _velocity(self) -> Figure:
        """The residual over velocity, where friction shows."""
        velocities, unit = self._of('velocities'), f'{self._position_unit}/s'
        curves = self._samples_and_mean(velocities)
        words = self._means_by_direction(velocities)
        fit = self.joint.friction
        if fit is not None and curves:
            curves += (self._fit_curve(fit),)
            words += (
                f' Friction that fits together with the other findings: {number(fit.viscous)} '
                f'{self.joint.unit} s/{self._position_unit} viscous, '
                f'{self._quantity(fit.coulomb)} Coulomb, offset {self._quantity(fit.offset)}.'
            )
        hint = 'A step at zero velocity is Coulomb friction, a slope viscous friction.'
        return self._over('velocity', unit, curves, words, hint)

    def _position(self) -> Figure:
        """The residual over position, where gravity shows."""
        curves, words = self._samples_and_mean(self._of('positions')), ''
        if len(curves) > 1:
            x, mean = curves[1].x, curves[1].y
            words = (
                f'Mean residual {self._span(mean)} at positions from {number(float(x[0]))} to '
                f'{quantity(float(x[-1]), self._position_unit)}.'
            )
        hint = 'A curve like a sine is a wrong mass or centre of mass, or a missing payload.'
        return self._over('position', self._position_unit, curves, words, hint)

    def _over(
        self, what: str, unit: str, curves: tuple[Curve, ...], words: str, hint: str
    ) -> Figure:
        title, label = f'Residual over {what}', f'residual [{self.joint.unit}]'
        panel = Panel(what, title, f'{what} [{unit}]', label, curves, words)
        return Figure(what, (panel,) if curves else (), hint)

    def _samples_and_mean(self, x: Array) -> tuple[Curve, ...]:
        """A choice of samples with every peak in time, and the mean of the regular ones over x."""
        residual = self._of('residual')
        finite = np.isfinite(x) & np.isfinite(residual)
        rows = np.flatnonzero(finite)
        if not len(rows):
            return ()
        peaks = envelope(rows.astype(np.float64), residual[rows], PEAKS)[0].astype(np.intp)
        chosen = np.union1d(peaks, rows[thinned(len(rows), MOST_POINTS)])
        regular = finite & self._samples.regular
        mean = _mean_in_bins(x[regular], residual[regular])
        return Curve('samples', x[chosen], residual[chosen]), *mean

    def _means_by_direction(self, velocities: Array) -> str:
        parts = []
        for word, rows in (('negative', velocities < 0.0), ('positive', velocities > 0.0)):
            values = self._of('residual')[rows & self._samples.regular]
            values = values[np.isfinite(values)]
            if len(values):
                parts.append(f'{self._quantity(values.mean())} at {word} velocities')
        return f'Mean residual: {", ".join(parts) or "not known"}.'

    def _fit_curve(self, fit: FrictionFit) -> Curve:
        """The fitted law, less the friction of the URDF, which the residual does not hold."""
        velocities, known = self._of('velocities'), self._of('friction')
        finite = np.flatnonzero(np.isfinite(velocities) & np.isfinite(known))
        rows = finite[np.argsort(velocities[finite])]
        rows = rows[thinned(len(rows), POINTS_OF_FIT)]
        v = velocities[rows]
        law = fit.viscous * v + fit.coulomb * np.sign(v) + fit.offset
        return Curve('fit', v, law - known[rows])

    def _spectrum(self) -> Figure:
        """Amplitude spectral densities of measurement and residual."""
        hint = (
            'A peak is a vibration, a ripple of the gears or the controller. The filter removes '
            'what is above its cutoff.'
        )
        densities = self._densities()
        if not densities:
            return Figure('spectrum', (), hint)
        curves = tuple(Curve(role, *_on_paper(*one)) for role, one in densities.items())
        cutoffs = [one.cutoff for one in self.comparison.recordings if one.cutoff > 0.0]
        words = _spectrum_words(*densities['residual']) if 'residual' in densities else ''
        if cutoffs:
            heights = np.concatenate([curve.y for curve in curves])
            ends = np.array([heights.min(), heights.max()])
            curves += (Curve('cutoff', np.full(2, min(cutoffs)), ends),)
            words += f' Cutoff of the filter: {quantity(min(cutoffs), "Hz")}.'
        label = f'density [{self.joint.unit}/√Hz]'
        panel = Panel(
            'spectrum', 'Spectrum', 'frequency [Hz]', label, curves, words.strip(), log=True
        )
        return Figure('spectrum', (panel,), hint)

    def _densities(self) -> dict[str, tuple[Array, Array]]:
        """Frequencies and densities, of both that have some.

        Without the frequency zero and values that have no logarithm, or are of the filter alone.
        """
        spectrum, densities = self.comparison.spectrum, {}
        for role in ('measured', 'residual') if spectrum is not None else ():
            density = np.sqrt(getattr(spectrum, role)[:, self.column])
            highest = np.max(density, initial=0.0, where=np.isfinite(density))
            shown = (spectrum.frequencies > 0.0) & (density > LOWEST * highest)
            if shown.any():
                densities[role] = (spectrum.frequencies[shown], density[shown])
        return densities

    def _histogram(self) -> Figure:
        """How often each residual occurs."""
        hint = 'A mean that is not zero is a bias; two hills are the two directions of friction.'
        every = self._of('residual')
        residual = every[np.isfinite(every) & self._samples.regular]
        if not len(residual):
            return Figure('histogram', (), hint)
        counts, edges = np.histogram(residual, bins=HISTOGRAM_BINS)
        low, high = np.percentile(residual, (5, 95))
        words = (
            f'90 % of the residuals lie between {number(float(low))} and {self._quantity(high)}, '
            f'all between {number(float(np.nanmin(every)))} and '
            f'{self._quantity(np.nanmax(every))}.'
        )
        bars = Curve('counts', 0.5 * (edges[1:] + edges[:-1]), 100.0 * counts / len(residual))
        x_label, y_label = f'residual [{self.joint.unit}]', 'samples [%]'
        panel = Panel('histogram', 'Histogram of the residual', x_label, y_label, (bars,), words)
        return Figure('histogram', (panel,), hint)


def _mean_in_bins(x: Array, y: Array) -> tuple[Curve, ...]:
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
    if not len(used):
        return ()
    sums = np.bincount(place, weights=y, minlength=BINS + 2)
    centres = np.bincount(place, weights=x, minlength=BINS + 2)
    return (Curve('mean', centres[used] / counts[used], sums[used] / counts[used]),)


def _on_paper(frequencies: Array, density: Array) -> tuple[Array, Array]:
    """The smallest and the largest of each stretch of a logarithmic axis."""
    edges = np.geomspace(frequencies[0], frequencies[-1], STRETCHES)
    rows = extreme_rows(density, np.unique(np.searchsorted(frequencies, edges[:-1])))
    return frequencies[rows], density[rows]


def _spectrum_words(frequencies: Array, density: Array) -> str:
    """Where the power of the residual lies."""
    power = np.cumsum(density**2)
    half = float(frequencies[np.searchsorted(power, 0.5 * power[-1])])
    strongest = float(frequencies[np.argmax(density)])
    return (
        f'Half of the power of the residual lies below {quantity(half, "Hz")}; '
        f'it is strongest at {quantity(strongest, "Hz")}.'
    )
