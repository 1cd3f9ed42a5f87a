"""Torque, residual and parts of the torque over time."""

from __future__ import annotations

import numpy as np

from ..words.numbers_as_text import number, percent, quantity
from .decimation import envelope
from .joint_columns import JointColumns
from .panel import Array, Curve, Figure, Panel, Role

PARTS: dict[Role, str] = {
    'gravity': 'gravity',
    'coriolis': 'Coriolis',
    'inertia': 'inertia',
    'friction': 'friction',
}
# Friction of the fit: see `JointComparison.shares`.
SHARES = {'coriolis': 'Coriolis', 'friction': 'fitted friction', 'residual': 'rest'}
# Of a part of the torque, relative to the largest part [-]: what is below is rounding.
NOTHING = 1e-9


def time_figure(joint: JointColumns, stretches: int, several: bool) -> Figure:
    """Three panels above each other, zoomed in time together.

    Args:
        joint: to draw.
        stretches: of time, of which the smallest and the largest value are drawn.
        several: whether there are several recordings.
    """
    label = 'time, recordings one after another [s]' if several else 'time [s]'
    panels = (
        _torque(joint, label, stretches),
        _residual(joint, label, stretches),
        _parts(joint, label, stretches),
    )
    hint = (
        f'Residual: measured {joint.effort} minus that of the model. The plots zoom together: '
        'drag a rectangle to zoom in, double-click to zoom out.'
    )
    return Figure('time', tuple(panel for panel in panels if panel.curves), hint, wide=True)


def _torque(joint: JointColumns, label: str, stretches: int) -> Panel:
    measured, model = joint.of('measured'), joint.of('model')
    figures = joint.figures
    words = (
        f'Measured {joint.effort} {_span(measured, joint.unit)}, of the model '
        f'{_span(model, joint.unit)}; correlation {number(figures.correlation)}'
    )
    if np.isfinite(figures.delay):
        words += f', delay {quantity(1e3 * figures.delay, "ms")}'
    return Panel(
        'torque',
        f'{joint.effort.capitalize()}: measured and model',
        label,
        f'{joint.effort} [{joint.unit}]',
        _curves(joint, stretches, [('measured', 'measured', measured), ('model', 'model', model)]),
        f'{words}.',
    )


def _residual(joint: JointColumns, label: str, stretches: int) -> Panel:
    residual = joint.residual
    figures = joint.figures
    words = f'Residual {_span(residual, joint.unit)}'
    if np.isfinite(residual).any():
        row = int(np.nanargmax(np.abs(residual)))
        words += f', largest at {quantity(joint.times[row], "s")}'
    words += (
        f'; RMS {quantity(figures.rms_residual, joint.unit)}, '
        f'mean {quantity(figures.bias, joint.unit)}.'
    )
    return Panel(
        'residual',
        'Residual',
        label,
        f'residual [{joint.unit}]',
        _curves(joint, stretches, [('residual', 'residual', residual)]),
        words,
    )


def _parts(joint: JointColumns, label: str, stretches: int) -> Panel:
    parts = [(role, name, joint.of(role)) for role, name in PARTS.items()]
    sizes = [np.nanmax(np.abs(values), initial=0.0) for _, _, values in parts]
    drawn = [part for part, size in zip(parts, sizes, strict=True) if size > NOTHING * max(sizes)]
    largest = ', '.join(
        f'{name} {quantity(float(np.nanmax(np.abs(values))), joint.unit)}'
        for _, name, values in drawn
    )
    shares = ', '.join(
        f'{SHARES.get(term, term)} {percent(share)}'
        for term, share in joint.figures.shares.items()
        if np.isfinite(share)
    )
    words = f'Largest magnitudes of the parts: {largest or "none"}.'
    if shares:
        words += f' Shares of the measured {joint.effort}: {shares}.'
    return Panel(
        'parts',
        f'Parts of the {joint.effort} of the model',
        label,
        f'{joint.effort} [{joint.unit}]',
        _curves(joint, stretches, drawn),
        words,
    )


def _curves(
    joint: JointColumns, stretches: int, listed: list[tuple[Role, str, Array]]
) -> tuple[Curve, ...]:
    """One curve for each quantity that has a finite value."""
    times = joint.interrupted(joint.times)
    return tuple(
        Curve(role, name, *envelope(times, joint.interrupted(values), stretches))
        for role, name, values in listed
        if np.isfinite(values).any()
    )


def _span(values: Array, unit: str) -> str:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 'not measured'
    return f'from {number(float(finite.min()))} to {quantity(float(finite.max()), unit)}'
