"""The residual over velocity, where friction shows, and over position, where gravity shows."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.comparison import FrictionFit

from ..words.numbers_as_text import number, quantity
from .decimation import envelope, thinned
from .joint_columns import JointColumns
from .panel import Array, Curve, Figure, Panel

MOST_POINTS = 1000
PEAKS = 150
BINS = 40
POINTS_OF_FIT = 300
# A mean of fewer samples is noise.
FEWEST_OF_A_BIN = 5


def velocity_figure(joint: JointColumns) -> Figure:
    """The residual over velocity."""
    velocities = joint.of('velocities')
    unit = f'{joint.position_unit}/s'
    curves = _samples_and_mean(velocities, joint)
    words = _means_by_direction(velocities, joint)
    fit = joint.figures.friction
    if fit is not None and curves:
        curves += (_fit_curve(fit, joint),)
        words += ' ' + _fit_words(fit, joint)
    panel = Panel(
        'velocity',
        'Residual over velocity',
        f'velocity [{unit}]',
        f'residual [{joint.unit}]',
        curves,
        words,
    )
    hint = 'A step at zero velocity is Coulomb friction, a slope viscous friction.'
    return Figure('velocity', (panel,) if curves else (), hint)


def position_figure(joint: JointColumns) -> Figure:
    """The residual over position."""
    positions = joint.of('positions')
    curves = _samples_and_mean(positions, joint)
    words = ''
    if len(curves) > 1:
        mean = curves[1].y
        words = (
            f'The mean residual lies between {number(float(np.nanmin(mean)))} and '
            f'{quantity(float(np.nanmax(mean)), joint.unit)} at the positions from '
            f'{number(float(curves[1].x[0]))} to '
            f'{quantity(float(curves[1].x[-1]), joint.position_unit)}.'
        )
    panel = Panel(
        'position',
        'Residual over position',
        f'position [{joint.position_unit}]',
        f'residual [{joint.unit}]',
        curves,
        words,
    )
    hint = 'A curve like a sine is a wrong mass or centre of mass, or a missing payload.'
    return Figure('position', (panel,) if curves else (), hint)


def _samples_and_mean(x: Array, joint: JointColumns) -> tuple[Curve, ...]:
    """A choice of samples with every peak in time, and the mean of the regular ones over x."""
    residual = joint.residual
    finite = np.isfinite(x) & np.isfinite(residual)
    rows = np.flatnonzero(finite)
    if not len(rows):
        return ()
    peaks = envelope(rows.astype(np.float64), residual[rows], PEAKS)[0].astype(np.intp)
    chosen = np.union1d(peaks, rows[thinned(len(rows), MOST_POINTS)])
    points = Curve('samples', 'samples', x[chosen], residual[chosen])
    regular = finite & joint.samples.regular
    mean = _mean_in_bins(x[regular], residual[regular])
    return (points,) if mean is None else (points, mean)


def _mean_in_bins(x: Array, y: Array) -> Curve | None:
    low, high = float(x.min(initial=np.inf)), float(x.max(initial=-np.inf))
    if not low < high:
        return None
    edges = np.linspace(low, high, BINS + 1)
    # The middle edge of velocities in both directions is zero: no bin mixes the two.
    if low < 0.0 < high:
        edges += -edges[np.argmin(np.abs(edges))]
    place = np.searchsorted(edges, x, side='right')
    counts = np.bincount(place, minlength=BINS + 2)
    used = np.flatnonzero(counts >= FEWEST_OF_A_BIN)
    if not len(used):
        return None
    sums = np.bincount(place, weights=y, minlength=BINS + 2)
    centres = np.bincount(place, weights=x, minlength=BINS + 2)
    return Curve('mean', 'mean', centres[used] / counts[used], sums[used] / counts[used])


def _means_by_direction(velocities: Array, joint: JointColumns) -> str:
    parts = []
    for word, rows in (('negative', velocities < 0.0), ('positive', velocities > 0.0)):
        values = joint.residual[rows & joint.samples.regular]
        values = values[np.isfinite(values)]
        if len(values):
            parts.append(f'{quantity(float(values.mean()), joint.unit)} at {word} velocities')
    return f'Mean residual: {", ".join(parts) or "not known"}.'


def _fit_curve(fit: FrictionFit, joint: JointColumns) -> Curve:
    """The fitted law, less the friction of the description, which the residual does not hold."""
    velocities, described = joint.of('velocities'), joint.of('friction')
    finite = np.flatnonzero(np.isfinite(velocities) & np.isfinite(described))
    rows = finite[np.argsort(velocities[finite])]
    rows = rows[thinned(len(rows), POINTS_OF_FIT)]
    v = velocities[rows]
    law = fit.viscous * v + fit.coulomb * np.sign(v) + fit.offset
    return Curve('fit', 'fitted friction', v, law - described[rows])


def _fit_words(fit: FrictionFit, joint: JointColumns) -> str:
    return (
        f'Friction that fits together with the other findings: {number(fit.viscous)} '
        f'{joint.unit} s/{joint.position_unit} viscous, '
        f'{quantity(fit.coulomb, joint.unit)} Coulomb, '
        f'offset {quantity(fit.offset, joint.unit)}.'
    )
