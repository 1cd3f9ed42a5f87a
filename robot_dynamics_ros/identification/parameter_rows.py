"""The parameters of an estimate as rows: nominal value, identified value, interval."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .estimation import Estimate
from .identification import ParameterRow
from .observability import BaseParameters
from .parameters.parameter_layout import BODY

# Of a normal distribution: half the width of a 95 % interval.
DEVIATIONS = 1.959964


def joint_rows(base: BaseParameters, estimate: Estimate) -> tuple[ParameterRow, ...]:
    """Friction, rotors and offsets, joint by joint.

    Args:
        base: what the data determine.
        estimate: of the parameters.
    """
    layout = base.layout
    columns = [layout.column(term, joint) for joint in layout.joints for term in layout.terms]
    return _rows(base, estimate, columns)


def body_rows(base: BaseParameters, estimate: Estimate) -> tuple[ParameterRow, ...]:
    """Inertial parameters of bodies and loads.

    Args:
        base: what the data determine.
        estimate: of the parameters.
    """
    return _rows(base, estimate, range(BODY * len(base.layout.bodies)))


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


def _rows(
    base: BaseParameters, estimate: Estimate, columns: Iterable[int]
) -> tuple[ParameterRow, ...]:
    layout, nominal = base.layout, base.layout.nominal()
    widths = _widths(base, estimate)
    return tuple(
        ParameterRow(
            layout.names[column],
            layout.units[column],
            float(nominal[column]),
            float(estimate.parameters[column]),
            *_interval(estimate.parameters[column], widths[column]),
        )
        for column in columns
    )


def _widths(base: BaseParameters, estimate: Estimate) -> Array:
    """Half widths of 95 % intervals (p,); NaN where a parameter is not told alone.

    Parameters that the data do not tell are those of the description.
    """
    widths = np.full(base.layout.size, np.nan)
    deviations = np.sqrt(np.diag(estimate.base_covariance))
    others = np.delete(base.combination, base.untold, axis=1)
    for row, column in enumerate(base.columns):
        if np.count_nonzero(others[row]) == 1:
            widths[column] = DEVIATIONS * deviations[row]
    return widths


def _interval(value: float, width: float) -> tuple[float, float]:
    return float(value - width), float(value + width)
