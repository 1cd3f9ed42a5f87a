"""The picture of a run: the arm in each act, and nine panels, in one PNG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

from robot_dynamics_ros.control.feedforward import TERMS
from robot_dynamics_ros.core import RobotModel

from .figures import SIGNS, TAKES, Results, position_units

INK, RED, ORANGE, GREEN = '#333333', '#c0392b', '#e39b2d', '#1a7f4b'
BLUE, PURPLE, BROWN, GREY = '#2c6fbb', '#8e44ad', '#d35400', '#7f8c8d'
# Of the curves, by name.
STYLES = {
    'servo_only': {'color': RED, 'label': 'servo alone'},
    'with_gravity': {'color': ORANGE, 'label': 'servo + gravity compensation'},
    'with_feedforward': {'color': GREEN, 'label': 'servo + feedforward'},
    'effort': {'color': 'black', 'label': 'commanded', 'lw': 3},
    'gravity': {'color': BLUE, 'label': 'gravity  g(q)'},
    'coriolis': {'color': PURPLE, 'label': 'Coriolis  C(q, v) v'},
    'inertial': {'color': BROWN, 'label': 'inertia  M(q) a'},
    'friction': {'color': GREY, 'label': 'friction'},
}
TOUCH = {'color': RED, 'lw': 1.5, 'label': 'the wall is touched'}
SINCE = 'time since the fast trajectory began [s]'
MANY = 12  # joints from which on they are not named in a panel
BEFORE_TOUCH, AFTER_TOUCH = -0.02, 0.06  # shown around a collision [s]
RC = {
    'font.size': 11,
    'axes.titlesize': 13,
    'axes.titleweight': 'bold',
    'axes.titlelocation': 'left',
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.grid': True,
    'axes.axisbelow': True,
    'grid.color': '#e6e6e6',
    'legend.frameon': False,
    'legend.fontsize': 10,
    'lines.linewidth': 1.8,
}


def draw(
    model: RobotModel,
    results: Results,
    report: Mapping[str, Any],
    subtitle: str,
    file: Path,
    strip: Sequence[tuple[str, Any]],
) -> None:
    """Draw a headline, a strip of titled images, and nine panels into a PNG."""
    with mpl.rc_context(RC):
        heights = [1.0, 3.7 if strip else 0.01, 14.5]
        figure = Figure(figsize=(18, sum(heights)), layout='constrained')
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15, wspace=0.03, hspace=0.04)
        head, scenes, body = figure.subfigures(3, 1, height_ratios=heights)
        bounded = [one['passed'] for one in report['figures'].values() if SIGNS.keys() & one]
        passed, colour = ('PASSED', GREEN) if report['passed'] else ('FAILED', RED)
        bold = {'weight': 'bold', 'linespacing': 1.4}
        title = f'Torques for {model.name}, computed from its URDF'
        verdict = f'{passed}\n{sum(bounded)} of {len(bounded)} bounds hold'
        head.text(0.012, 0.62, title, size=21, va='center', **bold)
        head.text(0.012, 0.16, subtitle, size=13, color='#555555', va='center')
        head.text(0.988, 0.5, verdict, size=15, color=colour, ha='right', va='center', **bold)
        for k, (words, image) in enumerate(strip):
            axes = scenes.add_subplot(1, len(strip), k + 1)
            axes.imshow(image)
            axes.set_title(words, size=11)
            axes.set_axis_off()
        panels = _Panels(model, results)
        order = (
            panels.release, panels.errors, panels.joints, panels.torques, panels.mass,
            panels.latency, panels.push, panels.contact, panels.hold,
        )  # fmt: skip
        for panel, axes in zip(order, body.subplots(3, 3).flat, strict=True):
            panel(axes)
        figure.savefig(file, dpi=100)


class _Panels:
    """The panels of the acts of an arm."""

    def __init__(self, model: RobotModel, results: Results) -> None:
        self._results, self._names = results, model.joint_names
        self._units, self._effort_units = position_units(model), model.effort_units
        self._few = len(self._names) <= MANY
        # Shown of all joints: whose torque varies most, and who feels the collision most.
        self._busiest = int(np.ptp(results['torques']['effort'][1], axis=0).argmax())
        times, external = results['after']['external']
        near = (times >= 0.0) & (times <= AFTER_TOUCH)
        self._touched = int(np.abs(external[near if near.any() else ...]).max(axis=0).argmax())

    def release(self, axes: Axes) -> None:
        """The displacement of each joint, and that of the worst one that is held."""
        (times, fallen), (held_times, held) = self._results['fallen'], self._results['held']
        axes.set_prop_cycle(color=mpl.colormaps['viridis'](np.linspace(0, 0.9, fallen.shape[1])))
        lines = axes.plot(times, fallen)
        for line, name in zip(lines, self._names if self._few else ['every joint'], strict=False):
            line.set_label(name)
        worst = held[:, np.abs(held).max(axis=0).argmax()]
        axes.plot(held_times, worst, color='black', lw=3.5)
        units, largest = ' or '.join(dict.fromkeys(self._units)), self._results['drift']
        drift = f'drift {largest:.0e} {units}' if largest else 'no drift'
        text = f'\nheld by gravity compensation:\n{drift} in {held_times[-1]:.2g} s'
        axes.text(held_times[-1], worst[-1], text, ha='right', va='top', weight='bold')
        x, y = 'time since the brake was released [s]', f'joint displacement [{units}]'
        columns = 2 if self._few else 1
        _finish(axes, 'Released, without and with g(q)', x, y, 'without torque', columns)

    def errors(self, axes: Axes) -> None:
        """The tracking errors of the joint whose torque varies most."""
        _plot(axes, self._results['errors'], TAKES, self._busiest, scale=1e3)
        y = f'position - reference [m{self._units[self._busiest]}]'
        _finish(axes, 'Tracking error on a fast trajectory', SINCE, y, self._names[self._busiest])

    def joints(self, axes: Axes) -> None:
        """The RMS error of each joint, on a logarithmic axis."""
        places, rms = np.arange(len(self._names)), 1e3 * self._results['rms']
        for k, take in enumerate(TAKES):
            style = STYLES[take] | {
                'label': STYLES[take]['label'].removeprefix('servo ' * (k > 0))
            }
            axes.barh(places + 0.27 * (k - 1), rms[k], 0.25, **style)
        for place, ratio, fed in zip(places, self._results['ratios'], rms[2], strict=True):
            if self._few and ratio > 0:
                text = f'{1 / ratio:.0f} times less'
                axes.text(1.12 * fed, place + 0.27, text, va='center', size=10, color=GREEN)
        axes.set_xscale('log')
        axes.set_xlim(left=rms[rms > 0].min(initial=1e3) / 5)
        axes.set_yticks(places, self._names)
        axes.invert_yaxis()
        axes.grid(axis='y', visible=False)
        units = ' or '.join(dict.fromkeys(f'm{unit}' for unit in self._units))
        x = f'RMS tracking error, logarithmic [{units}]'
        axes.set(title='Tracking error of each joint', xlabel=x)
        axes.legend(loc='upper center', bbox_to_anchor=(0.4, -0.13), ncols=3, columnspacing=1.2)

    def torques(self, axes: Axes) -> None:
        """The feedforward torque of that joint, and its parts."""
        _plot(axes, self._results['torques'], ('effort', *TERMS), self._busiest)
        axes.set_xlim(left=0.0)
        y = f'feedforward torque [{self._effort_units[self._busiest]}]'
        _finish(axes, 'Feedforward torque and its parts', SINCE, y, self._names[self._busiest], 2)

    def mass(self, axes: Axes) -> None:
        """M(q) at the start position."""
        M, results = self._results['mass'], self._results
        n, bound = len(M), np.abs(M).max()
        norm = SymLogNorm(linthresh=bound / 30, vmin=-bound, vmax=bound)
        axes.imshow(M, cmap='RdBu_r', norm=norm, aspect='auto')
        if self._few:
            for (row, column), value in np.ndenumerate(M):
                colour = 'white' if abs(norm(value) - 0.5) > 0.33 else INK
                text = f'{value:.2g}' if abs(value) > 1e-12 * bound else '0'
                style = {'color': colour, 'size': 10 if n <= 6 else 7.5}
                axes.text(column, row, text, ha='center', va='center', **style)
            axes.set_yticks(range(n), self._names)
        axes.set_xticks([])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        unit = 'SI units' if 'm' in self._units else 'kg m²'
        error = max(results['mass_error'], results['coriolis_error'])
        x = (
            'by the service; columns in the order of the rows;\n'
            f'M and C agree with Pinocchio to {error:.0e},\n'
            f'dM/dt - 2C is skew-symmetric to {results["skewness"]:.0e}'
        )
        axes.set(title=f'Mass matrix M(q) at the start [{unit}]', xlabel=x)

    def latency(self, axes: Axes) -> None:
        """Histogram of the time from a joint state to its torque."""
        results = self._results
        p50, p99 = results['latency_p50'], results['latency_p99']
        edge = max(2.5 * p50, 1.15 * p99)
        axes.hist(np.minimum(results['latency'], edge), np.linspace(0, edge, 60), color=BLUE)
        for value, label, style in ((p50, 'median', '--'), (p99, '99 % within', ':')):
            axes.axvline(value, color=INK, lw=1.5, ls=style, label=f'{label} {value:.2g} ms')
        counts = f'{results["state_rate"]:.0f} states a second, {results["lost"]:.2g} % lost'
        x = f'time from a joint state to its torque [ms]\n{counts}'
        _finish(axes, 'Latency from state to torque', x, 'number of states', '')

    def push(self, axes: Axes) -> None:
        """The force on the tool that the node felt, beside what the joints can feel of it."""
        (times, felt), (_, observable) = self._results['felt'], self._results['observable']
        for i, (name, colour) in enumerate(zip('xyz', (BLUE, PURPLE, BROWN), strict=True)):
            axes.plot(times, observable[:, i], color=colour, lw=4.5, alpha=0.3)
            axes.plot(times, felt[:, i], color=colour, lw=1.6, label=f'felt along {name}')
        whole = self._results['push_unfelt'] < 1.0
        partly = '' if whole else f',\nas far as {len(self._names)} joints feel it'
        axes.plot([], [], color='#b0b0b0', lw=4.5, label=f'acting, by MuJoCo{partly}')
        y = 'force on the tool, in its axes [N]'
        error = f'error of the median force {self._results["push_error"]:.2g} % (same URDF)'
        _finish(axes, 'A push on the tool, felt by the joints', 'time [s]', y, error, 2)

    def contact(self, axes: Axes) -> None:
        """The external torque of the joint that feels the wall most."""
        times, external = self._results['after']['external']
        name, unit = self._names[self._touched], self._effort_units[self._touched]
        near = (times >= BEFORE_TOUCH) & (times <= AFTER_TOUCH)
        style = {'color': GREEN, 'label': f'felt by {name} [{unit}]', 'marker': '.'}
        axes.plot(1e3 * times[near], external[near, self._touched], **style)
        axes.axvline(0.0, **TOUCH)
        if np.isfinite(delay := self._results['collision_delay']):
            when = f'{delay:.2g} ms later' if delay else 'in the same state'
            axes.axvline(delay, color=INK, lw=1.5, ls='--', label=f'found {when}')
        axes.set_xlim(1e3 * BEFORE_TOUCH, 1e3 * AFTER_TOUCH)
        x, y = 'time since the wall was touched [ms]', f'external torque [{unit}]'
        force = f'largest force {self._results["wall_force"]:.0f} N'
        _finish(axes, 'A collision with a wall', x, y, force)

    def hold(self, axes: Axes) -> None:
        """The command of the same joint: from feedforward to gravity compensation."""
        i, after = self._touched, self._results['after']
        _plot(axes, after, ('effort', 'gravity'), i)
        axes.axvline(0.0, **TOUCH)
        right, (times, position) = axes.twinx(), after['position']
        right.plot(times, position[:, i] - position[-1, i], color=ORANGE, lw=1.5, ls=':')
        right.set_ylabel(f'position, from the last one [{self._units[i]}] (dotted)')
        right.grid(visible=False)
        x, y = 'time since the wall was touched [s]', f'torque [{self._effort_units[i]}]'
        _finish(axes, '... that ends in a hold', x, y, self._names[i], 1, right)


def _plot(axes: Axes, curves: Any, names: Iterable[str], joint: int, scale: float = 1.0) -> None:
    """The curves of these names for one joint; but for torques without such a part."""
    for name in names:
        times, rows = curves[name]
        if rows.any():
            axes.plot(times, scale * rows[:, joint], **STYLES[name])


def _finish(axes: Axes, title: str, x: str, y: str, legend: str, columns=1, *twins: Axes) -> None:
    """Label the axes, extend them and their twins upwards, and put the legend above the curves."""
    axes.set(title=title, xlabel=x, ylabel=y)
    labels = axes.get_legend_handles_labels()[1]
    rows = 1 - (-len(labels) // columns) + ''.join(labels).count('\n')
    for each in (axes, *twins):
        low, high = each.get_ylim()
        each.set_ylim(low, high + 0.09 * rows * (high - low))
    opaque = {'frameon': True, 'framealpha': 1.0, 'edgecolor': 'none'}
    axes.legend(loc='upper right', ncols=columns, title=legend, alignment='left', **opaque)
