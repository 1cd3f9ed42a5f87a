"""The spectrum and the histogram of the residual."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.evidence.extremes import extreme_rows

from ..words.numbers_as_text import number, quantity
from .joint_columns import JointColumns
from .panel import Array, Curve, Figure, Panel

BINS = 60
STRETCHES = 400
# Of a density, relative to its largest value [-]: what lies below is left by the filter.
LOWEST = 1e-4


def spectrum_figure(joint: JointColumns, comparison: Comparison) -> Figure:
    """Amplitude spectral densities of measurement and residual."""
    hint = (
        'A peak is a vibration, a ripple of the gears or the controller. The filter removes what '
        'is above its cutoff.'
    )
    curves = _densities(joint, comparison)
    if not curves:
        return Figure('spectrum', (), hint)
    cutoff = min((one.cutoff for one in comparison.recordings if one.cutoff > 0.0), default=np.nan)
    words = _spectrum_words(curves[-1], cutoff)
    if np.isfinite(cutoff):
        heights = np.concatenate([curve.y for curve in curves])
        line = np.array([np.nanmin(heights), np.nanmax(heights)])
        curves += (Curve('cutoff', 'cutoff', np.full(2, cutoff), line),)
    panel = Panel(
        'spectrum',
        'Spectrum',
        'frequency [Hz]',
        f'density [{joint.unit}/√Hz]',
        curves,
        words,
        log=True,
    )
    return Figure('spectrum', (panel,), hint)


def _densities(joint: JointColumns, comparison: Comparison) -> tuple[Curve, ...]:
    """Without the frequency zero and values that have no logarithm, or are of the filter alone."""
    spectrum = comparison.spectrum
    if spectrum is None:
        return ()
    curves = []
    for role in ('measured', 'residual'):
        density = np.sqrt(getattr(spectrum, role)[:, joint.column])
        highest = np.max(density, initial=0.0, where=np.isfinite(density))
        shown = (spectrum.frequencies > 0.0) & (density > LOWEST * highest)
        if shown.any():
            curves.append(
                Curve(role, role, *_on_paper(spectrum.frequencies[shown], density[shown]))
            )
    return tuple(curves)


def _on_paper(frequencies: Array, density: Array) -> tuple[Array, Array]:
    """The smallest and the largest of each stretch of a logarithmic axis."""
    edges = np.geomspace(frequencies[0], frequencies[-1], STRETCHES)
    rows = extreme_rows(density, np.unique(np.searchsorted(frequencies, edges[:-1])))
    return frequencies[rows], density[rows]


def _spectrum_words(residual: Curve, cutoff: float) -> str:
    """Where the power of the residual lies."""
    power = (
        np.cumsum(residual.y**2 * np.gradient(residual.x)) if len(residual.x) > 1 else residual.y
    )
    half = float(residual.x[np.searchsorted(power, 0.5 * power[-1])])
    strongest = float(residual.x[np.argmax(residual.y)])
    words = (
        f'Half of the power of the residual lies below {quantity(half, "Hz")}; '
        f'it is strongest at {quantity(strongest, "Hz")}.'
    )
    if np.isfinite(cutoff):
        words += f' Cutoff of the filter: {quantity(cutoff, "Hz")}.'
    return words


def histogram_figure(joint: JointColumns) -> Figure:
    """How often each residual occurs."""
    hint = 'A mean that is not zero is a bias; two hills are the two directions of friction.'
    residual = joint.residual[np.isfinite(joint.residual) & joint.samples.regular]
    if not len(residual):
        return Figure('histogram', (), hint)
    counts, edges = np.histogram(residual, bins=BINS)
    low, high = np.percentile(residual, (5, 95))
    every = joint.residual
    words = (
        f'90 % of the residuals lie between {number(float(low))} and '
        f'{quantity(float(high), joint.unit)}, all between {number(float(np.nanmin(every)))} and '
        f'{quantity(float(np.nanmax(every)), joint.unit)}.'
    )
    panel = Panel(
        'histogram',
        'Histogram of the residual',
        f'residual [{joint.unit}]',
        'share of the samples [%]',
        (Curve('counts', 'residual', _centres(edges), 100.0 * counts / len(residual)),),
        words,
    )
    return Figure('histogram', (panel,), hint)


def _centres(edges: Array) -> Array:
    centres: Array = 0.5 * (edges[1:] + edges[:-1])
    return centres
