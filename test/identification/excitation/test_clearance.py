"""Distances between bodies and from the floor, against closed forms and each other."""

import sys

import numpy as np
import pytest

pytest.importorskip('scipy')

from excited_arm import LENGTH, RADIUS, dynamics, random_poses, slope_by_differences, urdf

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.excitation.clearance.capsule_distances import (
    CapsuleDistances,
)
from robot_dynamics_ros.identification.excitation.clearance.capsules import (
    closest_points,
    enclosing_capsule,
)
from robot_dynamics_ros.identification.excitation.clearance.clearance import (
    Clearance,
    below_samples,
)
from robot_dynamics_ros.identification.excitation.clearance.collision_shapes import Shape

DISTANCE = 0.1
POSES = random_poses(200)


def clearance(*, mujoco, floor=0.0, text=None, distance=DISTANCE):
    text = urdf() if text is None else text
    robot = dynamics() if text == urdf() else RobotDynamics(parse_urdf(text))
    return Clearance(robot, text, None, POSES, distance=distance, floor=floor, mujoco=mujoco)


def geometry(mujoco):
    if mujoco:
        pytest.importorskip('mujoco')
    return clearance(mujoco=mujoco)


@pytest.fixture(scope='module', params=[False, True], ids=['capsules', 'mujoco'])
def arm(request):
    return geometry(request.param)


def test_the_closest_points_of_segments():
    """No pair of points on the two segments is closer, over a fine grid; in all special cases."""
    random = np.random.default_rng(0)
    first, second = random.normal(size=(2, 200, 2, 3))
    first[:20, 1] = first[:20, 0]  # points
    second[10:30, 1] = second[10:30, 0]
    second[30:50] = first[30:50] + random.normal(size=(20, 1, 3))  # parallel
    p, r = closest_points(first, second)
    found = np.linalg.norm(p - r, axis=1)
    grid = np.linspace(0.0, 1.0, 101)[:, None, None]
    on_first = (1.0 - grid) * first[:, 0] + grid * first[:, 1]
    on_second = (1.0 - grid) * second[:, 0] + grid * second[:, 1]
    best = np.linalg.norm(on_first[:, None] - on_second[None], axis=-1).min(axis=(0, 1))
    assert (found <= best + 1e-12).all()
    assert (found >= best - 0.05 * (1.0 + best)).all()


@pytest.mark.parametrize('count', [1, 2, 3, 8, 60])
def test_a_capsule_encloses_its_points(count):
    points = np.random.default_rng(count).normal(size=(count, 3)) * [0.1, 0.3, 0.7]
    capsule = enclosing_capsule(points)
    segment = np.broadcast_to(capsule.ends, (count, 2, 3))
    on_axis, _ = closest_points(segment, np.stack([points, points], axis=1))
    assert (np.linalg.norm(points - on_axis, axis=1) <= capsule.radius + 1e-9).all()


def test_hulls_are_measured_by_mujoco_and_their_capsules_are_never_farther():
    pytest.importorskip('mujoco')
    from robot_dynamics_ros.identification.excitation.clearance.mujoco_distances import (
        MujocoDistances,
    )

    random = np.random.default_rng(4)
    shapes = [Shape(i, 0.2 * random.normal(size=(20, 3))) for i in range(2)]
    poses = np.tile(np.eye(3, 4), (30, 2, 1, 1))
    poses[:, 1, :, 3] = random.uniform(0.6, 1.5, (30, 3))
    pairs = np.array([[0, 1]])
    exact, points = MujocoDistances(shapes).measure(poses, pairs, 10.0)
    bound, _ = CapsuleDistances(shapes).measure(poses, pairs, 10.0)
    assert (exact > 0.0).any()
    assert (bound <= exact + 1e-9).all()
    # No vertices are closer, and the distance is that of the points.
    moved = shapes[1].points + poses[:, 1, :, 3][:, None]
    between = np.linalg.norm(shapes[0].points[:, None] - moved[:, None], axis=-1).min(axis=(1, 2))
    apart = exact[:, 0] > 0.0
    assert (exact[apart, 0] <= between[apart] + 1e-6).all()
    gaps = np.linalg.norm(points[:, 0, 1] - points[:, 0, 0], axis=1)
    np.testing.assert_allclose(gaps[apart], exact[apart, 0], atol=1e-6)


def test_capsules_are_the_same_to_both():
    pytest.importorskip('mujoco')
    near = [clearance(mujoco=mujoco).at(POSES, 0.5).apart for mujoco in (False, True)]
    assert (near[0] < 0.0).any()
    assert (near[0] < 0.5).sum() > 20
    np.testing.assert_allclose(near[0], near[1], atol=1e-6)


def test_the_slope_of_the_violation(arm):
    q = POSES[arm.violation(POSES)[1] > 0.05][:12]
    total, largest, slope = arm.violation(q)
    assert total > 0.0
    assert largest.max() > 1.0  # some overlap
    expected = slope_by_differences(lambda x: arm.violation(x)[0], q)
    np.testing.assert_allclose(slope, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_the_slope_of_hulls():
    """Boxes, which MuJoCo measures as hulls."""
    pytest.importorskip('mujoco')
    capsule = f'<capsule radius="{RADIUS}" length="0.3"/>'
    boxes = clearance(mujoco=True, text=urdf().replace(capsule, '<box size="0.1 0.14 0.3"/>'))
    q = POSES[boxes.violation(POSES)[1] > 0.05][:12]
    expected = slope_by_differences(lambda x: boxes.violation(x)[0], q)
    np.testing.assert_allclose(
        boxes.violation(q)[2], expected, rtol=1e-2, atol=1e-2 * np.abs(expected).max()
    )


def test_the_height_of_a_straight_arm(arm):
    """The elbow bent by a right angle points the hand down."""
    q = np.array([[0.3, np.pi / 2.0, np.pi / 2.0, 0.0]])
    hand = 0.3 - LENGTH - 0.3 - RADIUS
    assert arm.at(q, 0.5).height.min() == pytest.approx(hand, abs=1e-9)
    assert not arm.at(q, 0.5).kept


def test_neighbours_are_not_checked(arm):
    assert arm.pairs == {('column', 'fore'), ('column', 'hand'), ('upper', 'hand')}


def test_a_body_that_cannot_be_moved_away_from_the_floor_is_said(arm):
    """The column turns where it stands, 5 cm below the floor."""
    (said,) = arm.exceptions
    assert 'column is always -0.050 m' in said


def test_a_distance_that_is_out_of_reach_is_halved_and_said():
    """The upper arm cannot be 0.3 m above the floor: its joint is at 0.3 m."""
    said = clearance(mujoco=False, distance=0.3).exceptions
    assert any('upper is always near' in each for each in said)


def test_hulls_that_always_overlap_are_not_checked():
    """A sphere about the upper arm that encloses the hand wherever it is."""
    capsule = f'<capsule radius="{RADIUS}" length="{LENGTH}"/>'
    text = urdf().replace(capsule, '<sphere radius="0.9"/>', 1)
    (said,) = clearance(mujoco=False, text=text, floor=None).exceptions
    assert 'upper and hand overlap' in said


def test_without_a_floor_no_height_is_checked():
    free = clearance(mujoco=False, floor=None)
    q = np.array([[0.3, np.pi / 2.0, np.pi / 2.0, 0.0]])
    assert free.at(q, 0.5).height.size == 0
    assert free.at(q, 0.5).kept
    assert free.violation(q)[0] == 0.0


def test_a_minimum_between_samples_is_covered():
    """Wherever the bend of a V-shaped distance lies between the samples."""
    times = np.arange(12.0)
    for bend in np.linspace(4.0, 5.0, 21):
        distances = 0.1 + 0.3 * np.abs(times - bend)
        assert below_samples(distances[:, None]).min() <= 0.1 + 1e-12


def test_a_robot_without_collision_geometry_has_capsules_along_its_frames():
    bare = clearance(mujoco=False, text=urdf(collision=False))
    assert 'link frames' in bare.words
    assert 'hand' in bare.words
    assert (bare.at(POSES, 0.5).apart < 0.0).any()
    assert bare.pairs == {('column', 'fore'), ('column', 'hand'), ('upper', 'hand')}


def test_without_mujoco_capsules_are_used(monkeypatch):
    folder = 'robot_dynamics_ros.identification.excitation.clearance'
    monkeypatch.delitem(sys.modules, f'{folder}.mujoco_distances', raising=False)
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    words = clearance(mujoco=True).words
    assert 'enclosing capsules without MuJoCo' in words


def test_why_mujoco_refuses_is_said(monkeypatch):
    pytest.importorskip('mujoco')
    from robot_dynamics_ros.identification.excitation.clearance import mujoco_distances

    def refused(shapes):
        raise ValueError('mesh volume\nis too small')

    monkeypatch.setattr(mujoco_distances, '_geometry', refused)
    assert 'shape: mesh volume' in clearance(mujoco=True).words


def test_a_mesh_is_the_hull_of_its_vertices(tmp_path):
    """A box as a mesh file, in mm, is the box as a primitive."""
    trimesh = pytest.importorskip('trimesh')
    pytest.importorskip('mujoco')
    capsule = f'<capsule radius="{RADIUS}" length="0.3"/>'
    trimesh.creation.box((100.0, 140.0, 300.0)).export(tmp_path / 'box.stl')
    mesh = '<mesh filename="box.stl" scale="0.001 0.001 0.001"/>'
    near = [
        Clearance(
            dynamics(), urdf().replace(capsule, shape), tmp_path, POSES,
            distance=DISTANCE, floor=0.0,
        ).at(POSES, 0.5)
        for shape in ('<box size="0.1 0.14 0.3"/>', mesh)
    ]  # fmt: skip
    np.testing.assert_allclose(near[0].apart, near[1].apart, atol=1e-6)
    np.testing.assert_allclose(near[0].height, near[1].height, atol=1e-6)
    assert (near[0].apart < 0.5).any()


@pytest.mark.parametrize(
    'wrong',
    [
        '<mesh filename="package://nowhere/part.stl"/>',
        '<box size="1 2"/>',
        '<cone radius="1"/>',
        '<sphere radius="much"/>',
    ],
)
def test_geometry_that_cannot_be_read_is_replaced_and_said(wrong):
    capsule = f'<capsule radius="{RADIUS}" length="0.3"/>'
    text = urdf().replace(capsule, wrong)
    assert text != urdf()
    replaced = clearance(mujoco=False, text=text)
    assert replaced.unread == ('hand',)
    assert replaced.unchecked[0].startswith('hand: ')
    assert 'assumed radius, for hand' in replaced.words


def test_shapes_beside_one_that_cannot_be_read_are_kept():
    """A ball of 0.2 m about the hand, beside a mesh that is not found, is still kept clear."""
    missing = (
        '<collision><geometry><mesh filename="package://nowhere/a.stl"/></geometry></collision>'
    )
    ball = '<collision><geometry><sphere radius="0.2"/></geometry></collision>'
    text = urdf().replace('</link>', f'{missing}{ball}</link>')
    text = text.replace('<link name="base"/>', f'<link name="base">{ball}</link>')
    partly = clearance(mujoco=False, text=text, floor=None)
    assert partly.unread == ('column', 'upper', 'fore', 'hand')
    whole = clearance(mujoco=False, text=text.replace(missing, ''), floor=None)
    assert whole.unread == whole.unchecked == ()
    near = partly.at(POSES, 1.0).apart.min(axis=1)
    assert (near <= whole.at(POSES, 1.0).apart.min(axis=1) + 1e-12).all()


def test_links_without_geometry_are_said(arm):
    """Of the arm the base alone; without its <collision> elements all links."""
    (base,) = arm.unchecked
    assert 'base' in base
    bare = clearance(mujoco=False, text=urdf(collision=False))
    assert bare.unchecked[0].startswith('column, upper, fore, hand:')
    assert bare.unchecked[1:] == (base,)
    assert bare.unread == ()
