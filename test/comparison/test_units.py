"""A motion in degrees or millimetres ends with a statement about the unit, at any rate."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')

from simulated_recordings import JOINTS, RATE, simulated

from robot_dynamics_ros.comparison.compare import conclude, gather
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.recordings.quality import Quality


def in_degrees(rate, speed=1.0):
    """The arm at another rate [Hz], so many times as fast."""
    recorded = simulated().part(slice(None, None, round(RATE / rate)))
    return replace(
        recorded,
        times=recorded.times / speed,
        positions=np.rad2deg(recorded.positions),
        velocities=np.rad2deg(recorded.velocities) * speed,
    )


def said_of(torques, recorded):
    """The text of the finding, or of the refusal."""
    model, reader = torques(), recorded.reader
    try:
        evidence = gather(
            model, reader.motions(cutoff=None), file='arm.mcap', quality=reader.quality
        )
    except RecordingError as error:
        return str(error)
    findings = conclude(model, [evidence]).findings
    assert findings[0].code == 'units', [str(finding) for finding in findings]
    return findings[0].message


@pytest.mark.parametrize('rate', [10.0, 15.0, 30.0, 100.0, 200.0])
def test_degrees_are_told_at_any_rate(torques, rate):
    assert 'degrees' in said_of(torques, in_degrees(rate))


@pytest.mark.parametrize('speed', [2.0, 4.0])
def test_degrees_of_a_fast_arm_leave_no_segment(torques, speed):
    """From 20 Hz on: each step is a jump."""
    said = said_of(torques, in_degrees(20.0, speed))
    assert 'degrees' in said


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
    assert 'wheel has positions up to 143' in quality.doubt
    assert quality.doubt in quality.remarks()
    assert 'largest' not in quality.as_json()
    assert not Quality('header', samples=1000, jumps=3, largest={'wheel': 143.0}).doubt
    assert not Quality('header', samples=1000, jumps=300, largest={'wheel': 3.1}).doubt
    assert not Quality('header').doubt
