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
# Of a plausible value: the deviation of a parameter that data tell.
TOLD = 0.5


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
    covariance = base.combination @ estimate.covariance @ base.combination.T
    widths = DEVIATIONS * np.sqrt(np.diag(covariance))
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
    widths = _widths(estimate)
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


def _widths(estimate: Estimate) -> Array:
    """Half widths of 95 % intervals (p,); NaN where the data do not tell a parameter alone.

    Then it is as uncertain as a plausible value, or nearly so.
    """
    deviations = np.sqrt(np.diag(estimate.covariance))
    told = deviations < TOLD * estimate.plausible
    return np.where(told, DEVIATIONS * deviations, np.nan)


def _interval(value: float, width: float) -> tuple[float, float]:
    return float(value - width), float(value + width)
