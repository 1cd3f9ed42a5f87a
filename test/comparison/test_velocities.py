"""Velocities that are not those of the positions beside them are named, with what they are."""

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated

from robot_dynamics_ros.comparison.evidence import Reach, Window
from robot_dynamics_ros.comparison.motion_findings import motion_findings
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.recordings.quality import Quality

ONE_JOINT = """<robot name="pan"><link name="base"/><link name="head"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pan" type="continuous"><parent link="base"/><child link="head"/></joint></robot>"""


def changed(change, joint=None):
    """The recording with other velocities: of all joints, or of one."""
    recorded = simulated()
    velocities = recorded.velocities.copy()
    columns = slice(None) if joint is None else JOINTS.index(joint)
    velocities[:, columns] = change(velocities[:, columns])
    return replace(recorded, velocities=velocities)


def said(comparison):
    found = comparison.findings
    assert {one.code for one in found} == {'units'}
    return [(one.joints, one.value, one.message) for one in found]


@pytest.mark.parametrize(
    ('factor', 'words'),
    [
        (180.0 / np.pi, 'as deg/s beside rad'),
        (30.0 / np.pi, 'turns per minute'),
        (100.0, 'times the derivatives'),
        (-1.0, 'opposite sign'),
    ],
)
@pytest.mark.parametrize('joint', [None, 'elbow'])
def test_another_unit_or_sign(compared, factor, words, joint):
    recorded = changed(lambda velocities: factor * velocities, joint)
    joints = (joint,) if joint else JOINTS
    ((named, value, message),) = said(compared(recorded))
    assert named == joints
    assert value == pytest.approx(factor, rel=0.02)
    assert words in message


def test_positions_in_degrees_beside_velocities_in_radians(compared):
    """Two findings: the positions are far outside the limits, and the velocities small."""
    recorded = simulated()
    found = compared(replace(recorded, positions=np.rad2deg(recorded.positions))).findings
    _, velocities = (one for one in found if one.code == 'units')
    assert velocities.joints == JOINTS
    assert velocities.value == pytest.approx(np.pi / 180.0, rel=0.02)
    assert 'as rad/s beside degrees' in velocities.message


def test_zero_while_the_positions_change(compared):
    for joint in (None, 'shoulder'):
        ((named, value, _),) = said(compared(changed(np.zeros_like, joint)))
        assert named == ((joint,) if joint else JOINTS)
        assert value == 0.0


def test_those_of_another_time(compared):
    recorded = changed(lambda velocities: velocities[::-1], 'flange')
    ((named, value, _),) = said(compared(recorded))
    assert named == ('flange',)
    assert abs(value) < 0.5


def test_what_a_driver_does_to_velocities_is_no_finding(compared):
    """Noise of 0.05 rad/s, steps of 0.02 rad/s, a filter of 30 ms; or none is measured."""
    random = np.random.default_rng(1)
    kernel = np.ones(12) / 12

    def filtered(one):
        return np.convolve(one, kernel)[: len(one)]

    for change in (
        lambda velocities: velocities + random.normal(0.0, 0.05, velocities.shape),
        lambda velocities: 0.02 * np.round(velocities / 0.02),
        lambda velocities: np.apply_along_axis(filtered, 0, velocities),
        lambda velocities: np.full_like(velocities, np.nan),
    ):
        codes = {one.code for one in compared(changed(change)).findings}
        assert 'units' not in codes


def found_in(window):
    reach = Reach.of_nothing(1)
    reach.span[:] = 0.0
    reach.excerpts.add([window])
    return motion_findings(parse_urdf(ONE_JOINT), reach, Quality('header'))


def test_fast_motion_at_a_low_rate_is_no_finding():
    """At a quarter of the rate, differences of samples are 1.57 times too small."""
    times = np.arange(600) / 20.0
    angle = 2.0 * np.pi * 4.9
    positions, velocities = np.sin(angle * times), angle * np.cos(angle * times)
    window = Window(0.05, 5.0, *np.stack([positions, velocities, 0 * times, 0 * times])[..., None])
    assert not found_in(window)
    (found,) = found_in(replace(window, velocities=-window.velocities))
    assert found.joints == ('pan',)


def test_a_joint_that_stands_still_is_not_judged(compared):
    """Its velocity is noise, or zero."""
    for change in (np.asarray, np.zeros_like):
        recorded = simulated(still=('bend',))
        velocities = recorded.velocities.copy()
        velocities[:, 4] = change(velocities[:, 4])
        codes = {one.code for one in compared(replace(recorded, velocities=velocities)).findings}
        assert 'units' not in codes


def test_one_recording_of_many_is_named_and_left_out(comparison_with):
    model = comparison_with()
    good = model.gather(simulated().reader, 'a.mcap')
    wrong = model.gather(changed(np.zeros_like).reader, 'b.mcap')
    comparison = model.conclude([good, wrong])
    assert [one.code for one in comparison.findings] == []
    errors = [one.error for one in comparison.recordings]
    assert errors[0] == ''
    assert re.match(r'b\.mcap: .* base, shoulder,', errors[1])
