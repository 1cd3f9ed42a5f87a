"""What is drawn: no peak hidden, no line over a gap, planted friction where it shows."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.synthetic import COULOMB, VISCOUS, arm, comparison_of, samples_of

from robot_dynamics_ros.report.comparison_report import comparison_report
from robot_dynamics_ros.report.figure import STYLES, envelope
from robot_dynamics_ros.report.text import NO_BREAK

# Roles of curves in one panel.
TOGETHER = [
    ('measured', 'model'),
    ('measured', 'residual', 'cutoff'),
    ('gravity', 'coriolis', 'inertia', 'friction'),
    ('samples', 'mean', 'fit'),
    ('measured', 'urdf', 'identified'),
    ('urdf points', 'identified points'),
    ('external', 'threshold'),
]


def panels_of(comparison, joint=0):
    """Panels of one joint by their key."""
    one = comparison_report(comparison).joints[joint]
    return {panel.key: panel for figure in one.figures for panel in figure.panels}


def curve(panel, role):
    return next(curve for curve in panel.curves if curve.role == role)


@given(st.integers(1, 5000), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_an_envelope_keeps_extremes_ends_and_order(size, stretches, seed):
    y = np.random.default_rng(seed).standard_normal(size)
    x = np.arange(size, dtype=float)
    few_x, few_y = envelope(x, y, stretches)
    assert len(few_x) <= max(2 * stretches + 2, 1)
    assert np.all(np.diff(few_x) > 0)
    np.testing.assert_array_equal(few_y, y[few_x.astype(int)])
    assert (few_x[0], few_x[-1]) == (0, size - 1)
    assert (few_y.min(), few_y.max()) == (y.min(), y.max())


def test_a_line_is_interrupted_at_gaps_and_recordings_follow_each_other():
    y = np.ones(10_000)
    y[3000:3100] = np.nan
    x, few = envelope(np.arange(10_000.0), y, 20)
    assert list(x[np.isnan(few)]) == [3000.0]
    samples = samples_of(['a'], 1000, 100.0)
    begins = samples.begins.copy()
    begins[500] = True
    times = np.tile(samples.times[:500], 2) + 7.0
    recording = np.repeat([0, 2], 500)
    several = replace(samples, recording=recording, times=times, begins=begins)
    panel = panels_of(comparison_of(several))['torque']
    measured = curve(panel, 'measured')
    assert list(np.flatnonzero(np.isnan(measured.y))) == [500]
    assert np.all(np.diff(measured.x[np.isfinite(measured.x)]) >= 0.0)
    assert 'one after another' in panel.x_label


def test_the_mean_over_velocity_is_the_planted_friction():
    panel = panels_of(arm(count=5000))['velocity']
    mean = curve(panel, 'mean')
    away = np.abs(mean.x) > 0.05
    law = COULOMB * np.sign(mean.x) + VISCOUS * mean.x
    np.testing.assert_allclose(mean.y[away], law[away], atol=0.1)


def test_the_fit_lies_on_the_residual_whatever_friction_the_description_has():
    """The fit has all friction, the residual what the description has not."""
    panel = panels_of(arm(count=5000, description_has_friction=True))['velocity']
    fit, mean = curve(panel, 'fit'), curve(panel, 'mean')
    at = np.linspace(0.1, 0.4, 7)
    np.testing.assert_allclose(
        np.interp(at, fit.x, fit.y), np.interp(at, mean.x, mean.y), atol=0.1
    )


def test_peaks_between_regular_samples_show_but_do_not_count():
    samples = samples_of(['a'], 2000, 100.0)
    measured, regular = samples.measured.copy(), samples.regular.copy()
    measured[777, 0] += 80.0
    regular[777] = False
    panels = panels_of(comparison_of(replace(samples, measured=measured, regular=regular)))
    peak = measured[777, 0] - samples.model[777, 0]
    assert curve(panels['residual'], 'residual').y.max() == peak
    assert curve(panels['velocity'], 'samples').y.max() == peak
    assert curve(panels['velocity'], 'mean').y.max() < 5.0
    assert f'{peak:.3g}' in panels['residual'].words


def test_a_spectrum_names_the_frequency_of_a_vibration():
    samples = samples_of(['a'], 4000, 100.0)
    vibration = 3.0 * np.sin(2.0 * np.pi * 7.0 * samples.times)
    measured = samples.model + vibration[:, None]
    panel = panels_of(comparison_of(replace(samples, measured=measured)))['spectrum']
    residual = curve(panel, 'residual')
    assert residual.x[residual.y.argmax()] == pytest.approx(7.0, abs=0.05)
    assert f'strongest at 7{NO_BREAK}Hz' in panel.words


def test_a_joint_whose_effort_is_not_measured_shows_the_model():
    samples = samples_of(['a', 'b'], 500, 100.0)
    measured = samples.measured.copy()
    measured[:, 1] = np.nan
    with np.errstate(invalid='ignore'):
        panels = panels_of(comparison_of(replace(samples, measured=measured)), joint=1)
    assert set(panels) == {'torque', 'parts'}
    assert [one.role for one in panels['torque'].curves] == ['model']


def test_a_joint_that_does_not_move_has_no_mean_and_one_without_samples_no_plot():
    samples = samples_of(['a'], 500, 100.0)
    still = replace(samples, velocities=np.zeros((500, 1)))
    panel = panels_of(comparison_of(still))['velocity']
    assert 'mean' not in [one.role for one in panel.curves]
    names = [name for name in samples.__dataclass_fields__ if name != 'joints']
    none = {name: getattr(samples, name)[:0] for name in names}
    assert (
        panels_of(replace(comparison_of(samples), samples=replace(samples, **none), spectrum=None))
        == {}
    )


def test_a_prismatic_joint_has_newtons_and_metres():
    comparison = comparison_of(samples_of(['lift'], 500, 100.0), units={'lift': 'N'})
    panels = panels_of(comparison)
    assert panels['torque'].y_label == 'force [N]'
    assert panels['velocity'].x_label == 'velocity [m/s]'
    assert 'N s/m viscous' in panels['velocity'].words


def brightness(colour):
    """Relative luminance of #rrggbb by ITU-R BT.709, from 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    linear = [(p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4) for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize('roles', TOGETHER, ids=' '.join)
def test_curves_of_one_panel_differ_in_grey_and_show_on_white(roles):
    for style in (STYLES[role] for role in roles):
        assert 1.05 / (brightness(style.colour) + 0.05) > 2.0
    for one, other in itertools.combinations((STYLES[role] for role in roles), 2):
        assert (
            one.dash != other.dash
            or one.kind != other.kind
            or (
                abs(brightness(one.colour) - brightness(other.colour)) > 0.25
                and max(one.width, other.width) >= 2 * min(one.width, other.width)
            )
        ), (one, other)
