"""What is wrong with a recording is told, and does not become a verdict about the robot."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.evidence import Evidence
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import ParameterError


def codes(comparison):
    return [finding.code for finding in comparison.findings]


@pytest.mark.parametrize(
    ('value', 'code'), [(0.0, 'no_effort'), (np.nan, 'no_effort'), (3.0, 'no_effort')]
)
@pytest.mark.parametrize('joint', ['elbow', None])
def test_efforts_that_measure_nothing(compared, value, code, joint):
    recorded = simulated().with_efforts(lambda effort: np.full_like(effort, value), joint)
    comparison = compared(recorded)
    (finding,) = comparison.findings
    assert (finding.code, finding.joints) == (code, (joint,) if joint else JOINTS)
    figures = comparison.joints[finding.joints[0]]
    assert np.isnan(figures.correlation)
    assert figures.friction is None
    assert np.isnan(figures.rms_measured) == np.isnan(value)


def test_efforts_that_are_noise_about_zero(compared):
    noise = np.random.default_rng(4).normal(0.0, 1e-3, len(simulated().times))
    comparison = compared(simulated().with_efforts(lambda effort: noise, 'elbow'))
    (finding,) = comparison.findings
    assert (finding.code, finding.joints) == ('no_effort', ('elbow',))


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
    held = replace(recorded, positions=pose, velocities=np.zeros_like(pose))
    held = replace(held, efforts=np.broadcast_to(recorded.gravity[0], pose.shape).copy())
    noise = np.random.default_rng(1).normal(0.0, 0.05, pose.shape)
    comparison = compared(replace(held, efforts=held.efforts + noise))
    assert codes(comparison) == ['still']
    assert comparison.joints['shoulder'].rms_residual < 0.1


def test_a_recording_that_is_too_short(compared):
    """Two seconds with a turned sign: nothing is concluded of them."""
    recorded = simulated().with_efforts(np.negative, 'elbow').part(slice(0, 400))
    comparison = compared(recorded)
    assert codes(comparison) == ['short']
    assert comparison.joints['elbow'].correlation < 0.0


def test_gaps(compared):
    recorded = simulated()
    kept = (recorded.times < 6.0) | (recorded.times > 7.0)
    comparison = compared(recorded.part(kept))
    (finding,) = comparison.findings
    assert (finding.code, finding.value) == ('samples', 1.0)
    assert 'memory' in finding.message
    assert comparison.samples.begins.sum() == 2


def test_velocities_that_were_not_recorded(compared):
    recorded = simulated()
    comparison = compared(replace(recorded, velocities=np.full_like(recorded.velocities, np.nan)))
    assert codes(comparison) == ['samples']


def test_a_joint_that_was_not_recorded():
    """The base carries the others: it is said where it is taken to be."""
    from simulated_recordings import urdf

    recorded = simulated()
    columns = {
        name: getattr(recorded, name)[:, 1:]
        for name in ('positions', 'velocities', 'efforts', 'gravity')
    }
    reader = replace(recorded, joints=JOINTS[1:], **columns).reader
    comparison = Comparison(parse_urdf(urdf())).fit(reader)
    assert tuple(comparison.joints) == JOINTS[1:]
    missing = [one for one in comparison.findings if one.code == 'missing']
    assert [one.joints for one in missing] == [('base',)]


def test_another_robot():
    from simulated_recordings import urdf

    reader = replace(simulated(), joints=tuple('abcdef')).reader
    with pytest.raises(ParameterError, match=r'f.*--rename'):
        Comparison(parse_urdf(urdf())).fit(reader)


def test_a_recording_that_cannot_be_used_is_a_row_of_the_result(comparison_with):
    good = comparison_with().gather(simulated().reader, 'good.mcap')
    bad = Evidence('bad.mcap', error='bad.mcap: truncated')
    found = comparison_with().conclude([good, bad])
    assert found.findings == []
    assert [one.error for one in found.recordings] == ['', 'bad.mcap: truncated']


def test_efforts_that_are_missing_for_a_while(compared):
    recorded = simulated()
    lost = (recorded.times > 6.0) & (recorded.times < 9.0)
    comparison = compared(
        recorded.with_efforts(lambda effort: np.where(lost, np.nan, effort), 'elbow')
    )
    assert codes(comparison) == ['no_effort', 'samples']
    finding, _ = comparison.findings
    assert (finding.code, finding.joints) == ('no_effort', ('elbow',))
    assert finding.value == np.count_nonzero(lost)


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_single_efforts_that_are_not_finite_are_told_with_joint_and_count(compared, value):
    """Each cuts the recording: what the edges cost is counted."""
    recorded = simulated()
    wrong = np.arange(len(recorded.times)) % 400 == 200
    comparison = compared(
        recorded.with_efforts(lambda effort: np.where(wrong, value, effort), 'elbow')
    )
    assert codes(comparison) == ['no_effort', 'samples']
    partial, unused = comparison.findings
    assert (partial.joints, partial.value) == (('elbow',), float(wrong.sum()))
    (summary,) = comparison.recordings
    # The filter loses both edges of a recording that is not cut, too.
    whole = compared(recorded).recordings[0].samples
    assert unused.value == whole - summary.samples
    assert 'no effort' in comparison.joints['elbow'].verdict


def test_segments_that_are_too_short_for_the_filter(compared):
    """Ten samples between two gaps."""
    recorded = simulated()
    kept = (recorded.times < 6.0) | (recorded.times > 7.0)
    kept[1300:1310] = True
    comparison = compared(recorded.part(kept))
    assert codes(comparison) == ['samples', 'samples']
    assert comparison.findings[1].value == 10.0


@pytest.mark.parametrize(
    ('fields', 'code'), [(('positions', 'velocities'), 'units'), (('velocities',), 'units')]
)
def test_a_motion_in_degrees_is_told_and_no_hypothesis_is_tried(compared, fields, code):
    recorded = simulated().with_efforts(np.negative)
    degrees = {name: np.rad2deg(getattr(recorded, name)) for name in fields}
    comparison = compared(replace(recorded, **degrees))
    assert codes(comparison)[0] == code
    assert set(codes(comparison)) <= {code, 'samples'}
    assert 'deg' in comparison.findings[0].message
    assert comparison.findings[0].joints
