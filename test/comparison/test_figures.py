"""The figures of a comparison against their definitions, and the contract of its JSON."""

import json

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated, urdf

from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.json_text import json_text


@pytest.fixture(scope='module')
def comparison(compared):
    return compared(simulated(), friction=False)


def test_figures_are_those_of_all_samples(comparison):
    drawn = comparison.drawn
    model = RobotDynamics(parse_urdf(urdf(friction=False))).inverse_dynamics(
        drawn.positions, drawn.velocities, drawn.accelerations
    )
    residual = drawn.measured - model
    for column, joint in enumerate(JOINTS):
        figures, measured = comparison.joints[joint], drawn.measured[:, column]
        rms, whole = (np.sqrt(np.mean(one**2)) for one in (residual[:, column], measured))
        expected = {
            'rms_measured': whole,
            'rms_residual': rms,
            'relative_residual': rms / whole,
            'bias': residual[:, column].mean(),
            'correlation': np.corrcoef(measured, model[:, column])[0, 1],
        }
        for name, value in expected.items():
            assert getattr(figures, name) == pytest.approx(value, rel=1e-6, abs=1e-9)
        for term in ('gravity', 'coriolis', 'inertia'):
            share = getattr(drawn, term)[:, column] @ measured / (measured @ measured)
            assert figures.shares[term] == pytest.approx(share, abs=1e-9)
        assert sum(figures.shares.values()) == pytest.approx(1.0, abs=1e-12)
        # The arm has no other error than its missing friction.
        assert abs(figures.shares['residual']) < 0.02
        assert 0.0 < figures.rms_after_fit < figures.rms_residual


def test_json_is_the_contract(comparison):
    result = json.loads(json_text(comparison.as_json()))
    assert set(result) == {
        'robot', 'file', 'topic', 'samples', 'duration', 'rate', 'cutoff', 'error', 'locked',
        'remark', 'joints', 'findings',
    }  # fmt: skip
    assert list(result['joints']) == list(JOINTS)
    for joint in result['joints'].values():
        assert {*joint} == {
            'unit', 'rms_measured', 'rms_residual', 'rms_after_fit', 'bias', 'correlation',
            'shares', 'friction', 'result',
        }  # fmt: skip
        assert set(joint['shares']) == {*TERMS, 'residual'}
        assert set(joint['friction']) == {'viscous', 'coulomb', 'offset'}
    for finding in result['findings']:
        keys = {'code', 'joints', 'value', 'unit', 'half_width', 'message', 'more'}
        assert (set(finding), finding['code']) == (keys, 'friction')
