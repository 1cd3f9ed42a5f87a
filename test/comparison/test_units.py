"""A motion in another unit ends with a statement about it, at any rate; messages name units."""

import re
from dataclasses import replace

import numpy as np
import pytest
import three_joints

pytest.importorskip('mujoco')

from memory_source import MemorySource
from recorded_states import TOPIC
from simulated_recordings import JOINTS, RATE, Recorded, simulated

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.recordings.quality import Quality


def in_degrees(rate):
    """The arm at another rate [Hz]."""
    recorded = simulated().part(slice(None, None, round(RATE / rate)))
    return replace(
        recorded,
        positions=np.rad2deg(recorded.positions),
        velocities=np.rad2deg(recorded.velocities),
    )


def at_any_cutoff(recorded):
    return Recording(MemorySource(recorded.states), TOPIC, {}, None)


def said_of(comparison_with, recorded):
    """The text of the finding, or of the refusal."""
    try:
        findings = comparison_with().fit(at_any_cutoff(recorded)).findings
    except RecordingError as error:
        return str(error)
    assert findings[0].code == 'units', [str(finding) for finding in findings]
    return findings[0].message


@pytest.mark.parametrize('rate', [10.0, 15.0, 30.0, 100.0, 200.0])
def test_degrees_are_told_at_any_rate(comparison_with, rate):
    assert 'degrees' in said_of(comparison_with, in_degrees(rate))


def test_degrees_of_a_joint_that_only_turns_leave_no_segment(comparison_with):
    """At 2 rad/s and 20 Hz each step is a jump: the refusal says why."""
    recorded = in_degrees(20.0)
    positions = recorded.positions.copy()
    positions[:, JOINTS.index('flange')] = np.rad2deg(2.0 * recorded.times)
    with pytest.raises(RecordingError, match=r'flange.*degrees'):
        comparison_with().gather(at_any_cutoff(replace(recorded, positions=positions)))


def test_a_joint_that_wraps_is_not_in_degrees():
    """Some jumps of a turn, and positions within a turn."""
    recorded = simulated()
    positions = recorded.positions.copy()
    turned = (recorded.times * 3.0).astype(int) % 2 == 1
    positions[turned, JOINTS.index('flange')] -= 2.0 * np.pi
    reader = replace(recorded, positions=positions).reader
    assert list(reader.motions(cutoff=20.0))
    assert reader.quality.jumps > 40
    assert reader.quality.doubt == ''


def test_one_wrong_position_is_not_another_unit(compared):
    """A single sample far outside is a jump; the verdicts on the others stay."""
    recorded = simulated().with_efforts(np.negative, 'elbow')
    positions = recorded.positions.copy()
    positions[1000, 2] = 1e4
    found = compared(replace(recorded, positions=positions)).findings
    codes = [finding.code for finding in found]
    assert 'sign' in codes
    assert 'units' not in codes


def test_a_robot_without_limits_is_doubted_by_its_jumps():
    quality = Quality('header', samples=1000, jumps=300, largest={'wheel': 143.0, 'arm': 2.0})
    assert 'wheel has positions' in quality.doubt
    assert quality.doubt in quality.remarks()
    assert 'largest' not in quality.as_json()
    assert not Quality('header', samples=1000, jumps=3, largest={'wheel': 143.0}).doubt
    assert not Quality('header', samples=1000, jumps=300).doubt
    assert not Quality('header').doubt


def test_a_clock_that_runs_backward_is_not_another_unit(comparison_with):
    """The counts of such a recording have no position that is far away."""
    evidence = comparison_with().gather(simulated().reader)
    evidence.quality = replace(evidence.quality, backward=evidence.quality.samples)
    assert evidence.quality.doubt.startswith('times run backward')
    codes = [finding.code for finding in comparison_with().conclude([evidence]).findings]
    assert 'units' not in codes
    assert 'samples' in codes


@pytest.fixture(scope='module')
def slide():
    """A robot with a prismatic joint in its midst, and efforts that its model needs."""
    dynamics = RobotDynamics(parse_urdf(three_joints.URDF))
    times = np.arange(3000) / RATE
    rates = 2.0 * np.pi * np.array([0.31, 0.43, 0.37])
    angles = np.outer(times, rates)
    size = np.array([0.8, 0.2, 1.0])
    q, v, a = (
        size * np.sin(angles),
        size * rates * np.cos(angles),
        -size * rates**2 * np.sin(angles),
    )
    gravity = dynamics.gravity_torque(q)
    efforts = dynamics.inverse_dynamics(q, v, a)
    return Recorded(times, q, v, efforts, gravity, three_joints.JOINTS)


def test_a_factor_of_a_prismatic_joint_is_one_of_forces(slide):
    efforts = slide.efforts * [1.0, 0.8, 1.0]
    reader = replace(slide, efforts=efforts).reader
    (found,) = Comparison(parse_urdf(three_joints.URDF)).fit(reader).findings
    assert (found.code, found.joints) == ('factor', ('slide',))
    assert '1.25 N for' in found.message


def test_gravity_of_a_prismatic_joint_is_a_force(slide):
    reader = replace(slide, efforts=slide.efforts - slide.gravity).reader
    (found,) = Comparison(parse_urdf(three_joints.URDF)).fit(reader).findings
    assert found.code == 'gravity_compensated'
    assert re.search(r'p to \d+\.?\d* N .*slide', found.message)


def test_one_recording_of_many_in_degrees_is_named_and_left_out(comparison_with):
    """The others have the verdict that they have without it."""
    model = comparison_with()

    def evidence(recorded, file):
        return model.gather(recorded.reader, file)

    turned = simulated().with_efforts(np.negative, 'elbow')
    good = [evidence(turned, 'one.mcap'), evidence(turned, 'two.mcap')]
    both = model.conclude(good)
    found = model.conclude([good[0], evidence(in_degrees(RATE), 'degrees.mcap'), good[1]])
    wrong = found.recordings[1]
    assert wrong.error.startswith('degrees.mcap: ')
    assert 'degrees?' in wrong.error
    assert wrong.samples == 0
    assert [one.error for one in found.recordings] == ['', wrong.error, '']
    assert [one.code for one in found.findings] == ['sign']
    assert found.findings[0] == both.findings[0]
    assert found.joints['base'] == both.joints['base']
    assert len(found.samples.times) == len(both.samples.times)
