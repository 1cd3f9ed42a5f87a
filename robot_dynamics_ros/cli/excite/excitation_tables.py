"""The figures of merit of an excitation motion as lines, a table and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

if TYPE_CHECKING:
    from robot_dynamics_ros.identification.excitation.excited_motion import Excitation


def lines(excitation: Excitation, held: Mapping[str, float]) -> Iterator[str]:
    """What the motion is and tells, and what was assumed."""
    band, merit = excitation.band, excitation.merit
    repeated = f', {band.periods} periods' if band.periods > 1 else ''
    yield (
        f'{excitation.model.name}: {excitation.model.size} joints for '
        f'{excitation.settings.duration:g} s{repeated}, {band.harmonics} harmonics of '
        f'{band.frequency:.4g} Hz up to {band.highest:.4g} Hz'
    )
    yield (
        f'{excitation.information.rank} base parameters: log det {merit.log_det:.4g} (random '
        f'motions {np.median(excitation.random):.4g}), condition {merit.condition:.3g}; standard '
        f'deviations {excitation.improvement:.3g} times smaller than of the median of '
        f'{len(excitation.random)} random motions'
    )
    yield f'smallest distance: {_nearest(excitation)}'
    yield f'geometry: {excitation.clearance.words}'
    if held:
        positions = ', '.join(f'{name} {value:.4g}' for name, value in held.items())
        yield f'held still: {positions}'
    for one in excitation.clearance.unchecked:
        yield f'not checked: {one}'
    for one in excitation.clearance.exceptions:
        yield f'distance: {one}'
    for one in excitation.limits.assumptions:
        yield f'assumed: {one}'


def share_table(excitation: Excitation) -> Table:
    """The largest share of each limit that the motion uses."""
    table = Table(box=None, pad_edge=False, header_style='bold')
    table.add_column('joint')
    for column in ('start', 'from', 'to', 'range', 'velocity', 'acceleration', 'effort'):
        table.add_column(column, justify='right')
    used, series = excitation.used, excitation.series
    q, _, _ = series.at(np.linspace(0.0, excitation.band.period, 1000))
    for index, joint in enumerate(excitation.model.independent_joints):
        unit = 'm' if joint.kind == 'prismatic' else 'rad'
        numbers = (series.start[index], q[:, index].min(), q[:, index].max())
        limited = np.isfinite(excitation.limits.effort[index])
        table.add_row(
            joint.name,
            *(f'{number:.3f} {unit}' for number in numbers),
            *(f'{part[index]:.0%}' for part in (used.position, used.velocity, used.acceleration)),
            f'{used.effort[index]:.0%}' if limited else '-',
        )
    return table


def as_json(excitation: Excitation, held: Mapping[str, float]) -> dict[str, Any]:
    """The motion and its figures of merit, in SI units."""
    band, merit, used = excitation.band, excitation.merit, excitation.used
    return {
        'robot': excitation.model.name,
        'duration': excitation.settings.duration,
        'frequency': band.frequency,
        'harmonics': band.harmonics,
        'periods': band.periods,
        'seed': excitation.settings.seed,
        'base_parameters': excitation.information.rank,
        'log_det': merit.log_det,
        'condition': merit.condition,
        'random_log_det': float(np.median(excitation.random)),
        'improvement': excitation.improvement,
        'smallest_distance': used.apart,
        'nearest': used.pair,
        'smallest_height': used.height,
        'geometry': excitation.clearance.words,
        'not_checked': excitation.clearance.unchecked,
        'exceptions': excitation.clearance.exceptions,
        'assumptions': excitation.limits.assumptions,
        'held': held,
        'joints': [
            {
                'name': name,
                'start': excitation.series.start[index],
                'position': used.position[index],
                'velocity': used.velocity[index],
                'acceleration': used.acceleration[index],
                'effort': used.effort[index]
                if np.isfinite(excitation.limits.effort[index])
                else None,
                'cosines': excitation.series.coefficients[: band.harmonics, index],
                'sines': excitation.series.coefficients[band.harmonics :, index],
            }
            for index, name in enumerate(excitation.model.joint_names)
        ],
    }


def _nearest(excitation: Excitation) -> str:
    """The smallest distances, in words."""
    used = excitation.used
    parts = []
    if math.isfinite(used.apart):
        parts.append(f'{used.apart:.3f} m between {" and ".join(used.pair)}')
    if math.isfinite(used.height):
        parts.append(f'{used.height:.3f} m from the floor')
    return ', '.join(parts) or 'none is checked'
