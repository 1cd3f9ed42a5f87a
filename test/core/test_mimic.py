"""Chains of mimic joints."""

import pytest

from robot_dynamics_ros.core import TopologyError
from robot_dynamics_ros.core.mimic import Mimic, assign_coordinates
from robot_dynamics_ros.core.model.tree import Coordinate


def test_a_chain_is_followed_to_its_end_whatever_the_order():
    """c = 2 b + 1 and b = 3 a - 5 give c = 6 a - 9."""
    mimics = {'c': Mimic('b', 2.0, 1.0), 'b': Mimic('a', 3.0, -5.0)}
    coordinates = assign_coordinates(['c', 'x', 'b', 'a'], mimics)
    assert coordinates == [
        (Coordinate(1, 6.0, -9.0), 'a'),
        (Coordinate(0), None),
        (Coordinate(1, 3.0, -5.0), 'a'),
        (Coordinate(1), None),
    ]


@pytest.mark.parametrize(
    'mimics',
    [
        {'a': Mimic('a')},
        {'a': Mimic('b'), 'b': Mimic('a')},
        {'a': Mimic('b'), 'b': Mimic('c'), 'c': Mimic('b')},
    ],
)
def test_circles_are_refused_by_name(mimics):
    with pytest.raises(TopologyError, match=r"'[abc]' mimics itself.*'[abc]'"):
        assign_coordinates(['a', 'b', 'c'], mimics)
