"""Distances between bodies and from the floor, against closed forms."""

import numpy as np
import pytest

pytest.importorskip('scipy')
pytest.importorskip('pinocchio')

from excited_arm import LENGTH, RADIUS, dynamics, random_poses, urdf

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.excitation.clearance import Clearance
from robot_dynamics_ros.oracle.collisions import FLOOR

DISTANCE = 0.1
POSES = random_poses(200)
DOWN = np.array([[0.3, np.pi / 2.0, np.pi / 2.0, 0.0]])
HAND = f'<capsule radius="{RADIUS}" length="0.3"/>'


def clearance(text=None, *, floor=0.0, distance=DISTANCE, folder=None):
    text = urdf() if text is None else text
    robot = dynamics() if text == urdf() else RobotDynamics(parse_urdf(text))
    return Clearance(robot, text, folder, POSES, distance=distance, floor=floor)


@pytest.fixture(scope='module')
def arm():
    return clearance()


def ends(first, second, steps=60):
    """Points (steps, 3) of a segment."""
    return first + np.linspace(0.0, 1.0, steps)[:, None] * (second - first)


def test_distances_are_those_of_the_axes_of_capsules(arm):
    """Of column and hand, over a fine grid of points on both; negative where they overlap."""
    poses = dynamics().frame_poses(POSES)
    measured = arm.distances(POSES, 5.0)[:, arm.names.index(('column', 'hand'))]
    assert (measured > 0.5).any()
    names = [frame.name for frame in dynamics().model.frames]
    for pose, distance in zip(poses, measured, strict=True):
        axes = [
            ends(pose[names.index(name), :, 3], pose[names.index(name)] @ [0.0, 0.0, length, 1.0])
            for name, length in (('column', 0.25), ('hand', 0.3))
        ]
        grid = np.linalg.norm(axes[0][:, None] - axes[1][None], axis=-1).min() - 2.0 * RADIUS
        assert max(grid, -0.09) == pytest.approx(max(distance, -0.09), abs=0.006)


@pytest.mark.parametrize('shape', [HAND, '<box size="0.1 0.14 0.3"/>'])
def test_what_distances_lack_and_near_it(shape):
    one = clearance(urdf().replace(HAND, shape))
    reserve, nearest = 0.2, (one.distances(POSES) / one.needed).min(axis=1)
    q = POSES[nearest < 0.95][:12]

    def lacking(q):
        return np.maximum(1.0 - one.distances(q, 5.0) / (1.0 + reserve) / one.needed, 0.0)

    assert lacking(q).max() > 1.0  # some overlap
    near = one.lacking(q, reserve)
    np.testing.assert_allclose(near(q), (lacking(q) ** 2).sum(axis=1))
    steps = 1e-6 * np.eye(q.shape[1])
    found = np.array([near(q + step) - near(q - step) for step in steps])
    expected = [(lacking(q + step) ** 2 - lacking(q - step) ** 2).sum(axis=1) for step in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-2 * np.abs(expected).max())


def test_the_height_of_a_straight_arm(arm):
    """The elbow bent by a right angle points the hand down; without a floor it matters to none."""
    hand = arm.names.index(('hand', FLOOR))
    assert arm.distances(DOWN)[0, hand] == pytest.approx(0.3 - LENGTH - 0.3 - RADIUS, abs=1e-9)
    free = clearance(floor=None)
    assert free.lacking(DOWN)(DOWN) == 0.0
    assert not any(FLOOR in pair for pair in free.names)


# A sphere about the upper arm that encloses the hand wherever it is.
HULL = urdf().replace(
    f'<capsule radius="{RADIUS}" length="{LENGTH}"/>', '<sphere radius="0.9"/>', 1
)


@pytest.mark.parametrize(
    ('options', 'exception'),
    [
        # The column turns where it stands; the upper arm is carried at 0.3 m, and half is kept.
        ({}, 'column is -0.050 m above the floor'),
        ({'distance': 0.3}, 'upper is 0.250 m above the floor at most: 0.125 m'),
        ({'text': HULL, 'floor': None}, 'upper and hand are'),
    ],
)
def test_what_is_nearer_at_all_poses_is_an_exception(options, exception):
    assert any(one.startswith(exception) for one in clearance(**options).exceptions)


def test_a_mesh_is_the_hull_of_its_vertices(tmp_path):
    """A box as a mesh file, in mm and off its origin, is the box as a primitive."""
    trimesh = pytest.importorskip('trimesh')
    corner = trimesh.transformations.translation_matrix([400.0, 0.0, 0.0])
    trimesh.creation.box((100.0, 140.0, 300.0), corner).export(tmp_path / 'box.stl')
    mesh = '<mesh filename="box.stl" scale="0.001 0.001 0.001"/>'
    origin = '<origin xyz="{} 0 0.15"/><geometry>'.format
    box = urdf().replace(HAND, '<box size="0.1 0.14 0.3"/>')
    moved = urdf().replace(origin(0) + HAND, origin(-0.4) + mesh)
    assert moved != urdf()
    near = [clearance(text, folder=tmp_path).distances(POSES, 0.3) for text in (box, moved)]
    np.testing.assert_allclose(near[0], near[1], atol=2e-5)
    assert (near[0] < 0.3).any()


FLAT = """solid
facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet
endsolid"""


@pytest.mark.parametrize(
    'wrong',
    [
        '<mesh filename="flat.stl"/>',
        '<mesh filename="package://nowhere/part.stl"/>',
        '<box size="1 2"/>',
        '<cone radius="1"/>',
    ],
)
def test_geometry_that_cannot_be_used_is_said(wrong, tmp_path):
    (tmp_path / 'flat.stl').write_text(FLAT)
    found = clearance(urdf().replace(HAND, wrong), folder=tmp_path)
    assert [*found.unread] == ['hand']
    assert found.unchecked[0].startswith('hand: ')
    assert not any('hand' in pair for pair in found.names)


def test_shapes_beside_one_that_cannot_be_read_are_kept():
    """A ball of 0.2 m about the hand, beside a mesh that is not found, is still kept clear."""
    missing = (
        '<collision><geometry><mesh filename="package://nowhere/a.stl"/></geometry></collision>'
    )
    ball = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
    text = urdf().replace('</link>', f'{missing}{ball}</link>')
    text = text.replace('<link name="base"/>', f'<link name="base">{ball}</link>')
    partly = clearance(text, floor=None)
    assert [*partly.unread] == ['column', 'upper', 'fore', 'hand']
    whole = clearance(text.replace(missing, ''), floor=None)
    assert (whole.unread, whole.unchecked) == ({}, [])
    # Shapes of one body are no pair.
    assert not any(one == other for one, other in whole.names)
    near = partly.distances(POSES, 1.0).min(axis=1)
    np.testing.assert_allclose(near, whole.distances(POSES, 1.0).min(axis=1))


def test_neighbours_are_not_checked_and_links_without_geometry_are_said(arm):
    """Of the arm the base alone has none; without its <collision> all links."""
    pairs = {pair for pair in arm.names if FLOOR not in pair}
    assert pairs == {('column', 'fore'), ('column', 'hand'), ('upper', 'hand')}
    assert arm.unchecked == ['base: no collision geometry']
    bare = clearance(urdf(collision=False))
    assert bare.unchecked == ['base, column, upper, fore, hand: no collision geometry']
    assert (bare.blind, arm.blind) == (True, False)
    assert (bare.names, bare.unread) == ([], {})
    assert not bare.lacking(POSES)(POSES).any()
