"""The parameters of an estimate as rows: nominal value, identified value, interval."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from statistics import NormalDist

import numpy as np

from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, constant_unit
from robot_dynamics_ros.core.checks import Array

from .base_parameters import BaseParameters
from .estimate import Estimate
from .intervals import HIGH, LOW
from .parameters import BODY, NOT_NEGATIVE

# Of a normal distribution: half the width of a 95 % interval.
HALF = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class ParameterRow:
    """One parameter, before and after.

    Attributes:
        name: such as 'panda_joint2 coulomb', or the sum that a base parameter is.
        unit: of the values.
        nominal: of the description.
        value: of the identified model.
        low: begin of the 95 % interval; NaN where the data do not determine the parameter.
        high: its end.
    """

    name: str
    unit: str
    nominal: float
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Value and interval in a line."""
        known = math.isfinite(self.low) and math.isfinite(self.high)
        interval = f'95 % from {self.low:.3g} to {self.high:.3g}' if known else 'no interval'
        return f'{self.name}: {self.value:.3g} {self.unit}, {interval}'


def joint_rows(base: BaseParameters, estimate: Estimate) -> tuple[ParameterRow, ...]:
    """Friction, rotors and offsets, joint by joint; the smoothing has no interval."""
    layout, unknown = base.layout, float('nan')
    rows: list[ParameterRow] = []
    for index, joint in enumerate(layout.model.independent_joints):
        columns = [layout.column(term, joint.name) for term in layout.terms]
        absent = layout.is_known & (layout.nominal() == 0.0)
        rows += _of_columns(base, estimate, [column for column in columns if not absent[column]])
        for name, usual in CONSTANTS.items():
            value = float(layout.constant(name)[index])
            if value != usual:
                unit = constant_unit(name, slides=joint.kind == 'prismatic')
                row = ParameterRow(f'{joint.name} {name}', unit, usual, value, unknown, unknown)
                rows.append(row)
    return tuple(rows)


def body_rows(base: BaseParameters, estimate: Estimate) -> tuple[ParameterRow, ...]:
    """Inertial parameters of bodies and loads."""
    return _of_columns(base, estimate, range(BODY * len(base.layout.bodies)))


def base_rows(base: BaseParameters, estimate: Estimate) -> tuple[ParameterRow, ...]:
    """Base parameters, each named by the sum that it is."""
    nominal, values = base.values(base.layout.nominal()), base.values(estimate.parameters)
    units = [base.layout.units[column] for column in base.columns]
    draws = estimate.draws @ base.combination.T if estimate.draws.size else None
    return _rows(base.sentences, units, nominal, values, draws)


def without_scale(
    rows: tuple[ParameterRow, ...], joints: Collection[str]
) -> tuple[ParameterRow, ...]:
    """The rows; those with a gain that stays unknown have no interval."""
    gains = tuple(f'{joint} gain' for joint in joints)
    return tuple(
        replace(row, low=float('nan'), high=float('nan'))
        if any(gain in row.name for gain in gains)
        else row
        for row in rows
    )


def deviations_alone(base: BaseParameters, estimate: Estimate) -> Array:
    """Standard deviations (p,) of parameters that data tell alone; NaN of all others.

    They include what plausible values of the parameters that these data do not tell would change:
    the estimate takes those of the URDF.

    Args:
        base: what the data determine.
        estimate: of least squares, with draws.
    """
    deviations = np.full(base.layout.size, np.nan)
    if estimate.draws.size:
        deviations = estimate.draws.std(axis=0)
        columns = list(base.columns)
        deviations[columns] = np.hypot(deviations[columns], base.spread)
    return np.where(base.alone, deviations, np.nan)


def negative_terms(
    base: BaseParameters,
    unconstrained: Estimate,
    terms: Sequence[str] = NOT_NEGATIVE,
) -> list[int]:
    """Columns of terms that are negative by more than their 95 % interval."""
    layout = base.layout
    columns = [column for term in terms for column in layout.columns(term).tolist()]
    widths = HALF * deviations_alone(base, unconstrained)
    with np.errstate(invalid='ignore'):
        negative = ~layout.is_known & (unconstrained.parameters + widths < 0.0)
    return [column for column in columns if negative[column]]


def _of_columns(
    base: BaseParameters, estimate: Estimate, columns: Sequence[int]
) -> tuple[ParameterRow, ...]:
    """The rows of parameters; those that the data do not tell alone have no interval."""
    layout, own = base.layout, list(columns)
    draws = np.where(base.alone, estimate.draws, np.nan)[:, own] if estimate.draws.size else None
    names, units = ([every[column] for column in own] for every in (layout.names, layout.units))
    return _rows(names, units, layout.nominal()[own], estimate.parameters[own], draws)


def _rows(
    names: Sequence[str], units: Sequence[str], nominal: Array, values: Array, draws: Array | None
) -> tuple[ParameterRow, ...]:
    """A row for each of k values, with draws (R, k)."""
    every = np.full((1, len(values)), np.nan) if draws is None else draws
    ends = np.quantile(every, [LOW, HIGH], axis=0)
    low, high = np.minimum(ends[0], values), np.maximum(ends[1], values)
    columns = (one.tolist() for one in (nominal, values, low, high))
    return tuple(starmap(ParameterRow, zip(names, units, *columns, strict=True)))
