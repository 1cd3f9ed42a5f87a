"""Bad data of an identification: each is said by its code, and good data by none."""

from dataclasses import replace

import numpy as np
import pytest
from simulated_recordings import JOINTS, urdf

from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.identification.judgement import bad_data
from robot_dynamics_ros.identification.judgement.survey import Survey, survey
from robot_dynamics_ros.recordings import JointSamples

INTERVAL = 0.005
MOVED = np.ones(6, bool)


@pytest.fixture(scope='module')
def model():
    return parse_urdf(urdf())


@pytest.fixture
def good():
    """All joints move, and efforts meet their extremes in some samples."""
    return Survey(
        10.0,
        3000,
        np.stack([np.full(6, -0.7), np.full(6, 0.7)]),
        np.stack([np.full(6, -20.0), np.full(6, 20.0)]),
        np.full((2, 6), 3.0),
        np.full((2, 6), 3.0),
        np.ones(6),
    )


def test_good_data_have_no_findings(model, good):
    bad_data.check_motion(model, good)
    assert not list(bad_data.motion_findings(JOINTS, MOVED))
    assert not list(bad_data.saturation_findings(model, good, INTERVAL))
    assert bad_data.saturation_levels(model, good, INTERVAL) == {}


def test_no_motion_is_refused_with_the_largest_range(model, good):
    still = replace(good, span=good.span * 1e-3)
    with pytest.raises(ParameterError, match=r'no joint.* 0\.0014 rad.* 0\.01 '):
        bad_data.check_motion(model, still)


@pytest.mark.parametrize('values', [0.0, np.nan, 4.0])
def test_efforts_that_are_not_measured_are_refused(model, good, values):
    with pytest.raises(ParameterError, match='zero or constant'):
        bad_data.check_motion(model, replace(good, range=np.full((2, 6), values)))


@pytest.mark.parametrize('count', [1, 4])
def test_joints_that_stand_still_are_named(count):
    (finding,) = bad_data.motion_findings(JOINTS, np.arange(6) < count)
    assert (finding.code, finding.joints) == ('still', JOINTS[count:])


def test_joints_that_rest_on_the_held_out_part_are_named():
    judged = np.arange(6) != 2
    (finding,) = bad_data.held_out_findings(JOINTS, MOVED, judged)
    assert (finding.code, finding.joints) == ('held_out_rest', (JOINTS[2],))
    assert finding.message.startswith('elbow moves in fewer')
    assert 'not judged' in finding.message
    (finding,) = bad_data.held_out_findings(JOINTS, MOVED, np.arange(6) < 4)
    assert 'bend, flange move' in finding.message
    assert not list(bad_data.held_out_findings(JOINTS, judged, judged))


def test_a_saturated_effort_is_found_with_its_level(model, good):
    longest, at_limit = good.longest.copy(), good.at_limit.copy()
    longest[1, 2], at_limit[1, 2] = 60, 200
    seen = replace(good, longest=longest, at_limit=at_limit)
    (finding,) = bad_data.saturation_findings(model, seen, INTERVAL)
    assert (finding.code, finding.joints, finding.value) == ('saturated', (JOINTS[2],), 20.0)
    assert '0.3 s' in finding.message
    # The other side is that of the description.
    ((name, level),) = bad_data.saturation_levels(model, seen, INTERVAL).items()
    assert name == JOINTS[2]
    np.testing.assert_equal(level, (np.nan, 20.0))


@pytest.mark.parametrize(('limit', 'told'), [(20.5, True), (100.0, False), (-5.0, False)])
def test_a_limit_of_the_description_is_told_beside_a_level_that_it_explains(
    model, good, limit, told
):
    joints = tuple(replace(j, limits=replace(j.limits, effort=limit)) for j in model.joints)
    seen = replace(good, longest=np.full((2, 6), 60), at_limit=np.full((2, 6), 200))
    found = list(bad_data.saturation_findings(replace(model, joints=joints), seen, INTERVAL))
    assert found
    assert all(('limit of' in one.message) is told for one in found)


@pytest.mark.parametrize(('limit', 'said'), [(np.inf, []), (14.0, ['saturated'] * 12)])
def test_steps_of_a_coarse_resolution_are_no_saturation(model, limit, said):
    """A step is held longest at a peak, at each peak; a limited effort at its limit alone."""
    times = np.arange(0.0, 20.0, INTERVAL)
    positions = np.repeat(np.sin(times)[:, None], 6, axis=1)
    torques = 20.0 * np.sin(1.3 * times) * (1.0 + 0.05 * np.sin(0.4 * times))
    efforts = np.clip(np.round(2.0 * torques) / 2.0, -limit, limit)
    samples = JointSamples(JOINTS, times, positions, positions, np.repeat(efforts[:, None], 6, 1))
    seen = survey([samples], np.full(6, 0.02))
    found = bad_data.saturation_findings(model, seen, INTERVAL)
    assert [one.code for one in found] == said


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize('step', [4.0, 8.0])
def test_two_steps_of_a_coarse_resolution_and_zero_are_no_limits(model, step, sign):
    """Coarse steps stay long at each level, and efforts of a dead zone long at 0."""
    times = np.arange(0.0, 20.0, INTERVAL)
    positions = np.repeat(np.sin(times)[:, None], 6, axis=1)
    efforts = sign * step * np.round((3.0 + 3.0 * np.sin(1.3 * times)) / step)
    samples = JointSamples(JOINTS, times, positions, positions, np.repeat(efforts[:, None], 6, 1))
    seen = survey([samples], np.full(6, 0.02))
    assert not list(bad_data.saturation_findings(model, seen, INTERVAL))
    dead = np.where(efforts == 0.0, 0.0, efforts + 0.5 * np.sin(1.7 * times))
    samples = JointSamples(JOINTS, times, positions, positions, np.repeat(dead[:, None], 6, 1))
    seen = survey([samples], np.full(6, 0.02))
    assert not list(bad_data.saturation_findings(model, seen, INTERVAL))


def test_another_robot_leaves_most_of_the_effort():
    measured = np.array([10.0, 30.0, 20.0, 3.0, 2.0, 0.1])
    right = bad_data.robot_findings(JOINTS, measured, 0.05 * measured, MOVED)
    assert not list(right)
    (finding,) = bad_data.robot_findings(JOINTS, measured, 0.7 * measured, MOVED)
    assert finding.code == 'wrong_robot'
    # The last joint carries hardly anything: it is not judged.
    assert finding.joints == JOINTS[:5]


@pytest.mark.parametrize(('scale', 'said'), [(0.1, True), (0.9, False)])
def test_efforts_that_are_far_smaller_than_the_torques_may_be_currents(scale, said):
    """The description leaves torque - effort: of equal shape, so that RMS are differences."""
    described = np.array([40.0, 30.0, 10.0, 5.0])
    measured = scale * described
    measured[3] = np.nan
    found = list(
        bad_data.small_efforts(
            'abcd', measured, described - measured, np.array([True, True, True, True])
        )
    )
    assert [one.code for one in found] == (['current'] if said else [])
    if said:
        assert found[0].joints == ('a', 'b', 'c')
        # The bound is exact where the shapes are equal.
        assert found[0].value == pytest.approx(scale / (1.0 - 2.0 * scale))


def test_a_joint_that_is_hardly_loaded_does_not_make_currents():
    """Its effort is that of coarse steps, mostly 0; the others fit."""
    measured, missed = np.array([30.0, 0.1, 0.1]), np.array([20.0, 5.0, 5.0])
    assert not list(bad_data.small_efforts('abc', measured, missed, np.ones(3, bool)))
