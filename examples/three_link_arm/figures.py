"""Draws figures 5 and 6 of the paper from the simulation in `feedforward.py`.

In examples/: python -m three_link_arm.figures [folder]; without a folder, into docs/.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure

from three_link_arm.feedforward import LARGEST_ERROR, TORQUE_RANGES, Run, simulate

DOCS = Path(__file__).resolve().parents[2] / 'docs'
OURS, THEIRS, BOUND = '#1f5fa8', '#e08214', '#777777'


def draw_torques(run: Run, path: Path) -> None:
    """Figure 5: the torques, with the bounds of their ranges in the paper."""
    figure = Figure(figsize=(8, 6.5), layout='constrained')
    axes = figure.subplots(3, 1, sharex=True)
    figure.suptitle('Feedforward torques of the three-link arm (figure 5 of the paper)')
    for i, (panel, (low, high)) in enumerate(zip(axes, TORQUE_RANGES, strict=True)):
        torque = run.torque[:, i]
        for end in (low, high):
            panel.axhline(end, color=BOUND, linestyle='--', linewidth=1)
        panel.plot(run.time, torque, color=OURS)
        panel.margins(x=0, y=0.15)
        panel.set_ylabel(rf'$\tau_{i + 1}$ [N m]')
        panel.set_title(
            f'ours {torque.min():.3f} to {torque.max():.3f}, '
            f'paper {low:.3f} to {high:.3f} (dashed)',
            fontsize=9,
            loc='right',
        )
    axes[-1].set_xlabel('time [s]')
    figure.savefig(path, dpi=110)


def draw_errors(run: Run, path: Path) -> None:
    """Figure 6: references and responses, and their differences."""
    figure = Figure(figsize=(11, 6.5), layout='constrained')
    axes = figure.subplots(3, 2, sharex=True)
    figure.suptitle('Tracking by feedforward alone (figure 6 of the paper)')
    for i, (left, right) in enumerate(axes):
        left.plot(run.time, run.reference[:, i], color=THEIRS, linewidth=3, label='reference')
        left.plot(run.time, run.position[:, i], color=OURS, linestyle='--', label='response')
        left.set_ylabel(rf'$q_{i + 1}$ [rad]')
        right.plot(run.time, run.error[:, i] * 1e12, color=OURS)
        right.set_ylabel(rf'$e_{i + 1}$ [$10^{{-12}}$ rad]')
        worst = abs(run.error[:, i]).max()
        right.set_title(
            f'largest {worst:.1e} rad, bound {LARGEST_ERROR:.0e} rad', fontsize=9, loc='right'
        )
        for panel in (left, right):
            panel.margins(x=0, y=0.1)
    axes[0, 0].legend(loc='lower center', bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    for panel in axes[-1]:
        panel.set_xlabel('time [s]')
    figure.savefig(path, dpi=110)


def main() -> None:
    """Simulate, and draw both figures into the folder of the command line."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    run = simulate()
    draw_torques(run, folder / 'three_link_torques.png')
    draw_errors(run, folder / 'three_link_errors.png')
    print(f'largest error {abs(run.error).max():.2e} rad; figures in {folder}')


if __name__ == '__main__':
    main()
