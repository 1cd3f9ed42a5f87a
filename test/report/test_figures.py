"""What is drawn: every peak, no line over a gap, friction and contacts where they are planted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pushed_recording import HIT, URDF, pushed_states, recording_of
from report.synthetic import COULOMB, VISCOUS, comparison, identification

from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings, mark_recording
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.report.comparison_report import comparison_report
from robot_dynamics_ros.report.contact_report import contact_report
from robot_dynamics_ros.report.figures import envelope


def curves_of(report, joint=0, figure=0):
    """Values (x, y) of the curves of one figure, by name; of several of one name, the last."""
    plot = report.joints[joint].figures[figure].plot
    return {one.name: (np.asarray(one.x), np.asarray(one.y)) for one in plot.data}


@given(st.integers(1, 5000), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_an_envelope_keeps_extremes_and_order(size, stretches, seed):
    y = np.random.default_rng(seed).standard_normal(size)
    few_x, few_y = envelope(np.arange(size, dtype=float), y, most=stretches)
    assert len(few_x) <= 2 * stretches
    assert np.all(np.diff(few_x) > 0)
    np.testing.assert_array_equal(few_y, y[few_x.astype(int)])
    assert (few_y.min(), few_y.max()) == (y.min(), y.max())


def test_a_line_is_interrupted_at_gaps():
    y = np.ones(10_000)
    y[3000:3600] = np.nan
    x, few = envelope(np.arange(10_000.0), y, [7000], 20)
    assert 3000.0 in x[np.isnan(few)]
    assert np.isnan(x).sum() == 1
    compared = comparison()
    compared.drawn.begins[500] = True
    _, measured = curves_of(comparison_report([compared]))['measured']
    assert list(np.flatnonzero(np.isnan(measured))) == [500]


@pytest.mark.parametrize('of_the_urdf', [0.0, 0.5])
def test_the_law_over_velocity_is_the_friction_that_the_description_lacks(of_the_urdf):
    compared = comparison(count=5000)
    compared.drawn.friction[:] = of_the_urdf * compared.drawn.velocities
    found = curves_of(comparison_report([compared]), figure=1)
    v, torque = found['fitted friction']
    law = COULOMB * np.sign(v) + (VISCOUS - of_the_urdf) * v
    np.testing.assert_allclose(torque, law, atol=1e-5)
    assert np.corrcoef(*found['samples'])[0, 1] > 0.5


def test_what_is_not_there_is_not_drawn():
    compared = comparison()
    compared.drawn.measured[:, 1] = np.nan
    report = comparison_report([compared])
    assert len(report.joints[1].figures) == 1
    assert [*curves_of(report, 1)] == ['model', 'gravity', 'coriolis', 'inertia', 'friction']


def test_a_residual_is_the_measured_torque_less_that_of_a_model():
    measured, *both, urdf, own = (one.y for one in identification().joints[0].figures[0].plot.data)
    for model, residual in zip(both, (urdf, own), strict=True):
        np.testing.assert_allclose(residual, measured - model, atol=1e-6)


def test_a_contact_leaves_the_band_between_the_thresholds_where_it_was_planted():
    robot = WatchedRobot(parse_urdf(URDF), WatchSettings())
    recording = recording_of(pushed_states((HIT,), seed=6))
    report = contact_report(mark_recording(recording, robot, 'hit.csv'))
    plot = report.joints[2].figures[0].plot
    for measured, threshold in (plot.data[:2], plot.data[2:]):
        limit = np.nanmax(threshold.y)
        assert np.nanmin(threshold.y) == -limit
        largest = measured.x[np.nanargmax(measured.y)]
        assert HIT.begin - 0.05 < largest < HIT.end + 0.2
    assert [one.opacity for one in plot.layout.shapes] == [1.0]
    assert [one.level for one in report.joints] == ['good', 'good', 'warning']
