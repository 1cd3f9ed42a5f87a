"""Points of a message as arrays, by name, and stamps on the clock of the references."""

import math

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from references import point, trajectory
from three_joints import JOINTS

from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.ros.reference import read_trajectory
from robot_dynamics_ros.ros.waypoints import read_points

RANDOM = np.random.default_rng(11)


def message(names=JOINTS):
    rows = RANDOM.uniform(-1.0, 1.0, (5, 3, len(names)))
    points = (point(*row, seconds=0.25 * number) for number, row in enumerate(rows))
    return trajectory(*points, names=names)


def test_points_are_those_of_the_message_in_our_order():
    names = 'wrist', 'turn', 'slide'
    asked = message(names)
    # A point may give less than its neighbours.
    asked.points[1].velocities, asked.points[1].accelerations = [], []
    asked.points[2].accelerations = []
    points = read_points(asked, JOINTS, start=3.0)
    assert len(points) == len(asked.points)
    for index, expected in enumerate(asked.points):
        found = points[index]
        assert found.time == 3.0 + 0.25 * index
        given = expected.positions, expected.velocities, expected.accelerations
        for values, asked_for in zip((found.q, found.v, found.a), given, strict=True):
            by_name = dict(zip(names, asked_for, strict=bool(asked_for)))
            wanted = [by_name[name] for name in JOINTS] if by_name else None
            assert (values if values is None else values.tolist()) == wanted


@pytest.mark.parametrize(
    ('field', 'values', 'reason'),
    [
        ('positions', [], 'point 3: positions has 0 values'),
        ('positions', [0.0, math.inf, 0.0], "3: positions is inf at 'slide'"),
        ('velocities', [1.0], 'point 3: velocities has 1 values'),
        ('accelerations', [1.0] * 4, 'point 3: accelerations .*4'),
        ('time_from_start', Duration(sec=-2), 'point 3: time_from_start is -2 s'),
    ],
)
def test_the_first_bad_point_is_named(field, values, reason):
    asked = message()
    for index in (3, 4):
        setattr(asked.points[index], field, values)
    with pytest.raises(StateError, match=reason):
        read_points(asked, JOINTS, start=0.0)


@pytest.mark.parametrize('delay', [-0.1, 0.0, 2.5])
def test_a_reference_begins_where_the_arm_is_if_its_first_point_is_later(delay):
    asked, begin = message(), RANDOM.uniform(-1.0, 1.0, (3, len(JOINTS)))
    read = read_trajectory(asked, JOINTS, 10.0 + delay, 10.0, begin)
    assert read.start == pytest.approx(min(10.0 + delay, 10.0))
    if delay > 0.0:
        np.testing.assert_allclose(read.at(10.0), begin, atol=1e-9)
    assert read_trajectory(asked, JOINTS, 10.0 + delay, 10.0).start == 10.0 + delay
