"""Torques of equations: measured, nominal and identified, in pieces that a gap ends."""

import numpy as np
import pytest
from simulated_recordings import JOINTS, urdf

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.judgement.judged_torques import torques_of
from robot_dynamics_ros.identification.parameters.parameter_layout import ParameterLayout
from robot_dynamics_ros.identification.regression.equations import EquationBlock

INTERVAL = 0.05


@pytest.fixture(scope='module')
def layouts():
    model = parse_urdf(urdf())
    usual = ParameterLayout(model)
    return usual, ParameterLayout(model, (*usual.terms, 'gain'))


def blocks(layout, start=0.0, counts=(30, 20), seed=1):
    random = np.random.default_rng(seed)
    time = start
    for count in counts:
        rows = random.normal(size=(count, 6, layout.size))
        measured = random.normal(size=(count, 6))
        if 'gain' in layout.terms:
            rows[:, :, layout.columns('gain')] = 0.0
            rows[:, np.arange(6), layout.columns('gain')] = -measured
            measured = np.zeros_like(measured)
        times = time + INTERVAL * np.arange(count)
        used = np.ones((count, 6), bool)
        yield EquationBlock(layout, JOINTS, rows, measured, times, used)
        time = times[-1] + INTERVAL


def test_blocks_that_follow_each_other_are_one_piece(layouts):
    layout = layouts[0]
    nominal, identified = np.random.default_rng(2).normal(size=(2, layout.size))
    (piece,) = torques_of(blocks(layout), nominal, identified)
    rows = np.concatenate([block.rows for block in blocks(layout)])
    measured = np.concatenate([block.torques for block in blocks(layout)])
    np.testing.assert_allclose(piece.nominal, rows @ nominal)
    np.testing.assert_allclose(piece.identified, rows @ identified)
    np.testing.assert_allclose(piece.residual, measured - rows @ identified)
    assert piece.begins


def test_a_gap_begins_a_piece(layouts):
    layout = layouts[0]
    both = [*blocks(layout), *blocks(layout, start=10.0)]
    zero = np.zeros(layout.size)
    first, second = torques_of(both, zero, zero)
    assert (len(first), len(second)) == (50, 50)
    assert second.begins
    assert second.times[0] == 10.0


def test_gains_turn_currents_into_measured_torques(layouts):
    layout = layouts[1]
    identified = np.zeros(layout.size)
    gains = np.array([10.0, 20.0, 30.0, 4.0, 5.0, 6.0])
    identified[layout.columns('gain')] = gains
    (piece,) = torques_of(blocks(layout), layout.nominal(), identified)
    rows = np.concatenate([block.rows for block in blocks(layout)])
    currents = -rows[:, np.arange(6), layout.columns('gain')]
    np.testing.assert_allclose(piece.measured, gains * currents)
    np.testing.assert_allclose(piece.identified, 0.0)


def test_velocities_are_those_of_viscous_friction(layouts):
    layout = layouts[0]
    zero = np.zeros(layout.size)
    (piece,) = torques_of(blocks(layout), zero, zero)
    rows = np.concatenate([block.rows for block in blocks(layout)])
    np.testing.assert_array_equal(
        piece.velocities, rows[:, np.arange(6), layout.columns('viscous')]
    )
