"""The picture of a robot: shapes, ellipsoids, marks, and meshes that are not there."""

import math
import sys
from pathlib import Path
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

pytest.importorskip('trimesh')
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.core.spatial import Inertia, Transform, rotation_from_rpy
from robot_dynamics_ros.inspection import inspect_robot
from robot_dynamics_ros.inspection.picture import draw, ellipsoid, link_shapes
from robot_dynamics_ros.link_geometry import mesh_file, read_geometry

FACET = 'facet normal 0 0 0\n outer loop\n{}\n endloop\nendfacet\n'
CORNERS = [f' vertex {corner}' for corner in ('0 0 0', '1 0 0', '0 1 0', '0 0 1')]
FACETS = [FACET.format('\n'.join(CORNERS[:k] + CORNERS[k + 1 :])) for k in range(4)]
TETRAHEDRON = f'solid part\n{"".join(FACETS)}endsolid part\n'
MESH = '<mesh filename="../meshes/part.stl"/>'


def test_the_ellipsoid_of_a_uniform_ellipsoid():
    """Its principal moments are m (b^2 + c^2) / 5."""
    rotation, center, squares = rotation_from_rpy(0.3, -0.7, 1.1), (0.4, -0.2, 0.1), [1.0, 4.0, 20]
    moments = 3.0 / 5.0 * np.diag(np.sum(squares) - squares)
    body = Inertia.at_center_of_mass(3.0, moments.tolist(), Transform(rotation, center))
    found, axes = ellipsoid(body)
    np.testing.assert_allclose(found, center)
    # A A^T is that of the ellipsoid, whatever the order and the signs of its axes.
    expected = np.array(rotation) @ np.diag(squares) @ np.array(rotation).T
    np.testing.assert_allclose(axes @ axes.T, expected, atol=1e-12)
    # Of an impossible inertia it is flat.
    broken = Inertia.at_center_of_mass(1.0, np.diag([1.0, 1.0, 5.0]).tolist(), Transform())
    assert np.linalg.norm(ellipsoid(broken)[1], axis=0).min() == 0.0


def area(triangles):
    sides = np.diff(triangles, axis=1)
    return float(np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1).sum() / 2.0)


@pytest.mark.parametrize(
    ('shape', 'expected', 'corner'),
    [
        ('<box size="1 2 3"/>', 22.0, (0.5, 1.0, 1.5)),
        # Inscribed in the round bodies.
        ('<cylinder radius="0.5" length="2"/>', 2.5 * math.pi, (0.5, 0.5, 1.0)),
        ('<sphere radius="0.5"/>', math.pi, (0.5, 0.5, 0.5)),
        ('<capsule radius="0.5" length="2"/>', 3.0 * math.pi, (0.5, 0.5, 1.5)),
    ],
)
def test_solids_have_their_area(shape, expected, corner):
    element = fromstring(f'<visual><geometry>{shape}</geometry></visual>')
    triangles = read_geometry(element, None).triangles
    assert area(triangles) == pytest.approx(expected, rel=0.04)
    np.testing.assert_allclose(np.abs(triangles).max(axis=(0, 1)), corner, rtol=0.03)


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
        '<robot name="r"><link name="base"/><link name="arm"><visual>'
        f'<origin xyz="0 0 0.5" rpy="0 {math.pi / 2} 0"/><geometry>{shape}</geometry></visual>'
        '</link><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
        '</robot>'
    )


@pytest.mark.parametrize(
    'shape',
    ['', '<box/>', '<box size="1 2 nan"/>', '<cone radius="1"/>', '<sphere radius="1e9"/>'],
)
def test_shapes_that_cannot_be_drawn_are_left_out(shape):
    assert link_shapes(robot(shape), None) == ({}, [])


def test_a_mesh_is_placed_or_named(package):
    """Turned by a right angle about y, and raised."""
    shapes, _ = link_shapes(robot(MESH), package / 'urdf')
    assert area(shapes['arm']) == pytest.approx(1.5 + math.sqrt(3.0) / 2.0, rel=0.05)
    corners = shapes['arm'].reshape(-1, 3)
    np.testing.assert_allclose(corners.min(axis=0), [0.0, 0.0, -0.5], atol=1e-12)
    np.testing.assert_allclose(corners.max(axis=0), [1.0, 1.0, 0.5], atol=1e-12)
    for content in (b'', b'solid', b'\0' * 200, TETRAHEDRON[:-60].encode()):
        (package / 'meshes' / 'part.stl').write_bytes(content)
        shapes, missing = link_shapes(robot(MESH), package / 'urdf')
        assert missing or np.isfinite(shapes['arm']).all()
    name = 'package://nowhere/part.stl'
    _, (missing,) = link_shapes(robot(f'<mesh filename="{name}"/>'), package / 'urdf')
    assert (missing.link, missing.value, missing.code) == ('arm', name, 'mesh_not_drawn')


def test_every_link_is_in_the_picture_and_findings_are_marked(monkeypatch):
    """150 m, a centre of mass in millimetres, does not hide the robot."""
    figures, saved = pytest.importorskip('matplotlib.figure'), []
    monkeypatch.setattr(figures.Figure, 'savefig', lambda figure, *_, **__: saved.append(figure))
    robot = hand_written('pendulum')
    text = robot.text.replace('0 0 -0.4', '0 0 -150')
    draw(inspect_robot(parse_urdf(text)), text, None, Path('picture.png'))
    (axes,) = saved[0].axes
    (mark,) = [shown.get_text() for shown in axes.texts]
    assert 'far_center_of_mass' in mark
    origins = robot.python.frame_poses(np.zeros(1))[:, :, 3]
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    assert np.all((limits[:, 0] <= origins) & (origins <= limits[:, 1]))
    assert np.ptp(limits, axis=1).max() < 10.0
    # The same scale along all axes.
    scale = np.ptp(limits, axis=1) / axes.get_box_aspect()
    np.testing.assert_allclose(scale, scale[0])


def test_what_cannot_be_drawn_is_refused(tmp_path, monkeypatch):
    pytest.importorskip('matplotlib')
    robot = hand_written('pendulum')
    arguments = inspect_robot(robot.model), robot.text, None
    with pytest.raises(ParameterError, match=r'picture\.urdf'):
        draw(*arguments, tmp_path / 'picture.urdf')
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    with pytest.raises(ParameterError, match='pip install'):
        draw(*arguments, tmp_path / 'picture.png')
