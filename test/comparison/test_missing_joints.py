"""Joints that were not recorded: told, and no verdict depends on where they may have been."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated, urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.recorded_joints import (
    carriers,
    joints_that_depend,
    joints_that_matter,
    unused_joints,
)
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.report.comparison_report import joint_level


def compared(recorded, *joints, **options):
    """The comparison where only these joints are recorded."""
    columns = [JOINTS.index(joint) for joint in joints]
    names = ('positions', 'velocities', 'efforts', 'gravity')
    part = {name: getattr(recorded, name)[:, columns] for name in names}
    reader = replace(recorded, joints=joints, **part).reader
    return Comparison(parse_urdf(urdf(**options))).fit(reader)


def codes(comparison):
    return {finding.code for finding in comparison.findings}


@pytest.mark.parametrize('joints', [('base',), ('base', 'shoulder'), ('shoulder',)])
def test_joints_that_the_recorded_ones_carry_are_missing(joints):
    comparison = compared(simulated(), *joints)
    assert comparison.locked == tuple(name for name in JOINTS if name not in joints)
    (missing,) = [one for one in comparison.findings if one.code == 'missing']
    # What the flange turns is the last 4 % of the mass.
    assert set(comparison.locked) <= set(missing.joints)
    assert comparison.as_json()['locked'] == list(comparison.locked)


def with_finger():
    text = urdf().replace('</robot>', '') + (
        '<link name="finger"><inertial><mass value="0.1"/>'
        '<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="grip" type="prismatic"><parent link="flange_link"/><child link="finger"/>'
        '<axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint>'
        '</robot>'
    )
    return parse_urdf(text)


def test_a_light_joint_at_the_end_does_not_matter():
    assert joints_that_matter(with_finger(), JOINTS) == ()


def test_no_renaming_to_a_light_joint_is_offered():
    names = {f'left_{joint}': f'left_{joint}' for joint in JOINTS} | {'left_base': 'base'}
    offered = unused_joints(with_finger(), names)
    assert '--rename left_=' in offered
    assert 'grip' not in offered


@pytest.mark.parametrize('joints', [('shoulder', 'bend'), ('base', 'shoulder', 'bend')])
def test_no_verdict_depends_on_the_pose_of_missing_joints(joints):
    recorded = simulated(tool=True)
    for efforts in (recorded.efforts, recorded.efforts - recorded.gravity):
        found = codes(compared(replace(recorded, efforts=efforts), *joints))
        assert 'missing' in found
        assert not found & {'gravity_compensated', 'payload'}


def test_what_depends_on_a_joint_is_what_its_position_changes():
    """Mechanics: gravity of a vertical axis and inertia behind a joint do not depend on it."""
    robot = parse_urdf(urdf())
    assert joints_that_depend(robot, JOINTS[1:], ('base',)) == ()
    # Who carries the forearm, and who is tilted by it; the base feels how far it is stretched.
    assert joints_that_depend(robot, ('base', 'shoulder', 'bend'), ('elbow',)) == (
        'base', 'shoulder', 'bend',
    )  # fmt: skip
    assert joints_that_depend(robot, JOINTS, ()) == ()


def changed(recorded, joint, factor):
    return recorded.with_efforts(lambda effort: factor * effort, joint)


@pytest.mark.parametrize(('factor', 'code'), [(-1.0, 'sign'), (0.5, 'factor')])
def test_what_does_not_depend_on_missing_joints_is_judged(factor, code):
    comparison = compared(changed(simulated(), 'elbow', factor), *JOINTS[1:])
    assert (code, ('elbow',)) in [(one.code, one.joints) for one in comparison.findings]
    missing = [one.joints for one in comparison.findings if one.code == 'missing']
    assert missing == [('base',)]


def test_a_factor_that_a_payload_could_explain_is_not_judged():
    """A payload behind a joint that was not recorded cannot be looked for."""
    comparison = compared(simulated(tool=True), *JOINTS[:5])
    assert codes(comparison) == {'missing'}
    assert 'shoulder' in comparison.findings[0].joints


def test_carriers_are_before_a_missing_joint():
    robot = parse_urdf(urdf())
    assert carriers(robot, JOINTS[:5], JOINTS[5:]) == JOINTS[:5]
    assert carriers(robot, JOINTS[1:], JOINTS[:1]) == ()


@pytest.mark.parametrize('factor', [1.0, -1.0, 0.5])
@pytest.mark.parametrize('friction', [True, False])
def test_what_depends_on_missing_joints_is_not_judged(factor, friction):
    """The elbow at zero instead of 0.9 rad: every verdict on the shoulder would be chance."""
    joints = ('base', 'shoulder')
    recorded = changed(simulated(), 'shoulder', factor)
    comparison = compared(recorded, *joints, friction=friction)
    assert codes(comparison) == {'missing'}
    (found,) = comparison.findings
    assert set(joints) < set(found.joints)
    for joint in joints:
        assert comparison.joints[joint].verdict == 'missing'
        assert comparison.joints[joint].friction is None
        assert joint_level(comparison.joints[joint], [found]) != 'good'


def test_an_effort_that_the_model_does_not_explain_is_never_good():
    """Small beside the limit of the joint, and no friction: nothing else tells it."""
    recorded = simulated()
    time = recorded.times
    wave = 2.0 * np.sin(2.0 * np.pi * 1.7 * time)
    column = JOINTS.index('base')
    efforts = recorded.efforts.copy()
    efforts[:, column] = wave
    comparison = compared(replace(recorded, efforts=efforts), *JOINTS)
    assert any('base' in one.joints for one in comparison.findings)
    assert joint_level(comparison.joints['base'], []) != 'good'
    assert comparison.joints['base'].verdict != 'as the model'
