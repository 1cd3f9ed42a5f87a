"""Which efforts a recording takes as not measured, and how it counts them."""

from dataclasses import replace

import numpy as np
import pytest
import three_joints
from memory_source import in_memory
from recorded_states import sine_states

from robot_dynamics_ros.core import parse_urdf

MODEL = parse_urdf(three_joints.URDF)
STATES = replace(sine_states(), names=three_joints.JOINTS)
LIMITS = dict(zip(MODEL.joint_names, MODEL.effort_limits, strict=True))


def judged(efforts, model=MODEL):
    """The efforts of a recording after they were judged, and its quality."""
    recording = in_memory(replace(STATES, efforts=efforts))
    recording.judge_efforts(model)
    (samples,) = recording.chunks()
    return samples.efforts, recording.quality


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_ten_thousand_times_the_limit_is_the_bound(sign):
    """Efforts in mN m, a thousand times as large, are measured."""
    efforts = STATES.efforts.copy()
    joint = three_joints.JOINTS[1]
    efforts[10, 1] = sign * 0.999e4 * LIMITS[joint]
    efforts[20, 1] = sign * 1.001e4 * LIMITS[joint]
    found, quality = judged(efforts)
    expected = efforts.copy()
    expected[20, 1] = np.nan
    np.testing.assert_array_equal(found, expected)
    assert list(quality.implausible) == [joint]
    assert quality.implausible[joint].count == quality.without_efforts == 1
    assert quality.missing_efforts == {joint: 1}


def test_a_joint_without_a_limit_has_a_bound_too():
    assert not np.isfinite(LIMITS['turn'])
    efforts = STATES.efforts.copy()
    efforts[3:5, 0] = 1.1e5, 0.9e5
    found, _ = judged(efforts)
    assert np.isnan(found[3, 0])
    assert found[4, 0] == 0.9e5


def test_a_recording_that_is_not_judged_is_as_it_was_recorded():
    efforts = STATES.efforts.copy()
    efforts[5, 0] = 1e30
    recording = in_memory(replace(STATES, efforts=efforts))
    (samples,) = recording.chunks()
    np.testing.assert_array_equal(samples.efforts, efforts)
    assert not recording.quality.implausible
