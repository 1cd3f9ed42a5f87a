"""The figures of a comparison against their definitions, and the contract of its JSON."""

import json

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated, urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.comparison.evidence import products_of
from robot_dynamics_ros.comparison.figures import correlation
from robot_dynamics_ros.core import parse_urdf


@pytest.fixture(scope='module')
def motion():
    (motion,) = simulated().reader.motions()
    return motion


@pytest.fixture(scope='module')
def comparison(compared):
    return compared(simulated(), friction=False)


def test_figures_are_those_of_all_samples(comparison, motion):
    terms = Comparison(parse_urdf(urdf(friction=False))).torques(JOINTS).terms(motion)
    model, residual = terms.sum(axis=0), motion.efforts - terms.sum(axis=0)
    for column, joint in enumerate(JOINTS):
        figures = comparison.joints[joint]
        measured = motion.efforts[:, column]
        assert figures.rms_measured == pytest.approx(np.sqrt(np.mean(measured**2)), rel=1e-9)
        rms = np.sqrt(np.mean(residual[:, column] ** 2))
        assert figures.rms_residual == pytest.approx(rms, rel=1e-9)
        assert figures.relative_residual == figures.rms_residual / figures.rms_measured
        assert figures.bias == pytest.approx(residual[:, column].mean(), rel=1e-6, abs=1e-9)
        correlation = np.corrcoef(measured, model[:, column])[0, 1]
        assert figures.correlation == pytest.approx(correlation, abs=1e-9)
        for index, term in enumerate(('gravity', 'coriolis', 'inertia')):
            share = terms[index, :, column] @ measured / (measured @ measured)
            assert figures.shares[term] == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize('torque', [0.1, 37.3, 123.456, -981.0])
def test_a_torque_that_does_not_vary_has_no_correlation(torque):
    """Of sums over many samples, a variance of zero is left but for rounding."""
    generator, sums = np.random.default_rng(5), np.zeros((1, 8, 8))
    for _ in range(30):
        terms = np.zeros((4, 1000, 1))
        terms[0] = torque
        measured = torque + generator.normal(0.0, 1.0, (1000, 1))
        sums += products_of(measured, terms, np.zeros((1000, 1)))
    assert np.isnan(correlation(sums[0]))


def test_shares_sum_to_one(comparison):
    for figures in comparison.joints.values():
        assert set(figures.shares) == {*TERMS, 'residual'}
        assert sum(figures.shares.values()) == pytest.approx(1.0, abs=1e-12)


def test_friction_explains_what_is_left(comparison):
    """The arm has no other error than its missing friction."""
    for figures in comparison.joints.values():
        assert abs(figures.shares['residual']) < 0.02


def test_recordings_add_up():
    """Two halves give what the whole gives, but for the samples at the cut."""
    model, recorded = Comparison(parse_urdf(urdf())), simulated()
    half = len(recorded.times) // 2
    parts = [recorded.part(slice(0, half)), recorded.part(slice(half, None))]
    whole = model.fit(recorded.reader)
    both = model.fit([part.reader for part in parts])
    assert [one.samples for one in both.recordings] != [one.samples for one in whole.recordings]
    assert both.findings == whole.findings == []
    for joint in JOINTS:
        assert both.joints[joint].rms_measured == pytest.approx(
            whole.joints[joint].rms_measured, rel=0.05
        )


def test_power_of_a_vibration_is_in_the_spectrum(compared):
    """A sine of amplitude A has the power A^2 / 2, at its frequency."""
    recorded = simulated()
    ripple = 2.0 * np.sin(2.0 * np.pi * 4.0 * recorded.times)
    spectrum = compared(recorded.with_efforts(lambda effort: effort + ripple, 'elbow')).spectrum
    near = np.abs(spectrum.frequencies - 4.0) < 1.0
    power = spectrum.residual[near].sum(axis=0) * spectrum.frequencies[1]
    assert power[JOINTS.index('elbow')] == pytest.approx(2.0, rel=0.05)
    assert power[JOINTS.index('base')] < 0.1


def test_json_is_the_contract(comparison):
    result = json.loads(json.dumps(comparison.as_json(), allow_nan=False))
    assert set(result) == {'robot', 'recordings', 'locked', 'joints', 'findings'}
    assert result['robot'] == 'arm'
    assert list(result['joints']) == list(JOINTS)
    for joint in result['joints'].values():
        assert set(joint) == {
            'rms_measured', 'rms_residual', 'rms_after_fit', 'bias', 'correlation', 'delay',
            'shares',
        }  # fmt: skip
        assert set(joint['shares']) == {*TERMS, 'residual'}
    for finding in result['findings']:
        assert set(finding) == {'code', 'joints', 'value', 'message'}
        assert finding['code'] == 'friction'
    (recording,) = result['recordings']
    assert recording['samples'] == comparison.recordings[0].samples


def test_a_number_that_is_not_known_is_null(compared):
    recorded = simulated().with_efforts(lambda effort: np.nan * effort, 'elbow')
    joint = compared(recorded).as_json()['joints']['elbow']
    assert joint['rms_measured'] is joint['correlation'] is joint['delay'] is None


def test_json_has_what_is_left_after_the_fit(comparison):
    for name, joint in comparison.as_json()['joints'].items():
        assert joint['rms_after_fit'] == comparison.joints[name].rms_after_fit
        assert 0.0 < joint['rms_after_fit'] < joint['rms_residual']
