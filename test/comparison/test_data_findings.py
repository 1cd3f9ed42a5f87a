"""What is wrong with a recording is found, and does not become a finding about the robot."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated


def noise(size):
    return np.random.default_rng(4).normal(0.0, size, len(simulated().times))


@pytest.mark.parametrize(
    ('efforts', 'joint'),
    [
        (lambda effort: 0.0 * effort, None),
        (lambda effort: np.nan * effort, 'elbow'),
        (lambda effort: 3.0 + 0.0 * effort, 'elbow'),
        (lambda effort: noise(1e-3), 'elbow'),
        (lambda effort: 0.1 + noise(1e-3), 'elbow'),
    ],
)
def test_efforts_that_measure_nothing(compared, efforts, joint):
    comparison = compared(simulated().with_efforts(efforts, joint))
    joints = (joint,) if joint else JOINTS
    assert [(one.code, one.joints) for one in comparison.findings] == [('no_effort', joints)]
    assert comparison.joints[joints[0]].friction is None


def test_a_joint_that_never_moves(compared):
    recorded = simulated(still=('base',))
    column = JOINTS.index('base')
    positions, velocities = recorded.positions.copy(), recorded.velocities.copy()
    positions[:, column], velocities[:, column] = positions[:, column].mean(), 0.0
    comparison = compared(replace(recorded, positions=positions, velocities=velocities))
    assert [(one.code, one.joints) for one in comparison.findings] == [('still', ('base',))]
    assert comparison.joints['base'].friction is None
    assert comparison.joints['elbow'].friction is not None


def test_an_arm_that_never_moves(codes):
    recorded = simulated()
    pose = np.broadcast_to(recorded.positions[0], recorded.positions.shape)
    efforts = recorded.gravity[0] + noise(0.05)[:, None]
    still = replace(recorded, positions=pose, velocities=np.zeros_like(pose), efforts=efforts)
    assert codes(still) == ['still']


def test_a_recording_that_is_too_short(codes):
    """Two seconds with a turned sign: nothing is concluded of them."""
    assert codes(simulated().with_efforts(np.negative, 'elbow').part(slice(400))) == ['short']


def test_gaps_and_segments_that_are_too_short_for_the_filter(compared):
    """Ten samples between two gaps; neither samples nor time are lost but those."""
    recorded, whole = simulated(), compared(simulated())
    kept = (recorded.times < 6.0) | (recorded.times > 7.0)
    kept[1300:1310] = True
    comparison = compared(recorded.part(kept))
    found = [(one.code, one.value) for one in comparison.findings]
    assert found == [('samples', 2.0), ('samples', 10.0)]
    assert comparison.drawn.begins.sum() == 2
    assert 0.8 < comparison.samples / whole.samples < 1.0
    assert comparison.duration == pytest.approx(comparison.samples / comparison.rate)


@pytest.mark.parametrize('value', [np.nan, np.inf])
@pytest.mark.parametrize('is_long', [True, False])
def test_efforts_that_are_missing_for_a_while(compared, value, is_long):
    """Where they are missing for long, the recording is cut."""
    recorded, rows = simulated(), np.arange(len(simulated().times))
    lost = (rows > 1200) & (rows < 1800) if is_long else rows % 400 == 200
    findings = compared(
        recorded.with_efforts(lambda effort: np.where(lost, value, effort), 'elbow')
    ).findings
    assert [one.code for one in findings] == ['no_effort']
    assert (findings[0].joints, findings[0].value) == (('elbow',), float(lost.sum()))
