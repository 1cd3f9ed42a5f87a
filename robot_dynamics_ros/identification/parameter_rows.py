"""The parameters of an estimate as rows: nominal value, identified value, interval."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import NormalDist

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .estimation import Estimate
from .identification import ParameterRow
from .observability import BaseParameters, Structure
from .parameters.parameter_layout import BODY

# Of a normal distribution: half the width of a 95 % interval.
DEVIATIONS = NormalDist().inv_cdf(0.975)


def joint_rows(
    structure: Structure, base: BaseParameters, estimate: Estimate
) -> tuple[ParameterRow, ...]:
    """Friction, rotors and offsets, joint by joint.

    Args:
        structure: of the robot.
        base: what the data determine.
        estimate: of the parameters.
    """
    layout = base.layout
    columns = [layout.column(term, joint) for joint in layout.joints for term in layout.terms]
    return _rows(structure, base, estimate, columns)


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


def _rows(
    structure: Structure, base: BaseParameters, estimate: Estimate, columns: Iterable[int]
) -> tuple[ParameterRow, ...]:
    layout, nominal = base.layout, base.layout.nominal()
    widths = _widths(structure, base, estimate)
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


def _widths(structure: Structure, base: BaseParameters, estimate: Estimate) -> Array:
    """Half widths of 95 % intervals (p,); NaN where no data tell a parameter alone.

    Parameters that these data do not tell are those of the description.
    """
    widths = np.full(base.layout.size, np.nan)
    deviations = dict(zip(base.columns, np.sqrt(np.diag(estimate.base_covariance)), strict=True))
    for column, row in zip(structure.columns, structure.combination, strict=True):
        if column in deviations and np.count_nonzero(row) == 1:
            widths[column] = DEVIATIONS * deviations[column]
    return widths


def _interval(value: float, width: float) -> tuple[float, float]:
    return float(value - width), float(value + width)
