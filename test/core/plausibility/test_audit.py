"""Each finding on a small robot that gives reason for it and for nothing else."""

from __future__ import annotations

import pytest
from mechanics.examples import MOVING_EXAMPLES, needs_examples

from robot_dynamics_ros.core import audit, parse_urdf
from robot_dynamics_ros.core.model.findings import FINDING_CODES

pytestmark = pytest.mark.contract

# A box of 0.1 x 0.2 x 0.3 m and 6 kg: 1000 kg/m^3.
BOX = '<geometry><box size="0.1 0.2 0.3"/></geometry>'
BODY = '<mass value="6"/><inertia ixx="0.065" iyy="0.05" izz="0.025" ixy="0" ixz="0" iyz="0"/>'
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="2"/>'


def robot(body=BODY, origin='0 0 0.15', shape=BOX, shape_at='0 0 0.15', joint=LIMIT, more=''):
    shape = f'<visual><origin xyz="{shape_at}"/>{shape}</visual>' if shape else ''
    inertial = f'<inertial><origin xyz="{origin}"/>{body}</inertial>' if body else ''
    return (
        f'<robot name="small"><link name="base"/><link name="arm">{inertial}{shape}</link>'
        '<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>'
        f'<axis xyz="0 1 0"/>{joint}</joint>{more}</robot>'
    )


def body(mass, ixx, iyy, izz):
    return (
        f'<mass value="{mass}"/>'
        f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/>'
    )


def fixed(name, inertial):
    return (
        f'<link name="{name}"><inertial>{inertial}</inertial></link>'
        f'<joint name="{name}_mount" type="fixed"><parent link="base"/>'
        f'<child link="{name}"/></joint>'
    )


def mimic(mimicked):
    return LIMIT + f'<mimic joint="{mimicked}"/>'


LID = (
    f'<link name="lid"><inertial>{BODY}</inertial></link><joint name="lid" type="continuous">'
    '<parent link="base"/><child link="lid"/></joint>'
)

# The same box, and 6 kg of it far too small, or far too large.
PROVOKING = {
    'density': (robot(body(600, 6.5, 5, 2.5)), 'warning', 'density is implausible'),
    'density without a shape': (
        robot(body(6, 6.5e-9, 5e-9, 2.5e-9), shape=''),
        'warning',
        'density is implausible',
    ),
    'light': (robot(body(0.006, 6.5e-5, 5e-5, 2.5e-5)), 'warning', 'density is implausible'),
    'not positive definite': (robot(body(6, -0.1, 0.05, 0.025)), 'error', 'not positive definite'),
    'a point mass': (robot(body(6, 0, 0, 0)), 'warning', 'not positive definite'),
    'triangle inequality broken': (
        robot(body(6, 0.065, 0.03, 0.025)), 'error', 'breaks the triangle'),
    'triangle inequality nearly broken': (
        robot(body(6, 0.06498, 0.04, 0.025)), 'info', 'triangle inequality'),
    # Ixx and Iyy have m c^2 = 6 * 0.4^2 in them.
    'about the link frame': (
        robot(body(6, 0.065 + 0.96, 0.05 + 0.96, 0.025), origin='0 0 0.4', shape=''),
        'warning', 'about the link'),
    'about the link frame, with a shape': (
        robot(body(6, 0.065 + 0.96, 0.05 + 0.96, 0.025), origin='0 0 0.4', shape_at='0 0 0.4'),
        'warning', 'about the link'),
    'too large for its shape': (
        robot(body(6, 0.65, 0.5, 0.25)), 'warning', 'its shapes'),
    'centre of mass outside': (robot(origin='0 0 0.6'), 'warning', 'far outside'),
    'centre of mass in millimetres': (
        robot(origin='0 0 150', shape=''), 'warning', 'far outside'),
    'no effort': (
        robot(joint='<limit lower="-1" upper="1" effort="0" velocity="2"/>'),
        'warning', 'joint is zero'),
    'no velocity': (
        robot(joint='<limit lower="-1" upper="1" effort="1" velocity="0"/>'),
        'warning', 'joint is zero'),
    'negative effort': (
        robot(joint='<limit lower="-1" upper="1" effort="-5" velocity="2"/>'),
        'warning', 'joint is negative'),
    'negative velocity': (
        robot(joint='<limit lower="-1" upper="1" effort="1" velocity="-2"/>'),
        'warning', 'joint is negative'),
    'damping': (
        robot(joint=LIMIT + '<dynamics damping="0.1"/>'), 'info', 'leaves out'),
    'friction': (
        robot(joint=LIMIT + '<dynamics friction="0.1"/>'), 'info', 'leaves out'),
    'mass on the base': (robot(more=fixed('foot', BODY)), 'info', 'no effect'),
    'massless': (robot(body=''), 'warning', 'has a mass'),
    'inertia without mass': (
        robot(body(0, 0.065, 0.05, 0.025), more=''), 'warning', 'but no mass'),
    'reversed limits': (
        robot(joint='<limit lower="1" upper="-1" effort="1" velocity="2"/>'),
        'warning', 'joint are reversed'),
    'equal limits': (
        robot(joint='<limit effort="1" velocity="2"/>'),
        'warning', 'joint are equal'),
    'no limit': (robot(joint=''), 'warning', 'its joint has no <limit>'),
    'mimic of a fixed joint': (
        robot(joint=mimic('foot_mount'), more=fixed('foot', body(0, 0, 0, 0))),
        'warning', "mimics joint 'foot_mount'",
    ),
    'mimic that never moves': (
        robot(joint=LIMIT + '<mimic joint="lid" multiplier="0"/>', more=LID),
        'warning', 'multiplier 0'),
    'mimic that narrows': (
        robot(joint=LIMIT + '<mimic joint="lid"/>', more=LID),
        'warning', "joint mimics 'lid'"),
    'orphaned mimic': (robot(joint=mimic('nose')), 'warning', 'mimics a joint'),
}  # fmt: skip


@pytest.mark.parametrize('case', PROVOKING)
def test_provoked(case):
    text, severity, problem = PROVOKING[case]
    findings = audit(parse_urdf(text))
    if case == 'inertia without mass':
        findings = [finding for finding in findings if 'has a mass' not in finding.problem]
    (finding,) = findings
    assert finding.severity == severity
    assert problem in finding.problem
    assert finding.link == ('foot' if case == 'mass on the base' else 'arm')
    assert finding.advice
    named = any(name in finding.value for name in ('elbow', 'nose', 'foot_mount'))
    assert named or any(character.isdigit() for character in finding.value)


def test_each_code_is_provoked():
    found = {f.code for text, _, _ in PROVOKING.values() for f in audit(parse_urdf(text))}
    model = parse_urdf(robot())
    with pytest.warns(UserWarning, match='mass'):
        found |= {finding.code for finding in audit(model.with_payload('arm', 100.0))}
    assert found == FINDING_CODES.keys()


def test_a_finding_names_its_joints():
    (finding,) = audit(parse_urdf(robot(joint='')))
    assert finding.joints == ('elbow',)
    (finding,) = audit(parse_urdf(robot(origin='0 0 0.6')))
    assert finding.joints == ()


@pytest.mark.parametrize('shape', [BOX, ''], ids=['box', 'no shape'])
def test_a_good_robot_has_no_findings(shape):
    assert audit(parse_urdf(robot(shape=shape))) == ()


@pytest.mark.parametrize(
    'shape',
    [
        '<geometry><mesh filename="arm.dae"/></geometry>',
        '<geometry><box size="0.1 0.2"/></geometry>',
        '<geometry><box size="big"/></geometry>',
        '<geometry><box size="0 0 0"/></geometry>',
        '<geometry><sphere radius="inf"/></geometry>',
        '<geometry/>',
        '',
    ],
)
def test_shapes_that_say_nothing(shape):
    model = parse_urdf(robot(shape=shape))
    assert model.links[1].extent is None
    assert audit(model) == ()


@pytest.mark.parametrize(
    ('shape', 'size', 'volume'),
    [
        (BOX, (0.1, 0.2, 0.3), 0.006),
        ('<geometry><sphere radius="0.1"/></geometry>', (0.2, 0.2, 0.2), 0.0041887902),
        ('<geometry><cylinder radius="0.1" length="1"/></geometry>', (0.2, 0.2, 1), 0.031415927),
        ('<geometry><capsule radius="0.1" length="1"/></geometry>', (0.2, 0.2, 1.2), 0.035604717),
    ],
)
def test_extent(shape, size, volume):
    extent = parse_urdf(robot(shape=shape)).links[1].extent
    measured = [high - low for low, high in zip(extent.lower, extent.upper, strict=True)]
    assert measured == pytest.approx(size)
    assert extent.volume == pytest.approx(volume)
    assert extent.distance((0.0, 0.0, 0.15)) == 0.0
    assert extent.distance((0.0, size[1] / 2 + 3.0, 0.15 + size[2] / 2 + 4.0)) == pytest.approx(5)


def test_severe_ones_first():
    text = robot(body(6, -0.1, 0.05, 0.025), joint=LIMIT + '<dynamics damping="0.1"/>')
    assert [finding.severity for finding in audit(parse_urdf(text))] == ['error', 'info']


def test_joints_that_share_a_problem_share_a_finding():
    rail = (
        f'<link name="cart"><inertial>{BODY}</inertial></link><joint name="rail" type="prismatic">'
        '<parent link="base"/><child link="cart"/></joint>'
    )
    (finding,) = audit(parse_urdf(robot(joint='', more=rail)))
    assert (finding.link, finding.value) == ('arm', 'no limit: elbow, rail')


def test_a_negative_limit_is_told_with_its_value():
    limit = '<limit lower="-1" upper="1" effort="-5" velocity="2"/>'
    (finding,) = audit(parse_urdf(robot(joint=limit)))
    assert (finding.joints, finding.value) == (('elbow',), '-5 N m or N: elbow')


RANGES = {
    # Limits of the lid, multiplier and offset, and the range that -1 to 1 of the elbow leaves it.
    'both sides': (('-3', '3'), (2, 0), "'lid' -0.5 to 0.5 of -3 to 3 rad: elbow"),
    'one side': (('-3', '1'), (-0.5, 0), "'lid' -2 to 1 of -3 to 1 rad: elbow"),
    'shifted': (('0', '0.75'), (2, 0.5), "'lid' 0 to 0.25 of 0 to 0.75 rad: elbow"),
    'no position': (('2', '3'), (1, 0), "'lid' no position of 2 to 3 rad: elbow"),
    'the same': (('-0.5', '0.5'), (2, 0), ''),
    'rounded': (('-0.3334', '0.3334'), (3, 0), ''),
    'less than it allows': (('-0.2', '0.1'), (-2, 0.1), ''),
}


@pytest.mark.parametrize('case', RANGES)
def test_limits_of_a_mimic_joint_are_told_with_the_range_that_they_leave(case):
    (lower, upper), (multiplier, offset), value = RANGES[case]
    limit = LIMIT.replace('"-1"', f'"{lower}"').replace('"1"', f'"{upper}"')
    lid = LID.replace('continuous', 'revolute').replace('</joint>', limit + '</joint>')
    law = f'<mimic joint="lid" multiplier="{multiplier}" offset="{offset}"/>'
    model = parse_urdf(robot(joint=LIMIT + law, more=lid))
    assert [(f.code, f.value) for f in audit(model)] == [('mimic_limits', value)] * bool(value)
    assert (model.lower.tolist(), model.upper.tolist()) == ([float(lower)], [float(upper)])


def test_a_continuous_mimic_joint_narrows_nothing():
    text = robot(joint='<mimic joint="lid" multiplier="-2"/>', more=LID)
    assert audit(parse_urdf(text.replace('revolute', 'continuous'))) == ()


def test_a_continuous_joint_needs_no_limit():
    text = robot(joint='').replace('revolute', 'continuous')
    assert audit(parse_urdf(text)) == ()


@needs_examples
def test_after_joints_were_locked():
    robot_with_two = next(r for r in MOVING_EXAMPLES if r.model.size > 6)
    model = robot_with_two.model
    assert audit(model.reduced(model.joint_names[:2], others=0.0)) is not None


@needs_examples
def test_not_noisy_on_public_robots():
    """Seven in eight links of the public robots give no reason for a warning or an error."""
    links = sum(len(robot.model.links) for robot in MOVING_EXAMPLES)
    findings = [finding for robot in MOVING_EXAMPLES for finding in audit(robot.model)]
    suspicious = [finding for finding in findings if finding.severity != 'info']
    assert len(suspicious) < links / 8
