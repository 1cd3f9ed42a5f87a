"""What is drawn: no peak hidden, no line over a gap, planted friction where it shows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.synthetic import COULOMB, VISCOUS, arm, comparison_of, samples_of

from robot_dynamics_ros.report.comparison_report import comparison_report
from robot_dynamics_ros.report.figure import envelope


def panels_of(comparison, joint=0):
    """Panels of one joint by their key."""
    one = comparison_report([comparison]).joints[joint]
    return {panel.key: panel for figure in one.figures for panel in figure.panels}


def curve(panel, role):
    return next(curve for curve in panel.curves if curve.role == role)


@given(st.integers(1, 5000), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_an_envelope_keeps_extremes_ends_and_order(size, stretches, seed):
    y = np.random.default_rng(seed).standard_normal(size)
    few_x, few_y = envelope(np.arange(size, dtype=float), y, stretches)
    assert len(few_x) <= max(2 * stretches + 2, 1)
    assert np.all(np.diff(few_x) > 0)
    np.testing.assert_array_equal(few_y, y[few_x.astype(int)])
    assert (few_x[0], few_x[-1]) == (0, size - 1)
    assert (few_y.min(), few_y.max()) == (y.min(), y.max())


def test_a_line_is_interrupted_at_gaps():
    y = np.ones(10_000)
    y[3000:3100] = np.nan
    x, few = envelope(np.arange(10_000.0), y, 20)
    assert list(x[np.isnan(few)]) == [3000.0]
    samples = samples_of(['a'], 1000, 100.0)
    begins = samples.begins.copy()
    begins[500] = True
    cut = replace(samples, begins=begins)
    measured = curve(panels_of(comparison_of(cut))['torque'], 'measured')
    assert list(np.flatnonzero(np.isnan(measured.y))) == [500]
    assert np.all(np.diff(measured.x[np.isfinite(measured.x)]) >= 0.0)


@pytest.mark.parametrize('description_has_friction', [False, True])
def test_mean_and_fit_over_velocity_are_the_friction_that_the_description_lacks(
    description_has_friction,
):
    panel = panels_of(arm(count=5000, description_has_friction=description_has_friction))
    mean, fit = (curve(panel['velocity'], role) for role in ('mean', 'fit'))
    law = COULOMB * np.sign(mean.x) + VISCOUS * mean.x - 0.5 * description_has_friction * mean.x
    away = np.abs(mean.x) > 0.05
    np.testing.assert_allclose(mean.y[away], law[away], atol=0.1)
    np.testing.assert_allclose(np.interp(mean.x, fit.x, fit.y)[away], law[away], atol=0.1)


def test_what_is_not_there_is_not_drawn():
    samples = samples_of(['a', 'b'], 500, 100.0)
    measured, v = samples.measured.copy(), samples.velocities.copy()
    measured[:, 1], v[:, 0] = np.nan, 0.0
    with np.errstate(invalid='ignore'):
        comparison = comparison_of(replace(samples, measured=measured, velocities=v))
    still, unmeasured = (panels_of(comparison, joint) for joint in range(2))
    assert 'mean' not in [one.role for one in still['velocity'].curves]
    assert set(unmeasured) == {'torque', 'parts'}
    assert [one.role for one in unmeasured['torque'].curves] == ['model']
    names = [name for name in samples.__dataclass_fields__ if name != 'joints']
    none = replace(samples, **{name: getattr(samples, name)[:0] for name in names})
    assert panels_of(replace(comparison, drawn=none, spectrum=None)) == {}
