"""Quaternions and errors of poses, against the exponential of the textbook."""

import numpy as np
import pytest

from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.pose import pose_error, quaternion
from robot_dynamics_ros.core.spatial import rotation_about
from robot_dynamics_ros.textbook.screw import exponential

ANGLES = [0.0, 1e-300, 1e-12, 1e-5, 1.9e-3, 2.1e-3, 0.3, 2.0, 3.0, np.pi - 1e-9]


def unit(seed):
    axis = np.random.default_rng(seed).normal(size=3)
    return axis / np.linalg.norm(axis)


@pytest.mark.parametrize('angle', ANGLES)
@pytest.mark.parametrize('seed', range(3))
def test_the_error_is_the_motion_to_the_target(angle, seed):
    """exp of it, from the pose, is the target."""
    axis, linear = unit(seed), np.random.default_rng(seed).uniform(-2.0, 2.0, 3)
    moved = exponential((tuple(axis), tuple(linear)), angle)
    start = np.array(rotation_about(tuple(unit(seed + 50)), 1.0)), linear[::-1]
    target = start[0] @ np.array(moved.rotation), start[0] @ moved.translation + start[1]
    expected = angle * np.array([*linear, *axis])
    assert np.abs(pose_error(start, target) - expected).max() < 4e-15 * max(1.0, 10.0 * angle)


@pytest.mark.parametrize('axis', [*np.eye(3), *-np.eye(3), *map(unit, range(3))], ids=str)
@pytest.mark.parametrize('angle', ANGLES)
def test_quaternions_are_those_of_the_axis(axis, angle):
    expected = np.array([*np.sin(angle / 2.0) * axis, np.cos(angle / 2.0)])
    found = quaternion(rotation_about(tuple(axis), angle))
    assert np.abs(found - expected).max() < 4e-16
    assert abs(np.linalg.norm(found) - 1.0) < 3e-16


def test_rows_are_computed_as_each():
    rotations = np.array([rotation_about(tuple(unit(k)), 0.3 * k) for k in range(9)])
    origins = np.random.default_rng(3).normal(size=(9, 3))
    target = rotations[4], origins[4]
    rows = pose_error((rotations, origins), target)
    each = [pose_error(pose, target) for pose in zip(rotations, origins, strict=True)]
    assert np.array_equal(rows, each)
    assert np.array_equal(rows[4], np.zeros(6))
    assert np.array_equal(quaternion(rotations), [quaternion(R) for R in rotations])
    assert pose_error((rotations[:0], origins[:0]), target).shape == (0, 6)


@pytest.mark.parametrize(
    ('pose', 'named'),
    [
        ((2.0 * np.eye(3), np.zeros(3)), 'rotation of pose'),
        ((-np.eye(3), np.zeros(3)), 'rotation of pose'),
        ((np.ma.array(np.eye(3)), np.zeros(3)), 'rotation of pose'),
        ((np.eye(3), np.zeros(4)), 'origin of pose'),
        ((np.eye(3), [0.0, np.nan, 0.0]), 'origin of pose'),
        (5.0, 'pose'),
    ],
)
def test_what_is_no_pose_is_refused(pose, named):
    with pytest.raises(StateError, match=named):
        pose_error(pose, (np.eye(3), np.zeros(3)))
