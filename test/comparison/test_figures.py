"""The figures of a comparison against their definitions, and the contract of its JSON."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated, urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.comparison.delay import least_delay
from robot_dynamics_ros.comparison.figures import _not_negative, is_certain, spectrum_of
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.json_text import json_text


@pytest.fixture(scope='module')
def comparison(compared):
    return compared(simulated(), friction=False)


def test_figures_are_those_of_all_samples(comparison, comparison_with):
    (motion,) = simulated().reader.motions()
    terms = comparison_with(friction=False).torques(JOINTS).terms(motion)
    model, residual = terms.sum(axis=0), motion.efforts - terms.sum(axis=0)
    for column, joint in enumerate(JOINTS):
        figures, measured = comparison.joints[joint], motion.efforts[:, column]
        rms = np.sqrt(np.mean(residual[:, column] ** 2))
        expected = {
            'rms_measured': np.sqrt(np.mean(measured**2)),
            'rms_residual': rms,
            'relative_residual': rms / figures.rms_measured,
            'bias': residual[:, column].mean(),
            'correlation': np.corrcoef(measured, model[:, column])[0, 1],
        }
        for name, value in expected.items():
            assert getattr(figures, name) == pytest.approx(value, rel=1e-6, abs=1e-9)
        for index, term in enumerate(('gravity', 'coriolis', 'inertia')):
            share = terms[index, :, column] @ measured / (measured @ measured)
            assert figures.shares[term] == pytest.approx(share, abs=1e-9)
        assert set(figures.shares) == {*TERMS, 'residual'}
        assert sum(figures.shares.values()) == pytest.approx(1.0, abs=1e-12)
        # The arm has no other error than its missing friction.
        assert abs(figures.shares['residual']) < 0.02
        assert 0.0 < figures.rms_after_fit < figures.rms_residual


def test_recordings_add_up():
    """Two halves give what the whole gives, but for the samples at the cut."""
    model, recorded = Comparison(parse_urdf(urdf())), simulated()
    half = len(recorded.times) // 2
    parts = [recorded.part(slice(0, half)), recorded.part(slice(half, None))]
    whole, both = model.fit(recorded.reader), model.fit([part.reader for part in parts])
    assert 0.9 < sum(one.samples for one in both.recordings) / whole.recordings[0].samples < 1.0
    pause = np.where(np.arange(len(recorded.times)) < half, 0.0, 5.0)
    paused = model.fit(replace(recorded, times=recorded.times + pause).reader)
    durations = [one.duration for one in both.recordings]
    assert paused.recordings[0].duration == pytest.approx(sum(durations), rel=1e-6)
    assert both.findings == whole.findings == []
    assert whole.recordings[0].duration == pytest.approx(recorded.times[-1], rel=0.1)
    drawn = np.sqrt(np.mean(whole.samples.residual**2, axis=0))
    residual = [one.rms_residual for one in whole.joints.values()]
    np.testing.assert_allclose(drawn, residual, rtol=1e-4)
    for joint in JOINTS:
        measured = whole.joints[joint].rms_measured
        assert both.joints[joint].rms_measured == pytest.approx(measured, rel=0.05)


def test_json_is_the_contract(comparison):
    result = json.loads(json_text(comparison.as_json()))
    assert set(result) == {'robot', 'recordings', 'locked', 'joints', 'findings'}
    assert result['robot'] == 'arm'
    assert list(result['joints']) == list(JOINTS)
    for name, joint in result['joints'].items():
        figures = {*joint} - {'shares'}
        assert figures == {
            'rms_measured', 'rms_residual', 'rms_after_fit', 'bias', 'correlation', 'delay',
        }  # fmt: skip
        assert joint['rms_after_fit'] == comparison.joints[name].rms_after_fit
        assert set(joint['shares']) == {*TERMS, 'residual'}
    for finding in result['findings']:
        assert set(finding) == {'code', 'joints', 'value', 'message'}
        assert finding['code'] == 'friction'
    (recording,) = result['recordings']
    assert recording['samples'] == comparison.recordings[0].samples


CUTOFF, STEP = 5.0, 0.01


def noise(generator, count):
    """White up to the cutoff."""
    spectrum = np.fft.rfft(generator.normal(size=count))
    spectrum[np.fft.rfftfreq(count, STEP) > CUTOFF] = 0.0
    return np.fft.irfft(spectrum, count)


@pytest.mark.parametrize('share', [1.0, 0.2])
def test_noise_is_seldom_taken_for_friction(share):
    """However short a joint moves: F above 5 has a probability of 1 to 3 %."""
    generator, count, trials, found = np.random.default_rng(1), 650, 1000, 0
    moved = slice(0, round(share * count))
    independent = 2.0 * CUTOFF * STEP * count * share
    for _ in range(trials):
        velocity = np.sin(0.2 * np.pi * STEP * np.arange(count) + generator.uniform(0.0, 6.0))
        columns = np.stack([velocity, np.sign(velocity), np.ones(count)], axis=1)[moved]
        values = noise(generator, count)[moved]
        left = values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]
        found += is_certain(np.var(values), np.mean(left**2), independent)
    assert found < 0.05 * trials
    assert is_certain(1.0, 0.1, 100.0)
    assert not is_certain(1.0, 0.1, 3.0)


@pytest.mark.parametrize('true', [(2.0, -0.5, 3.0), (-0.5, 2.0, 3.0)])
def test_fitted_friction_takes_energy(true):
    v = np.linspace(-1.0, 1.0, 50)
    columns = np.stack([v, np.sign(v), np.ones(50)], axis=1)
    found = _not_negative(columns, columns @ true)
    assert found[:2].min() == 0.0 < found[:2].max()
    assert found[2] == pytest.approx(3.0)


@pytest.mark.parametrize('delay', [-0.0213, 0.0, 0.0507, 0.094])
@pytest.mark.parametrize(
    ('errors', 'near'), [(np.square, 1e-6), (lambda x: 2e-4 * np.cosh(100.0 * x), 5e-3)]
)
def test_the_delay_of_a_parabola_is_its_vertex_and_has_half_its_curvature(delay, errors, near):
    """So has a curve that is nearly a parabola: the second step is the nearer one."""
    found = least_delay(lambda one: 3.0 * errors(one - delay) - 2.0)
    assert found[0] == pytest.approx(delay, abs=1e-3 * near)
    assert found[2] == pytest.approx(3.0, rel=near)


def test_a_sine_has_its_power_in_the_spectrum_of_each_window_of_the_rate():
    """A^2 / 2 where efforts are measured; the first window is short and has another rate."""
    sine = np.sin(2.0 * np.pi * 7.0 * STEP * np.arange(2000))
    measured = np.concatenate([np.ones((100, 3)), np.outer(sine, [1.0, 2.0, 1.0])])
    measured[1100:, 0] = np.nan
    measured[:, 2] = np.nan
    # The model has an eighth of it in each of its three parts.
    parts = dict.fromkeys(('gravity', 'motion', 'friction'), 0.125 * measured)
    windows = [SimpleNamespace(rate=1.0 / interval) for interval in (2.0 * STEP, STEP, STEP)]
    spans = [slice(0, 100), slice(100, 1100), slice(1100, 2100)]
    spectrum = spectrum_of(
        SimpleNamespace(windows=windows, spans=spans, measured=measured, **parts)
    )
    power = spectrum.measured.sum(axis=0) * spectrum.frequencies[1]
    np.testing.assert_allclose(power, [0.5, 2.0, np.nan], rtol=0.05)
    left = spectrum.residual.sum(axis=0) * spectrum.frequencies[1]
    np.testing.assert_allclose(left, 0.625**2 * power, rtol=1e-9)
    assert spectrum.frequencies[np.argmax(spectrum.residual[:, 1])] == pytest.approx(7.0, abs=0.2)
    assert spectrum.frequencies[-1] == pytest.approx(0.5 / STEP)
