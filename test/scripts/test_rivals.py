"""What several tools get of a robot."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('scipy')

from mechanics.robots import hand_written

sys.path.insert(0, str(Path(__file__).parents[2] / 'scripts' / 'rivals'))

from moving_bodies import urdf_of

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

ROBOT = hand_written('oblique')


def test_the_urdf_of_the_moving_bodies_has_the_torques_of_the_robot():
    written = RobotDynamics(parse_urdf(urdf_of(ROBOT.model)), backend='python')
    states = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 10, ROBOT.model.size))
    np.testing.assert_allclose(
        written.inverse_dynamics(*states), ROBOT.native.inverse_dynamics(*states), atol=1e-9
    )
