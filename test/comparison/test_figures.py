"""The figures of a comparison against their definitions, and the contract of its JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated, urdf

from robot_dynamics_ros.comparison.compared import MAX_DRAWN, TERMS
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.json_text import json_text


@pytest.fixture(scope='module')
def comparison(compared):
    return compared(simulated(), friction=False)


def test_figures_are_those_of_all_samples(comparison):
    drawn, (motion,) = comparison.drawn, simulated().reader.motions()
    model = RobotDynamics(parse_urdf(urdf(friction=False))).inverse_dynamics(
        drawn.positions, drawn.velocities, drawn.accelerations
    )
    residual = drawn.measured - model
    for column, joint in enumerate(JOINTS):
        figures, measured = comparison.joints[joint], drawn.measured[:, column]
        assert figures.rms_measured == pytest.approx(
            np.sqrt(np.mean(motion.efforts[:, column] ** 2)), rel=1e-3
        )
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
        for term in ('gravity', 'coriolis', 'inertia'):
            share = getattr(drawn, term)[:, column] @ measured / (measured @ measured)
            assert figures.shares[term] == pytest.approx(share, abs=1e-9)
        assert set(figures.shares) == {*TERMS, 'residual'}
        assert sum(figures.shares.values()) == pytest.approx(1.0, abs=1e-12)
        # The arm has no other error than its missing friction.
        assert abs(figures.shares['residual']) < 0.02
        assert 0.0 < figures.rms_after_fit < figures.rms_residual


def test_a_gap_cuts_neither_samples_nor_time(compared):
    """But for what the filter needs at its ends; and a plot has no line across it."""
    recorded = simulated()
    later = np.where(np.arange(len(recorded.times)) < len(recorded.times) // 2, 0.0, 5.0)
    whole, paused = compared(recorded), compared(replace(recorded, times=recorded.times + later))
    assert whole.findings == []
    assert [(one.code, one.value) for one in paused.findings] == [('samples', 1.0)]
    assert 0.9 < paused.samples / whole.samples < 1.0
    assert paused.duration == pytest.approx(paused.samples / paused.rate)
    assert list(np.diff(paused.drawn.times)[paused.drawn.begins[1:]] > 4.9) == [True]
    for joint in JOINTS:
        measured = whole.joints[joint].rms_measured
        assert paused.joints[joint].rms_measured == pytest.approx(measured, rel=0.05)


def test_drawn_samples_are_evenly_distributed_and_keep_gaps(comparison):
    samples = comparison.drawn
    count = len(samples.times)
    many = np.arange(3 * MAX_DRAWN) % count
    begins = np.isin(np.arange(len(many)), (0, 2 * MAX_DRAWN + 1))
    arrays = {
        name: getattr(samples, name)[many]
        for name in samples.__dataclass_fields__
        if name not in ('joints', 'begins', 'times')
    }
    times = np.arange(len(many)) + 100.0 * np.cumsum(begins)
    few = replace(samples, begins=begins, times=times, **arrays).drawn()
    assert len(few.times) == MAX_DRAWN
    assert np.flatnonzero(few.begins).tolist() == [0, 2 * MAX_DRAWN // 3 + 1]
    assert set(np.diff(few.times)) == {3.0, 103.0}
    np.testing.assert_array_equal(few.measured, samples.measured[many[::3]])


def test_json_is_the_contract(comparison):
    result = json.loads(json_text(comparison.as_json()))
    assert set(result) == {
        'robot', 'file', 'topic', 'samples', 'duration', 'rate', 'cutoff', 'error', 'locked',
        'remark', 'joints', 'findings',
    }  # fmt: skip
    assert (result['robot'], result['samples']) == ('arm', comparison.samples)
    assert list(result['joints']) == list(JOINTS)
    for name, joint in result['joints'].items():
        assert {*joint} - {'shares', 'friction'} == {
            'rms_measured', 'rms_residual', 'rms_after_fit', 'bias', 'correlation',
        }  # fmt: skip
        assert joint['rms_after_fit'] == comparison.joints[name].rms_after_fit
        assert set(joint['shares']) == {*TERMS, 'residual'}
        assert set(joint['friction']) == {'viscous', 'coulomb', 'offset'}
    for finding in result['findings']:
        keys = {'code', 'joints', 'value', 'unit', 'half_width', 'message', 'more'}
        assert (set(finding), finding['code']) == (keys, 'friction')


def test_a_sine_has_its_power_in_the_spectrum(compared):
    """A^2 / 2, wherever efforts are measured."""
    sine = np.outer(np.sin(2.0 * np.pi * 7.0 * simulated().times), np.arange(1, 7))
    spectrum = compared(replace(simulated(), efforts=sine)).spectrum
    frequencies, step = spectrum.frequencies, spectrum.frequencies[1]
    near = np.abs(frequencies - 7.0) < 3.0 * step
    power = spectrum.measured[near].sum(axis=0) * step
    assert power / power[0] == pytest.approx(np.arange(1, 7) ** 2, rel=1e-6)
    assert frequencies[np.argmax(spectrum.measured[:, 1])] == pytest.approx(7.0, abs=step)
