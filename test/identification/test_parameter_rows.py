"""Parameters as rows, with their intervals."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from simulated_recordings import urdf

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.estimation import Estimate
from robot_dynamics_ros.identification.observability import BaseParameters, structure_of
from robot_dynamics_ros.identification.parameter_rows import base_rows, body_rows, joint_rows
from robot_dynamics_ros.identification.parameters.parameter_layout import ParameterLayout


@pytest.fixture(scope='module')
def layout():
    return ParameterLayout(parse_urdf(urdf()))


@pytest.fixture(scope='module')
def rows(layout):
    structure = structure_of(layout)
    b = len(structure.columns)
    base = BaseParameters(
        layout, structure.columns, structure.combination, b, b, 1.0, tuple(map(str, range(b))), (),
        spread=np.zeros(b),
    )  # fmt: skip
    deviations = np.linspace(0.1, 1.0, b)
    estimate = Estimate(
        layout, layout.nominal() + 1.0, structure.columns, np.diag(deviations**2),
        np.ones(6), 'robust',
    )  # fmt: skip
    return structure, base, estimate, deviations


def test_intervals_are_those_of_the_covariance(rows):
    _, base, estimate, deviations = rows
    for row, deviation in zip(base_rows(base, estimate), deviations, strict=True):
        assert row.high - row.low == pytest.approx(2.0 * 1.96 * deviation, rel=1e-3)
        assert (row.low + row.high) / 2.0 == pytest.approx(row.value)


def test_a_parameter_that_acts_with_others_has_no_interval(layout, rows):
    structure, base, estimate, _ = rows
    found = {row.name: row for row in joint_rows(structure, base, estimate)}
    found |= {row.name: row for row in body_rows(structure, base, estimate)}
    assert set(found) == set(layout.names)
    for name in ('shoulder viscous', 'base coulomb'):
        assert np.isfinite(found[name].low)
    # The rotor of the first joint turns with its link.
    for name in ('base armature', 'base_link Izz', 'base_link m'):
        assert np.isnan(found[name].low)
    assert all(row.value == pytest.approx(row.nominal + 1.0) for row in found.values())


def test_intervals_hold_plausible_values_of_what_the_data_do_not_tell(rows):
    """Two sources of error that know nothing of each other: their variances add up."""
    structure, base, estimate, deviations = rows
    spread = np.linspace(1.0, 0.0, len(deviations))
    plain = {row.name: row for row in joint_rows(structure, base, estimate)}
    wide = {row.name: row for row in joint_rows(structure, replace(base, spread=spread), estimate)}
    columns = dict(zip(base.names, range(base.rank), strict=True))
    for name in ('shoulder viscous', 'base coulomb'):
        place = columns[name]
        expected = np.hypot(1.0, spread[place] / deviations[place])
        ratio = (wide[name].high - wide[name].low) / (plain[name].high - plain[name].low)
        assert ratio == pytest.approx(expected)


def test_no_interval_of_a_possible_robot_holds_the_impossible(layout, rows):
    structure, base, estimate, _ = rows
    nothing = replace(estimate, parameters=np.zeros(layout.size), method='consistent')
    for row in joint_rows(structure, base, nothing):
        if np.isfinite(row.low):
            assert (row.low < 0.0) == row.name.endswith('offset')
            assert row.high > 0.0
