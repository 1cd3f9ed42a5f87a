"""The simulated arm against its description, compiled once for all tests of a file."""

import pytest
from simulated_recordings import JOINTS, urdf

from robot_dynamics_ros.comparison.compare import conclude, gather
from robot_dynamics_ros.comparison.evidence.model_torques import ModelTorques
from robot_dynamics_ros.core import parse_urdf


@pytest.fixture(scope='session')
def torques():
    """Of the arm as described, with or without its friction and its tool."""
    made = {}

    def of(**options):
        key = tuple(sorted(options.items()))
        if key not in made:
            made[key] = ModelTorques.of_joints(parse_urdf(urdf(**options)), JOINTS)
        return made[key]

    return of


@pytest.fixture(scope='session')
def compared(torques):
    """The comparison of a recording with a description."""

    def compare(recorded, **options):
        model, reader = torques(**options), recorded.reader
        evidence = gather(model, reader.motions(), file='arm.mcap', quality=reader.quality)
        return conclude(model, [evidence])

    return compare
