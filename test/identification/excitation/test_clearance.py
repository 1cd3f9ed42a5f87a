"""Distances between bodies and from the floor, against closed forms."""

import re

import numpy as np
import pytest

pytest.importorskip('scipy')
pytest.importorskip('coal')

from excited_arm import LENGTH, RADIUS, dynamics, random_poses, slope_by_differences, urdf

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.excitation.clearance import Clearance, below_samples

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


def pairs_of(one):
    return {one._names(pair) for pair in one._pairs[~one._above]}


def ends(first, second, steps=60):
    """Points (steps, 3) of a segment."""
    return first + np.linspace(0.0, 1.0, steps)[:, None] * (second - first)


def test_distances_are_those_of_the_axes_of_capsules(arm):
    """Of column and hand, over a fine grid of points on both; negative where they overlap."""
    poses = dynamics().frame_poses(POSES)
    pairs = [arm.geometry.bodies[pair].tolist() for pair in arm._pairs]
    column = [*map(sorted, pairs)].index([0, 3])
    measured = arm.distances(POSES, 5.0)[:, column]
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
def test_the_slope_of_the_violation(shape):
    one = clearance(urdf().replace(HAND, shape))
    q, reserve = POSES[one.violation(POSES)[1] > 0.05][:12], 0.2
    total, largest, slope = one.violation(q, reserve)
    lacking = np.maximum(1.0 - one.distances(q, 5.0) / (1.0 + reserve) / one._needed, 0.0)
    assert lacking.max() > 1.0  # some overlap
    assert total == pytest.approx(np.sum(lacking**2))
    np.testing.assert_allclose(largest, lacking.max(axis=1))
    expected = slope_by_differences(lambda x: one.violation(x, reserve)[0], q)
    np.testing.assert_allclose(slope, expected, rtol=1e-2, atol=1e-2 * np.abs(expected).max())


def test_the_height_of_a_straight_arm(arm):
    """The elbow bent by a right angle points the hand down; without a floor it matters to none."""
    hand = 0.3 - LENGTH - 0.3 - RADIUS
    for far in (0.02, 0.5):
        near = arm.along(DOWN.repeat(3, axis=0), far)
        assert near.height == pytest.approx(hand, abs=1e-9)
        assert not near.kept
    free = clearance(floor=None)
    near = free.along(DOWN.repeat(3, axis=0), 0.5)
    assert (near.height, near.kept, free.violation(DOWN)[0]) == (np.inf, True, 0.0)


def test_a_higher_floor_is_nearer(arm):
    """Distances of forearm and hand, the last ones, up to a cutoff."""
    high = clearance(floor=0.2).distances(POSES, 0.3)[:, -2:]
    np.testing.assert_allclose(high, np.minimum(arm.distances(POSES, 5.0)[:, -2:] - 0.2, 0.3))


def test_neighbours_are_not_checked(arm):
    assert pairs_of(arm) == {('column', 'fore'), ('column', 'hand'), ('upper', 'hand')}


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


def test_a_minimum_between_samples_is_covered():
    """Wherever the bend of a V-shaped distance lies between the samples."""
    times = np.arange(12.0)
    for bend in np.linspace(4.0, 5.0, 21):
        distances = 0.1 + 0.3 * np.abs(times - bend)
        assert below_samples(distances[:, None]).min() <= 0.1 + 1e-12


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
        '<sphere radius="much"/>',
    ],
)
def test_geometry_that_cannot_be_used_is_replaced_and_said(wrong, tmp_path):
    (tmp_path / 'flat.stl').write_text(FLAT)
    replaced = clearance(urdf().replace(HAND, wrong), folder=tmp_path).geometry
    assert [*replaced.unread] == ['hand']
    assert replaced.unchecked[0].startswith('hand: ')


def test_shapes_beside_one_that_cannot_be_read_are_kept():
    """A ball of 0.2 m about the hand, beside a mesh that is not found, is still kept clear."""
    missing = (
        '<collision><geometry><mesh filename="package://nowhere/a.stl"/></geometry></collision>'
    )
    ball = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
    text = urdf().replace('</link>', f'{missing}{ball}</link>')
    text = text.replace('<link name="base"/>', f'<link name="base">{ball}</link>')
    partly = clearance(text, floor=None)
    assert [*partly.geometry.unread] == ['column', 'upper', 'fore', 'hand']
    whole = clearance(text.replace(missing, ''), floor=None)
    assert (whole.geometry.unread, whole.geometry.unchecked) == ({}, [])
    # Shapes of one body are no pair.
    assert not any(re.match(r'(\w+) and \1 ', one) for one in whole.exceptions)
    near = partly.distances(POSES, 1.0).min(axis=1)
    assert (near <= whole.distances(POSES, 1.0).min(axis=1) + 1e-6).all()


def test_links_without_geometry_have_capsules_along_their_frames(arm):
    """Of the arm the base alone is not known; without its <collision> all links."""
    bare = clearance(urdf(collision=False))
    assert pairs_of(bare) == pairs_of(arm)
    assert (bare.distances(POSES, 0.5) < 0.0).any()
    (base,) = arm.geometry.unchecked
    assert base.startswith('base:')
    assert bare.geometry.unchecked[0].startswith('column, upper, fore, hand:')
    assert bare.geometry.unchecked[1:] == [base]
    assert bare.geometry.unread == {}
