"""The parameters of an estimate as rows: nominal value, identified value, interval."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SMOOTHING

from .consistency.unknowns import columns_not_negative
from .estimation import Estimate
from .identification import ParameterRow
from .observability import BaseParameters, Structure
from .parameters.parameter_layout import BODY, ParameterLayout

# Of a normal distribution: half the width of a 95 % interval.
DEVIATIONS = NormalDist().inv_cdf(0.975)


def joint_rows(
    structure: Structure, base: BaseParameters, estimate: Estimate
) -> tuple[ParameterRow, ...]:
    """Friction, rotors and offsets, joint by joint; the smoothing has no interval.

    Args:
        structure: of the robot.
        base: what the data determine.
        estimate: of the parameters.
    """
    layout = base.layout
    rows: list[ParameterRow] = []
    for index, joint in enumerate(layout.joints):
        columns = [layout.column(term, joint) for term in layout.terms]
        rows += [*_rows(structure, base, estimate, columns), *_smoothing(layout, index)]
    return tuple(rows)


def _smoothing(layout: ParameterLayout, index: int) -> Iterator[ParameterRow]:
    """That of the friction of a joint, where it is not the usual one."""
    value = float(layout.smoothings[index])
    if value != SMOOTHING:
        joint = layout.model.independent_joints[index]
        unit = 'm/s' if joint.kind == 'prismatic' else 'rad/s'
        unknown = float('nan')
        yield ParameterRow(f'{joint.name} smoothing', unit, SMOOTHING, value, unknown, unknown)


def body_rows(
    structure: Structure, base: BaseParameters, estimate: Estimate
) -> tuple[ParameterRow, ...]:
    """Inertial parameters of bodies and loads.

    Args:
        structure: of the robot.
        base: what the data determine.
        estimate: of the parameters.
    """
    return _rows(structure, base, estimate, range(BODY * len(base.layout.bodies)))


def base_rows(base: BaseParameters, estimate: Estimate) -> tuple[ParameterRow, ...]:
    """Base parameters, each named by the sum that it is.

    Args:
        base: what the data determine.
        estimate: of the parameters.
    """
    nominal, values = base.values(base.layout.nominal()), base.values(estimate.parameters)
    widths = DEVIATIONS * np.sqrt(np.diag(estimate.base_covariance))
    return tuple(
        ParameterRow(name, unit, float(before), float(value), *_interval(value, width))
        for name, unit, before, value, width in zip(
            base.sentences, base.units, nominal, values, widths, strict=True
        )
    )


def without_scale(
    rows: tuple[ParameterRow, ...], joints: Collection[str]
) -> tuple[ParameterRow, ...]:
    """The rows; those with a gain that stays unknown have no interval.

    Args:
        rows: parameters, or sums of some.
        joints: whose gain nothing fixes.
    """
    gains = tuple(f'{joint} gain' for joint in joints)
    return tuple(
        replace(row, low=float('nan'), high=float('nan'))
        if any(gain in row.name for gain in gains)
        else row
        for row in rows
    )


def deviations_alone(structure: Structure, base: BaseParameters, estimate: Estimate) -> Array:
    """Standard deviations (p,) of parameters that data tell alone; NaN of all others.

    They include what plausible values of the parameters that these data do not tell would change:
    the estimate takes those of the description.

    Args:
        structure: of the robot.
        base: what the data determine.
        estimate: whose noise counts.
    """
    deviations = np.full(base.layout.size, np.nan)
    own = np.hypot(np.sqrt(np.diag(estimate.base_covariance)), base.spread)
    found = dict(zip(base.columns, own, strict=True))
    for column, row in zip(structure.columns, structure.combination, strict=True):
        if column in found and np.count_nonzero(row) == 1:
            deviations[column] = found[column]
    return deviations


def _rows(
    structure: Structure, base: BaseParameters, estimate: Estimate, columns: Iterable[int]
) -> tuple[ParameterRow, ...]:
    layout, nominal = base.layout, base.layout.nominal()
    widths = DEVIATIONS * deviations_alone(structure, base, estimate)
    lowest = np.full(layout.size, -np.inf)
    if estimate.method == 'consistent':
        lowest[columns_not_negative(layout)] = 0.0
    return tuple(
        ParameterRow(
            layout.names[column],
            layout.units[column],
            float(nominal[column]),
            float(estimate.parameters[column]),
            *_interval(estimate.parameters[column], widths[column], lowest[column]),
        )
        for column in columns
    )


def _interval(value: float, width: float, lowest: float = -np.inf) -> tuple[float, float]:
    """Begin and end of an interval of values that are not below the lowest; NaN without one."""
    return float(np.maximum(value - width, lowest)), float(value + width)
