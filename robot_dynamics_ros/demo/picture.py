"""The picture of a run: nine panels in one PNG."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import panels, touch_panels
from .figures import Results
from .verdict import Verdict

_STYLE = {
    'font.size': 11,
    'axes.titlesize': 13,
    'axes.titleweight': 'bold',
    'axes.titlelocation': 'left',
    'axes.titlepad': 10,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.edgecolor': '#888888',
    'axes.grid': True,
    'axes.axisbelow': True,
    'grid.color': '#e6e6e6',
    'legend.frameon': False,
    'legend.fontsize': 10,
    'xtick.color': '#444444',
    'ytick.color': '#444444',
}


def draw(results: Results, verdict: Verdict, file: Path) -> None:
    """Draw the nine panels into a PNG."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(18, 15.5), layout='constrained')
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15, wspace=0.03, hspace=0.04)
        head, body = figure.subfigures(2, 1, height_ratios=[1, 15.5])
        _headline(head, results, verdict)
        axes = body.subplots(3, 3)
        panels.fall_and_hold(axes[0, 0], results)
        panels.tracking_over_time(axes[0, 1], results)
        panels.tracking_by_joint(axes[0, 2], results)
        panels.torque_and_parts(axes[1, 0], results)
        panels.mass_matrix(axes[1, 1], results)
        panels.latency(axes[1, 2], results)
        touch_panels.push_felt(axes[2, 0], results)
        touch_panels.collision_found(axes[2, 1], results)
        touch_panels.collision_held(axes[2, 2], results)
        figure.savefig(file, dpi=100)


def _headline(head: Figure, results: Results, verdict: Verdict) -> None:
    judged = [figure for figure in verdict.figures if figure.bound]
    held = sum(figure.passed for figure in judged)
    colour = panels.GOOD if verdict.passed else panels.BAD
    word = 'PASSED' if verdict.passed else 'FAILED'
    slow = f', {len(verdict.slow())} slow by load' if verdict.slow() else ''
    head.text(
        0.012,
        0.62,
        f'Torques for {verdict.arm}, computed from its URDF in real time',
        size=21,
        weight='bold',
        va='center',
    )
    head.text(
        0.012,
        0.16,
        f'An arm simulated by MuJoCo, {len(results.joints)} joints {results.friction}, publishes '
        f'{results.rate:.0f} states a second; robot_dynamics_ros answers each with torques.',
        size=13,
        color='#555555',
        va='center',
    )
    head.text(
        0.988,
        0.5,
        f'{word}\n{held} of {len(judged)} bounds hold{slow}',
        size=15,
        weight='bold',
        color=colour,
        ha='right',
        va='center',
        linespacing=1.4,
    )
