"""The simulated arm against its URDF, compiled once for all tests of a file."""

from functools import cache

import pytest
from simulated_recordings import urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import parse_urdf


@pytest.fixture(scope='session')
def comparison_with():
    """With the arm of the URDF, with or without its friction and its tool."""
    return cache(lambda **options: Comparison(parse_urdf(urdf(**options))))


@pytest.fixture(scope='session')
def compared(comparison_with):
    """The comparison of a recording with a URDF."""
    return lambda recorded, **options: comparison_with(**options).of(recorded.reader)


@pytest.fixture(scope='session')
def codes(compared):
    """The codes of its findings."""
    return lambda recorded, **options: [one.code for one in compared(recorded, **options).findings]


@pytest.fixture(scope='session')
def only(compared):
    """Its only finding."""

    def only(recorded, **options):
        findings = compared(recorded, **options).findings
        assert len(findings) == 1, [str(finding) for finding in findings]
        return findings[0]

    return only
