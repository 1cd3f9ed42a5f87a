"""What is wrong with a recording is found, and does not become a finding about the robot."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated


def codes(comparison):
    return [finding.code for finding in comparison.findings]


def noise(size):
    return np.random.default_rng(4).normal(0.0, size, len(simulated().times))


@pytest.mark.parametrize(
    ('value', 'joint'), [(0.0, None), (np.nan, 'elbow'), (3.0, 'elbow'), (3.0, None)]
)
def test_efforts_that_measure_nothing(compared, value, joint):
    recorded = simulated().with_efforts(lambda effort: np.full_like(effort, value), joint)
    comparison = compared(recorded)
    (finding,) = comparison.findings
    assert (finding.code, finding.joints) == ('no_effort', (joint,) if joint else JOINTS)
    figures = comparison.joints[finding.joints[0]]
    assert np.isnan(figures.correlation)
    assert figures.friction is None
    assert np.isnan(figures.rms_measured) == np.isnan(value)


@pytest.mark.parametrize('offset', [0.0, 0.1])
def test_efforts_that_are_noise_about_a_constant(compared, offset):
    comparison = compared(simulated().with_efforts(lambda effort: offset + noise(1e-3), 'elbow'))
    assert [(one.code, one.joints) for one in comparison.findings] == [('no_effort', ('elbow',))]


def test_a_joint_that_never_moves(compared):
    recorded = simulated(still=('base',))
    column = JOINTS.index('base')
    positions, velocities = recorded.positions.copy(), recorded.velocities.copy()
    positions[:, column], velocities[:, column] = positions[:, column].mean(), 0.0
    comparison = compared(replace(recorded, positions=positions, velocities=velocities))
    assert [(one.code, one.joints) for one in comparison.findings] == [('still', ('base',))]
    assert comparison.joints['base'].friction is None
    assert comparison.joints['elbow'].friction is not None


def test_an_arm_that_never_moves(compared):
    recorded = simulated()
    pose = np.broadcast_to(recorded.positions[0], recorded.positions.shape)
    efforts = recorded.gravity[0] + 50.0 * noise(1e-3)[:, None]
    comparison = compared(
        replace(recorded, positions=pose, velocities=np.zeros_like(pose), efforts=efforts)
    )
    assert codes(comparison) == ['still']
    assert comparison.joints['shoulder'].rms_residual < 0.1


def test_a_recording_that_is_too_short(compared):
    """Two seconds with a turned sign: nothing is concluded of them."""
    comparison = compared(simulated().with_efforts(np.negative, 'elbow').part(slice(0, 400)))
    assert codes(comparison) == ['short']
    assert comparison.joints['elbow'].correlation < 0.0


def test_gaps_and_segments_that_are_too_short_for_the_filter(compared):
    """Ten samples between two gaps."""
    recorded = simulated()
    kept = (recorded.times < 6.0) | (recorded.times > 7.0)
    kept[1300:1310] = True
    comparison = compared(recorded.part(kept))
    found = [(one.code, one.value) for one in comparison.findings]
    assert found == [('samples', 2.0), ('samples', 10.0)]
    assert comparison.drawn.begins.sum() == 2


@pytest.mark.parametrize('value', [np.nan, np.inf])
@pytest.mark.parametrize('is_long', [True, False])
def test_efforts_that_are_missing_for_a_while(compared, value, is_long):
    """Where they are missing for long, the recording is cut: what the edges cost is counted."""
    recorded, whole = simulated(), compared(simulated()).samples
    rows = np.arange(len(recorded.times))
    lost = (rows > 1200) & (rows < 1800) if is_long else rows % 400 == 200
    comparison = compared(
        recorded.with_efforts(lambda effort: np.where(lost, value, effort), 'elbow')
    )
    assert codes(comparison) == ['no_effort', 'samples'][: 1 + is_long]
    partial, *_ = comparison.findings
    assert (partial.joints, partial.value) == (('elbow',), float(lost.sum()))
    if not is_long:
        assert whole - comparison.samples <= 1
    assert 'no effort' in comparison.joints['elbow'].result
