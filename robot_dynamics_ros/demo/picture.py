"""The picture of a run: nine panels in one PNG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import SymLogNorm
from matplotlib.figure import Figure

from .measures import Measured
from .plan import position_units
from .verdict import Verdict

INK, RED, ORANGE, GREEN = '#333333', '#c0392b', '#e39b2d', '#1a7f4b'
BLUE, PURPLE, BROWN, GREY = '#2c6fbb', '#8e44ad', '#d35400', '#7f8c8d'
TAKES = {
    'servo_only': (RED, 'servo alone'),
    'with_gravity': (ORANGE, 'servo + gravity compensation'),
    'with_feedforward': (GREEN, 'servo + feedforward'),
}
PARTS = {
    'gravity': (BLUE, 'gravity  g(q)'),
    'coriolis': (PURPLE, 'Coriolis  C(q, v) v'),
    'inertial': (BROWN, 'inertia  M(q) a'),
    'friction': (GREY, 'friction'),
}
COMMANDED = 'black', 'commanded'
SINCE = 'time since the fast trajectory began [s]'
MANY = 12
"""Joints from which on they are not named in a panel."""
BEFORE_TOUCH, AFTER_TOUCH = -0.02, 0.06
"""Shown around a collision [s]."""
_STYLE = {
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
}


def draw(acts: Mapping[str, Measured], verdict: Verdict, subtitle: str, file: Path) -> None:
    """Draw nine panels below a headline into a PNG."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(18, 15.5), layout='constrained')
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15, wspace=0.03, hspace=0.04)
        head, body = figure.subfigures(2, 1, height_ratios=[1, 15.5])
        _headline(head, verdict, subtitle)
        panels = _Panels(acts, verdict).all()
        for panel, axes in zip(panels, body.subplots(3, 3).flat, strict=True):
            panel(axes)
        figure.savefig(file, dpi=100)


def _headline(head: Figure, verdict: Verdict, subtitle: str) -> None:
    held = [figure.passed for figure in verdict.figures if figure.sign]
    passed, colour = ('PASSED', GREEN) if verdict.passed else ('FAILED', RED)
    said = f'{passed}\n{sum(held)} of {len(held)} bounds hold'
    title = f'Torques for {verdict.model.name}, computed from its URDF in real time'
    head.text(0.012, 0.62, title, size=21, weight='bold', va='center')
    head.text(0.012, 0.16, subtitle, size=13, color='#555555', va='center')
    bold = {'size': 15, 'weight': 'bold', 'linespacing': 1.4}
    head.text(0.988, 0.5, said, color=colour, ha='right', va='center', **bold)


class _Panels:
    """The panels of the acts of an arm."""

    def __init__(self, acts: Mapping[str, Measured], verdict: Verdict) -> None:
        model = verdict.model
        self._data = {name: act.data for name, act in acts.items()}
        self._values = {key: value for act in acts.values() for key, value in act.values.items()}
        self._names, self._sliding = model.joint_names, model.sliding
        self._units, self._effort_units = position_units(model), model.effort_units
        self._few = len(self._names) <= MANY
        # Shown of all joints: whose torque varies most, and who feels the collision most.
        self._busiest = int(np.ptp(self._data['tracking']['effort'][1], axis=0).argmax())
        times, external = self._data['collision']['external']
        near = (times >= 0.0) & (times <= AFTER_TOUCH)
        self._touched = int(np.abs(external[near if near.any() else ...]).max(axis=0).argmax())

    def all(self):
        """In the order of the picture."""
        first = self._release, self._errors, self._joints, self._torques, self._mass
        return *first, self._latency, self._push, self._contact, self._hold

    def _release(self, axes: Axes) -> None:
        """The displacement of each joint, and that of the worst one that is held."""
        (times, fall), (held_times, hold) = (self._data['release'][k] for k in ('fall', 'hold'))
        axes.set_prop_cycle(color=mpl.colormaps['viridis'](np.linspace(0, 0.9, fall.shape[1])))
        lines = axes.plot(times, fall, lw=1.8)
        for line, name in zip(lines, self._names if self._few else ['every joint'], strict=False):
            line.set_label(name)
        worst = hold[:, np.abs(hold).max(axis=0).argmax()]
        axes.plot(held_times, worst, color='black', lw=3.5)
        units, largest = ' or '.join(dict.fromkeys(self._units)), self._values['drift']
        drift = f'drift {largest:.0e} {units}' if largest else 'no drift'
        text = f'\nheld by gravity compensation:\n{drift} in {held_times[-1]:.2g} s'
        axes.text(held_times[-1], worst[-1], text, ha='right', va='top', weight='bold')
        x, y = 'time since the brake was released [s]', f'joint displacement [{units}]'
        columns = 2 if self._few else 1
        _finish(axes, 'Released, without and with g(q)', x, y, 'without torque', columns)

    def _errors(self, axes: Axes) -> None:
        """The tracking errors of the joint whose torque varies most."""
        for name, style in TAKES.items():
            _plot(axes, self._data['tracking'][name], self._busiest, style, scale=1e3)
        y = f'position - reference [m{self._units[self._busiest]}]'
        _finish(axes, 'Tracking error on a fast trajectory', SINCE, y, self._names[self._busiest])

    def _joints(self, axes: Axes) -> None:
        """The RMS error of each joint, on a logarithmic axis."""
        tracking, places = self._data['tracking'], np.arange(len(self._names))
        rms = 1e3 * tracking['rms']
        for k, (colour, label) in enumerate(TAKES.values()):
            label = label.removeprefix('servo ') if k else label
            axes.barh(places + 0.27 * (k - 1), rms[k], 0.25, color=colour, label=label)
        for place, ratio, fed in zip(places, tracking['ratios'], rms[2], strict=True):
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

    def _torques(self, axes: Axes) -> None:
        """The feedforward torque of that joint, and its parts."""
        torques = self._data['tracking']
        _plot(axes, torques['effort'], self._busiest, COMMANDED, lw=3)
        for name, style in PARTS.items():
            if torques[name][1].any():
                _plot(axes, torques[name], self._busiest, style)
        axes.set_xlim(left=0.0)
        y = f'feedforward torque [{self._effort_units[self._busiest]}]'
        _finish(axes, 'Feedforward torque and its parts', SINCE, y, self._names[self._busiest], 2)

    def _mass(self, axes: Axes) -> None:
        """M(q) at the start position."""
        M, values = self._data['matrices']['mass'], self._values
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
        unit = 'SI units' if self._sliding.any() else 'kg m²'
        error = max(values['mass_error'], values['coriolis_error'])
        x = (
            'by the service; columns in the order of the rows;\n'
            f'M and C agree with Pinocchio to {error:.0e},\n'
            f'dM/dt - 2C is skew-symmetric to {values["skewness"]:.0e}'
        )
        axes.set(title=f'Mass matrix M(q) at the start [{unit}]', xlabel=x)

    def _latency(self, axes: Axes) -> None:
        """Histogram of the time from a joint state to its torque."""
        values = self._values
        p50, p99 = values['latency_p50'], values['latency_p99']
        edge = max(2.5 * p50, 1.15 * p99)
        latency = np.minimum(self._data['timing']['latency'], edge)
        axes.hist(latency, bins=np.linspace(0, edge, 60), color=BLUE)
        for value, label, style in ((p50, 'median', '--'), (p99, '99 % within', ':')):
            axes.axvline(value, color=INK, lw=1.5, ls=style, label=f'{label} {value:.2g} ms')
        counts = f'{values["command_rate"]:.0f} commands a second, {values["lost"]:.2g} %'
        x = f'time from a joint state to its torque [ms]\n{counts} of the states lost'
        _finish(axes, 'Latency from state to torque', x, 'number of states', '')

    def _push(self, axes: Axes) -> None:
        """The force on the tool that the node felt, beside what the joints can feel of it."""
        push, values = self._data['push'], self._values
        for i, (name, colour) in enumerate(zip('xyz', (BLUE, PURPLE, BROWN), strict=True)):
            _plot(axes, push['observable'], i, (colour, None), lw=4.5, alpha=0.3)
            _plot(axes, push['felt'], i, (colour, f'felt along {name}'), lw=1.6)
        whole = values['push_unfelt'] < 1.0
        partly = '' if whole else f',\nas far as {len(self._names)} joints feel it'
        axes.plot([], [], color='#b0b0b0', lw=4.5, label=f'acting, by MuJoCo{partly}')
        y = 'force on the tool, in its axes [N]'
        error = f'error of the median force {values["push_error"]:.2g} % (same URDF)'
        _finish(axes, 'A push on the tool, felt by the joints', 'time [s]', y, error, 2)

    def _contact(self, axes: Axes) -> None:
        """The external torque of the joint that feels the wall most."""
        i, (times, external) = self._touched, self._data['collision']['external']
        unit = self._effort_units[i]
        near = (times >= BEFORE_TOUCH) & (times <= AFTER_TOUCH)
        style = GREEN, f'felt by {self._names[i]} [{unit}]'
        _plot(axes, (1e3 * times[near], external[near]), i, style, marker='.')
        axes.axvline(0.0, color=RED, lw=1.5, label='the wall is touched')
        if np.isfinite(delay := self._values['collision_delay']):
            when = f'{delay:.2g} ms later' if delay else 'in the same state'
            axes.axvline(delay, color=INK, lw=1.5, ls='--', label=f'found {when}')
        axes.set_xlim(1e3 * BEFORE_TOUCH, 1e3 * AFTER_TOUCH)
        x, y = 'time since the wall was touched [ms]', f'external torque [{unit}]'
        force = f'largest force {self._values["wall_force"]:.0f} N'
        _finish(axes, 'A collision with a wall', x, y, force)

    def _hold(self, axes: Axes) -> None:
        """The command of the same joint: from feedforward to gravity compensation."""
        i, collision = self._touched, self._data['collision']
        _plot(axes, collision['effort'], i, COMMANDED, lw=3)
        _plot(axes, collision['gravity'], i, PARTS['gravity'])
        axes.axvline(0.0, color=RED, lw=1.5, label='the wall is touched')
        right, (times, position) = axes.twinx(), collision['position']
        right.plot(times, position[:, i] - position[-1, i], color=ORANGE, lw=1.5, ls=':')
        right.set_ylabel(f'position, from the last one [{self._units[i]}] (dotted)')
        right.grid(visible=False)
        x, y = 'time since the wall was touched [s]', f'torque [{self._effort_units[i]}]'
        _finish(axes, '... that ends in a hold', x, y, self._names[i], 1, right)


def _plot(axes, curve, joint: int, style, scale: float = 1.0, **options) -> None:
    """A curve of one joint, with a style of colour and label."""
    (times, rows), (colour, label) = curve, style
    axes.plot(times, scale * rows[:, joint], color=colour, label=label, **{'lw': 1.8} | options)


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
