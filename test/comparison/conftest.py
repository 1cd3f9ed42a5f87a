"""The simulated arm against its URDF, compiled once for all tests of a file."""

import pytest
from simulated_recordings import urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import parse_urdf


@pytest.fixture(scope='session')
def comparison_with():
    """With the arm of the URDF, with or without its friction and its tool."""
    made = {}

    def of(**options):
        key = tuple(sorted(options.items()))
        if key not in made:
            made[key] = Comparison(parse_urdf(urdf(**options)))
        return made[key]

    return of


@pytest.fixture(scope='session')
def compared(comparison_with):
    """The comparison of a recording with a URDF."""

    def compare(recorded, **options):
        (found,) = comparison_with(**options).fit(recorded.reader)
        return found

    return compare
