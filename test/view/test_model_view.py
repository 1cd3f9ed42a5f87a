"""The view of a description: what its inputs move, and what is drawn where something lacks."""

import re
from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest
from three_joints import LIMITED

from robot_dynamics_ros.core import RobotDynamics, mounted_gravity, parse_urdf
from robot_dynamics_ros.core.spatial import Inertia, Transform, rotation_from_rpy
from robot_dynamics_ros.inspection.ellipsoids import equal_box
from robot_dynamics_ros.link_geometry import link_shapes, mesh_file, read_geometry
from robot_dynamics_ros.view.model_view import ModelView
from robot_dynamics_ros.view.scene import RED

BOX = '<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>'
SHAPED = LIMITED.replace('<link name="hand">', f'<link name="hand">{BOX}')


def shown(view):
    """The torques that stand beside the bars, and which joints are red."""
    rows = re.findall(
        r'<b>(\w+)</b>.*?<span style="color:([^"]+)">([-.\d]+) N', view.panel.bars.content
    )
    return {name: float(value) for name, _, value in rows}, {
        n for n, c, _ in rows if c != 'inherit'
    }


def test_sliders_move_the_arm_and_the_bars_within_the_limits(server):
    model = parse_urdf(SHAPED)
    view = ModelView(server, model, SHAPED)
    view.update()
    assert [(s.min, s.max) for s in view.joints[1:]] == [(-0.5, 0.5), (-2.0, 2.0)]
    q, dynamics = np.array([0.7, 0.2, -1.1]), RobotDynamics(model)
    for slider, position in zip(view.joints, q, strict=True):
        slider.value = float(position)
    view.update()
    np.testing.assert_allclose(view.scene.arm.poses, dynamics.frame_poses(q))
    torques, red = shown(view)
    np.testing.assert_allclose([*torques.values()], dynamics.gravity_torque(q), atol=0.01)
    assert red == set()
    # The node of the hand is where the hand is.
    (node,) = [one for index, one in view.scene.arm._nodes.values()
               if model.frames[index].name == 'hand']  # fmt: skip
    np.testing.assert_allclose(node.position, dynamics.frame_pose(q, 'hand')[1])


def test_payload_and_gravity_move_the_bars_and_what_is_too_much_is_red(server):
    model = parse_urdf(SHAPED)
    view = ModelView(server, model, SHAPED)
    view.at.value, view.mass.value, view.centre.value = 'hand', 6.0, (0.0, 0.1, 0.5)
    view.roll.value = 90
    view.update()
    turned = mounted_gravity((np.pi / 2.0, 0.0, 0.0))
    dynamics = RobotDynamics(model, gravity=turned).with_payload('hand', 6.0, (0.0, 0.1, 0.5))
    expected = dynamics.gravity_torque(view.scene.arm.q)
    torques, red = shown(view)
    np.testing.assert_allclose([*torques.values()], expected, atol=0.01)
    beyond = np.abs(expected) > model.effort_limits
    assert red == set(np.array(model.joint_names)[beyond]) != set()
    assert 'too much' in view.panel.remark.content
    R, p = dynamics.frame_pose(view.scene.arm.q, 'hand')
    np.testing.assert_allclose(view.load.position, p + R @ [0.0, 0.1, 0.5])
    view.mass.value, view.roll.value = 0.0, 0
    view.update()
    assert not view.load.visible
    margin = float(re.search(r'([\d.]+) kg', view.panel.remark.content)[1])
    bare = RobotDynamics(model)
    assert margin == pytest.approx(bare.payload_margin(view.scene.arm.q, 'hand'), rel=0.01)


def test_ellipsoids_are_of_mobility_and_force(server):
    model = parse_urdf(SHAPED)
    view = ModelView(server, model, SHAPED)
    view.at.value, view.ellipsoids.value = 'hand', True
    view.joints[2].value = 0.6
    view.update()
    assert view.mobility.visible
    assert view.force.visible
    ends = re.findall(r'([\d.e+-]+) (?:1/kg|N)', view.lengths.content)
    ends = np.array(ends, float).reshape(2, 2)
    dynamics, q = RobotDynamics(model), view.scene.arm.q
    J = dynamics.jacobian(q, 'hand')[:3]
    easy = np.linalg.eigvalsh(J @ np.linalg.inv(dynamics.mass_matrix(q)) @ J.T)
    np.testing.assert_allclose(sorted(ends[0]), easy[[0, -1]], 0.01, 1e-6)
    strong = 1.0 / np.linalg.svd(J / model.effort_limits, compute_uv=False)[:1]
    # The hand cannot press along the axis of the wrist by its joints: there the largest is cut.
    assert ends[1].min() == pytest.approx(strong[0], rel=0.01)
    assert ends[1].max() == pytest.approx(strong[0] * np.sqrt(1e3), rel=0.01)


def test_robots_without_mass_limits_or_range_are_shown(server):
    text = SHAPED.replace('effort="', 'effort="0" was="')
    text = re.sub('mass value="[^"]+"', 'mass value="0"', text).replace(
        'upper="2"', 'upper="-1.999"'
    )
    view = ModelView(server, parse_urdf(text), text)
    view.bodies.value = view.ellipsoids.value = True
    view.update()
    assert 'any mass' in view.panel.remark.content
    assert 'no limit' in view.lengths.content
    assert [*shown(view)[0].values()] == [0.0] * 3


def test_findings_have_their_sentence_and_their_body_its_colour(server):
    text = LIMITED.replace('ixx="0.03"', 'ixx="3"')
    view = ModelView(server, parse_urdf(text), text)
    assert 'triangle_inequality' in view.findings.content
    assert {name for name, one in view.scene.bodies if tuple(one.color) == RED} == {'slider'}


def test_without_shapes_the_boxes_of_equal_inertia_stand_for_the_links(server):
    view = ModelView(server, parse_urdf(LIMITED), LIMITED)
    view.update()
    assert all(one.visible for _, one in view.scene.bodies)
    with_shape = ModelView(server, parse_urdf(SHAPED), SHAPED)
    with_shape.update()
    assert {name for name, one in with_shape.scene.bodies if one.visible} == {'shoulder', 'slider'}
    with_shape.bodies.value = True
    with_shape.update()
    assert all(one.visible for _, one in with_shape.scene.bodies)
    ((part, _),) = with_shape.scene.arm.parts['hand']
    assert part.opacity < 1.0


def test_a_mesh_that_is_not_found_is_said_and_the_rest_is_drawn(server):
    mesh = '<visual><geometry><mesh filename="package://a/<b>.stl"/></geometry></visual>'
    text = SHAPED.replace(
        '<link name="slider">', f'<link name="slider">{mesh.replace("<b>", "b")}'
    )
    view = ModelView(server, parse_urdf(text), text)
    view.update()
    (finding,) = [one for one in view.scene.findings if one.code == 'mesh_not_drawn']
    assert (finding.link, finding.value) == ('slider', 'package://a/b.stl')
    assert view.scene.arm.parts['hand']


def chain(size):
    """A chain of that many joints."""
    body = '<inertial><mass value="1"/><origin xyz="0.05 0 0"/><inertia ixx="0.01" iyy="0.01" '
    body += 'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = ''.join(
        f'<link name="l{k}">{body}</link><joint name="j{k}" type="revolute">'
        f'<parent link="{f"l{k - 1}" if k else "base"}"/><child link="l{k}"/>'
        f'<origin xyz="0.1 0 0"/><axis xyz="0 {k % 2} {1 - k % 2}"/>'
        '<limit lower="-1" upper="1" effort="9" velocity="1"/></joint>'
        for k in range(size)
    )
    return f'<robot name="chain"><link name="base"/>{links}</robot>'


def test_sixty_joints_have_their_bars(server):
    text = chain(60)
    view = ModelView(server, parse_urdf(text), text)
    view.joints[59].value = 0.5
    view.update()
    assert len(shown(view)[0]) == 60


def test_the_box_of_a_uniform_box():
    """Its principal moments are m (b^2 + c^2) / 12."""
    rotation, center, sides = rotation_from_rpy(0.3, -0.7, 1.1), (0.4, -0.2, 0.1), [0.1, 0.2, 0.5]
    squares = np.square(sides)
    moments = 3.0 / 12.0 * np.diag(squares.sum() - squares)
    body = Inertia.at_center_of_mass(3.0, moments.tolist(), Transform(rotation, center))
    found, lengths, axes = equal_box(body)
    np.testing.assert_allclose(found, center)
    np.testing.assert_allclose(lengths, sides)
    # The longest side is the last one.
    assert abs(axes[:, 2] @ np.array(rotation)[:, 2]) == pytest.approx(1.0)
    # Of an impossible inertia it is flat.
    broken = Inertia.at_center_of_mass(1.0, np.diag([1.0, 1.0, 5.0]).tolist(), Transform())
    assert equal_box(broken)[1].min() == 0.0


@pytest.mark.parametrize(
    ('shape', 'area', 'corner'),
    [
        ('<box size="1 2 3"/>', 22.0, (0.5, 1.0, 1.5)),
        # Inscribed in the round bodies.
        ('<cylinder radius="0.5" length="2"/>', 2.5 * np.pi, (0.5, 0.5, 1.0)),
        ('<sphere radius="0.5"/>', np.pi, (0.5, 0.5, 0.5)),
        ('<capsule radius="0.5" length="2"/>', 3.0 * np.pi, (0.5, 0.5, 1.5)),
    ],
)
def test_solids_have_their_area(shape, area, corner):
    (part,) = read_geometry(fromstring(f'<visual><geometry>{shape}</geometry></visual>'), None)
    assert part.area == pytest.approx(area, rel=0.04)
    np.testing.assert_allclose(np.abs(part.vertices).max(axis=0), corner, rtol=0.03)


FACET = 'facet normal 0 0 0\n outer loop\n{}\n endloop\nendfacet\n'
CORNERS = [f' vertex {corner}' for corner in ('0 0 0', '1 0 0', '0 1 0', '0 0 1')]
FACETS = [FACET.format('\n'.join(CORNERS[:k] + CORNERS[k + 1 :])) for k in range(4)]
TETRAHEDRON = f'solid part\n{"".join(FACETS)}endsolid part\n'


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / 'share' / 'arm_description'
    (folder / 'urdf').mkdir(parents=True)
    (folder / 'meshes').mkdir()
    (folder / 'meshes' / 'part.stl').write_text(TETRAHEDRON)
    return folder


def test_where_meshes_are_found(package, monkeypatch):
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    part, urdf = package / 'meshes' / 'part.stl', package / 'urdf'
    of_the_package = 'package://arm_description/meshes/part.stl'
    for name in (of_the_package, f'file://{part}', '../meshes/part.stl', str(part)):
        assert mesh_file(name, urdf).samefile(part)
    for name in ('package://other/meshes/part.stl', 'part.stl', 'http://a/part.stl', 'a\0b', ''):
        assert mesh_file(name, urdf) is None
    assert mesh_file(of_the_package, None) is None
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{package.parents[1]}')
    assert mesh_file(of_the_package, None).samefile(part)


def robot(shape):
    return (
        '<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material>'
        '<link name="base"/><link name="arm"><visual><material name="red"/>'
        f'<origin xyz="0 0 0.5" rpy="0 {np.pi / 2} 0"/><geometry>{shape}</geometry></visual>'
        '</link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
        '</robot>'
    )


@pytest.mark.parametrize(
    'shape',
    ['', '<box/>', '<box size="1 2 nan"/>', '<cone radius="1"/>', '<sphere radius="1e9"/>'],
)
def test_shapes_that_cannot_be_drawn_are_left_out(shape):
    assert link_shapes(robot(shape), None) == ({}, {})


def test_a_mesh_is_placed_coloured_or_named(package):
    """Turned by a right angle about y, and raised."""
    mesh = '<mesh filename="../meshes/part.stl"/>'
    ((part, color, _),) = link_shapes(robot(mesh), package / 'urdf')[0]['arm']
    assert part.area == pytest.approx(1.5 + np.sqrt(3.0) / 2.0)
    np.testing.assert_allclose(part.bounds, [[0.0, 0.0, -0.5], [1.0, 1.0, 0.5]], atol=1e-12)
    assert color == (255, 0, 0)
    for content in (b'', b'solid', b'\0' * 200, TETRAHEDRON[:-60].encode()):
        (package / 'meshes' / 'part.stl').write_bytes(content)
        shapes, missing = link_shapes(robot(mesh), package / 'urdf')
        assert missing or np.isfinite(shapes['arm'][0].mesh.vertices).all()
    name = 'package://nowhere/part.stl'
    ((links,),) = (link_shapes(robot(f'<mesh filename="{name}"/>'), Path())[1].values(),)
    assert links == [('arm', name)]
