"""Every URDF of example-robot-data: what is read, what is refused, and that nothing is printed."""

import pytest
from mechanics.examples import (
    EXAMPLES,
    MOTIONLESS_EXAMPLES,
    MOVING_EXAMPLES,
    REFUSED_EXAMPLES,
    example,
    needs_examples,
)
from mechanics.robots import SINGULAR

from robot_dynamics_ros.core import InertiaError, UrdfError, parse_urdf

pytestmark = [pytest.mark.contract, needs_examples]


@pytest.mark.parametrize('robot', EXAMPLES, ids=str)
def test_parsing_prints_nothing(robot, capfd):
    if robot.name in REFUSED_EXAMPLES:
        with pytest.raises(UrdfError, match=REFUSED_EXAMPLES[robot.name]):
            parse_urdf(robot.text)
    else:
        assert (parse_urdf(robot.text).size > 0) == (robot.name not in MOTIONLESS_EXAMPLES)
    assert capfd.readouterr() == ('', '')


@pytest.mark.parametrize('robot', MOVING_EXAMPLES, ids=str)
def test_findings_are_complete_and_strict_turns_them_into_an_error(robot):
    findings = robot.model.findings
    for finding in findings:
        assert all((finding.link, finding.problem, finding.value, finding.advice))
        assert f'name="{finding.link}"' in robot.text
    if findings:
        with pytest.raises(InertiaError) as caught:
            parse_urdf(robot.text, strict=True)
        assert all(str(finding) in str(caught.value) for finding in findings)


@pytest.mark.parametrize('name', sorted(SINGULAR - {'massless_tip'}))
def test_singular_robots_have_a_finding_that_says_so(name):
    findings = map(str, example(name).model.findings)
    assert any('matrix is singular' in finding for finding in findings)


def test_joints_are_those_that_move():
    assert example('ur_description/urdf/ur5_robot.urdf').model.joint_names == (
        'shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint',
        'wrist_1_joint', 'wrist_2_joint', 'wrist_3_joint',
    )  # fmt: skip
    panda = example('panda_description/urdf/panda.urdf').model
    assert [joint.name for joint in panda.joints if joint.mimicked] == ['panda_finger_joint2']
    assert panda.size == 8
