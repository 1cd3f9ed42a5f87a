"""The spectrum and the histogram of the residual."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.evidence.extremes import extreme_rows

from ..words.numbers_as_text import number, quantity
from .joint_columns import JointColumns
from .panel import Array, Curve, Figure, Panel, Role

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
    densities = _densities(joint, comparison)
    if not densities:
        return Figure('spectrum', (), hint)
    curves = tuple(Curve(role, role, *_on_paper(*one)) for role, one in densities.items())
    cutoff = min((one.cutoff for one in comparison.recordings if one.cutoff > 0.0), default=np.nan)
    words = _spectrum_words(*densities['residual'], cutoff) if 'residual' in densities else ''
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


def _densities(joint: JointColumns, comparison: Comparison) -> dict[Role, tuple[Array, Array]]:
    """Frequencies and densities, of both that have some.

    Without the frequency zero and values that have no logarithm, or are of the filter alone.
    """
    spectrum = comparison.spectrum
    densities: dict[Role, tuple[Array, Array]] = {}
    if spectrum is None:
        return densities
    roles: tuple[Role, Role] = ('measured', 'residual')
    for role in roles:
        density = np.sqrt(getattr(spectrum, role)[:, joint.column])
        highest = np.max(density, initial=0.0, where=np.isfinite(density))
        shown = (spectrum.frequencies > 0.0) & (density > LOWEST * highest)
        if shown.any():
            densities[role] = (spectrum.frequencies[shown], density[shown])
    return densities


def _on_paper(frequencies: Array, density: Array) -> tuple[Array, Array]:
    """The smallest and the largest of each stretch of a logarithmic axis."""
    edges = np.geomspace(frequencies[0], frequencies[-1], STRETCHES)
    rows = extreme_rows(density, np.unique(np.searchsorted(frequencies, edges[:-1])))
    return frequencies[rows], density[rows]


def _spectrum_words(frequencies: Array, density: Array, cutoff: float) -> str:
    """Where the power of the residual lies."""
    power = np.cumsum(density**2)
    half = float(frequencies[np.searchsorted(power, 0.5 * power[-1])])
    strongest = float(frequencies[np.argmax(density)])
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
