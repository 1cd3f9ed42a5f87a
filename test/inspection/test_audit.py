"""Each finding on a small robot that gives reason for it and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from robot_dynamics_ros.core import ParameterError, Payload, parse_urdf
from robot_dynamics_ros.inspection import CODES, audit

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

# Ixx and Iyy have m c^2 = 6 * 0.4^2 in them.
ABOUT_LINK = body(6, 0.065 + 0.96, 0.05 + 0.96, 0.025)
FOOT = fixed('foot', body(0, 0, 0, 0))


def transmission(gear):
    return f'<transmission><joint name="elbow"/><actuator>{gear}</actuator></transmission>'


REDUCTION = '<mechanicalReduction>{}</mechanicalReduction>'
# Code, severity, and the same box, or 6 kg of it far too small or far too large.
PROVOKING = [
    ('large_angle', 'warning', robot(joint=LIMIT + '<origin rpy="0 0 90"/>')),
    ('density', 'warning', robot(body(600, 6.5, 5, 2.5))),
    ('density', 'warning', robot(body(6, 6.5e-9, 5e-9, 2.5e-9), shape='')),
    ('density', 'warning', robot(body(0.006, 6.5e-5, 5e-5, 2.5e-5))),
    ('inertia_not_positive', 'error', robot(body(6, -0.1, 0.05, 0.025))),
    # A point mass.
    ('inertia_not_positive', 'warning', robot(body(6, 0, 0, 0))),
    ('triangle_inequality', 'error', robot(body(6, 0.065, 0.03, 0.025))),
    ('nearly_flat', 'info', robot(body(6, 0.06498, 0.04, 0.025))),
    ('inertia_about_link_frame', 'warning', robot(ABOUT_LINK, origin='0 0 0.4', shape='')),
    ('inertia_too_large', 'warning', robot(ABOUT_LINK, origin='0 0 0.4', shape_at='0 0 0.4')),
    ('inertia_too_large', 'warning', robot(body(6, 0.65, 0.5, 0.25))),
    # A radius of gyration of 0.46 m, 0.15 m from the only joint; the wrists of the public UR5.
    ('inertia_too_large', 'warning', robot(body(6, 1.25, 1.25, 0.025), shape='')),
    ('transmission_left_out', 'info', robot(more=transmission(REDUCTION.format(100)))),
    ('transmission_left_out', 'info', robot(more=transmission('<rotorInertia value="1e-4"/>'))),
    ('far_center_of_mass', 'warning', robot(origin='0 0 0.6')),
    ('far_center_of_mass', 'warning', robot(origin='0 0 150', shape='')),
    ('zero_effort_limit', 'warning', robot(joint=LIMIT.replace('"10"', '"0"'))),
    ('negative_effort_limit', 'warning', robot(joint=LIMIT.replace('"10"', '"-5"'))),
    ('zero_velocity_limit', 'warning', robot(joint=LIMIT.replace('"2"', '"0"'))),
    ('negative_velocity_limit', 'warning', robot(joint=LIMIT.replace('"2"', '"-2"'))),
    ('friction_left_out', 'info', robot(joint=LIMIT + '<dynamics damping="0.1"/>')),
    ('friction_left_out', 'info', robot(joint=LIMIT + '<dynamics friction="0.1"/>')),
    ('fixed_mass', 'info', robot(more=fixed('foot', BODY))),
    ('massless_body', 'warning', robot(body='', more=LID.replace('"base"', '"arm"'))),
    ('weightless_joint', 'error', robot(body='')),
    ('reversed_limits', 'warning', robot(joint=LIMIT.replace('"1"', '"-2"'))),
    ('equal_limits', 'warning', robot(joint='<limit effort="1" velocity="2"/>')),
    ('missing_limits', 'warning', robot(joint='')),
    ('orphaned_mimic', 'warning', robot(joint=mimic('foot_mount'), more=FOOT)),
    ('orphaned_mimic', 'warning', robot(joint=mimic('nose'))),
    ('motionless_mimic', 'warning', robot(joint=mimic('lid" multiplier="0'), more=LID)),
    ('mimic_limits', 'warning', robot(joint=mimic('lid'), more=LID)),
]


@pytest.mark.parametrize(('code', 'severity', 'text'), PROVOKING)
def test_provoked(code, severity, text):
    (finding,) = audit(parse_urdf(text), text)
    assert (finding.code, finding.severity) == (code, severity)
    assert finding.link == ('foot' if code == 'fixed_mass' else 'arm')
    assert finding.joints in ((), ('elbow',))
    named = any(name in finding.value for name in ('elbow', 'nose', 'foot_mount'))
    assert named or any(character.isdigit() for character in finding.value)


def test_an_inertia_without_mass():
    found = audit(parse_urdf(robot(body(0, 0.065, 0.05, 0.025))))
    assert [finding.code for finding in found] == ['weightless_joint', 'inertia_without_mass']


def test_what_a_joint_moves():
    """Its own subtree, and those of the joints that mimic it; a payload is none of it."""
    hand = LID.replace('"base"', '"arm"').replace(f'<inertial>{BODY}</inertial>', '')
    weightless = parse_urdf(robot(body='', more=hand))
    found = {finding.code: finding.joints for finding in audit(weightless)}
    assert found['weightless_joint'] == ('elbow', 'lid')
    loaded = weightless.with_payload('lid', 1.0)
    assert ('elbow', 'lid') in [finding.joints for finding in audit(loaded)]
    (finding,) = audit(weightless, massless_joints=['lid', 'other'])[:1]
    assert (finding.code, finding.joints) == ('weightless_joint', ('elbow',))
    # The lid follows the elbow, and weighs 6 kg.
    follower = robot(body='', more=LID.replace('</joint>', '<mimic joint="elbow"/></joint>'))
    assert 'weightless_joint' not in {finding.code for finding in audit(parse_urdf(follower))}


# Mass [kg], centre of mass [m] and inertia [kg m^2] of a payload, for the robot above of 6 kg.
PAYLOADS = {
    '': (1.0, (0.05, 0.0, 0.08), 1e-3 * np.eye(3)),
    'heavy_payload': (1500.0, (0.05, 0.0, 0.08), np.zeros((3, 3))),
    # 50 mm and 80 mm; kg mm^2.
    'far_payload': (1.0, (50.0, 0.0, 80.0), 1e-3 * np.eye(3)),
    'large_payload_inertia': (1.0, (0.05, 0.0, 0.08), 1e3 * np.eye(3)),
}


@pytest.mark.parametrize('code', PAYLOADS)
def test_a_payload_in_wrong_units(code):
    model, payload = parse_urdf(robot()), Payload('tool', 'arm', *PAYLOADS[code])
    doubt = model.doubt_about(payload)
    assert bool(doubt) == bool(code)
    found = audit(model.with_checked_payload(payload))
    assert [finding.code for finding in found] == [code] * bool(code)
    if code:
        assert "'tool'" in doubt
        assert found[0].link == 'arm'
        with pytest.warns(UserWarning, match="'tool'"):
            model.with_payload('arm', *PAYLOADS[code], name='tool')
        with pytest.raises(ParameterError, match="'tool'"):
            model.with_payload('arm', *PAYLOADS[code], name='tool', strict=True)


def test_every_code_is_provoked():
    # Others need torques, or Pinocchio.
    provoked = {code for code, _, _ in PROVOKING} | PAYLOADS.keys() | {'inertia_without_mass'}
    assert provoked - {''} == {*list(CODES)[: list(CODES).index('no_moving_joint')]}


@pytest.mark.parametrize(
    'shape', ['<mesh filename="arm.dae"/>', '<box size="0.1 0.2"/>', '<box size="0 0 0"/>', '']
)
def test_shapes_that_say_nothing(shape):
    """Nor does a transmission one to one."""
    text = robot(shape=f'<geometry>{shape}</geometry>', more=transmission(REDUCTION.format(-1.0)))
    assert audit(parse_urdf(text), text) == ()


SHAPES = {
    '<box size="0.1 0.2 0.3"/>': ((0.1, 0.2, 0.3), 0.006),
    '<sphere radius="0.1"/>': ((0.2, 0.2, 0.2), 0.0041887902),
    '<cylinder radius="0.1" length="1"/>': ((0.2, 0.2, 1), 0.031415927),
    '<capsule radius="0.1" length="1"/>': ((0.2, 0.2, 1.2), 0.035604717),
}


@pytest.mark.parametrize('shape', SHAPES)
def test_the_volume_and_the_box_of_shapes(shape):
    """By the density, and by the distance at which a centre of mass is far outside."""
    (x, y, z), volume = SHAPES[shape]
    half = 0.5 * np.linalg.norm((x, y, z))
    for density, beyond in ((24_900, 0.99 * half), (25_100, 1.01 * half)):
        mass = density * volume
        inertia = body(mass, *(mass * 1e-3 * np.ones(3)))
        origin = f'0 {y / 2 + 0.6 * beyond} {0.15 + z / 2 + 0.8 * beyond}'
        text = robot(inertia, origin=origin, shape=f'<geometry>{shape}</geometry>')
        codes = {finding.code for finding in audit(parse_urdf(text), text)}
        assert codes == ({'density', 'far_center_of_mass'} if density > 25_000 else set())


def test_joints_that_share_a_problem_share_a_finding():
    rail = (
        f'<link name="cart"><inertial>{BODY}</inertial></link><joint name="rail" type="prismatic">'
        '<parent link="base"/><child link="cart"/></joint>'
    )
    (finding,) = audit(parse_urdf(robot(joint='', more=rail)))
    assert (finding.link, finding.value) == ('arm', 'no limit: elbow, rail')


@pytest.mark.parametrize(
    ('lower', 'upper', 'multiplier', 'offset', 'left'),
    [
        # Limits of the lid, its law, and the range that -1 to 1 of the elbow leaves it.
        (-3, 3, 2, 0, '-0.5 to 0.5 '),
        (-3, 1, -0.5, 0, '-2 to 1 '),
        (0, 0.75, 2, 0.5, '0 to 0.25 '),
        (2, 3, 1, 0, 'no position '),
        (-0.3334, 0.3334, 3, 0, ''),
        (-0.2, 0.1, -2, 0.1, ''),
    ],
)
def test_limits_of_a_mimic_joint_come_with_the_range_that_they_leave(
    lower, upper, multiplier, offset, left
):
    limit = LIMIT.replace('"-1"', f'"{lower}"').replace('"1"', f'"{upper}"')
    lid = LID.replace('continuous', 'revolute').replace('</joint>', limit + '</joint>')
    law = mimic(f'lid" multiplier="{multiplier}" offset="{offset}')
    model = parse_urdf(robot(joint=law, more=lid))
    assert [finding.code for finding in audit(model)] == ['mimic_limits'] * bool(left)
    assert all(left in finding.value for finding in audit(model))
    assert (model.lower.tolist(), model.upper.tolist()) == ([lower], [upper])


@pytest.mark.parametrize('law', ['', '<mimic joint="lid" multiplier="-2"/>'])
def test_a_continuous_joint_needs_no_limit_and_narrows_nothing(law):
    text = robot(joint=law, more=LID).replace('revolute', 'continuous')
    assert audit(parse_urdf(text)) == ()
