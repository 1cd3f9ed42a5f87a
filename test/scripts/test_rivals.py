"""The judge of several tools: exact parameters leave nothing, wrong ones do."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('scipy')

from exact_motion import VISCOUS, cut, exact_motion, truth
from mechanics.robots import hand_written

sys.path.insert(0, str(Path(__file__).parents[2] / 'scripts' / 'rivals'))

from judge import SIGNS, Judge
from moving_bodies import urdf_of
from write_data import _arrays

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

ROBOT = hand_written('oblique')


def test_the_urdf_of_the_moving_bodies_has_the_torques_of_the_robot():
    written = RobotDynamics(parse_urdf(urdf_of(ROBOT.model)), backend='python')
    states = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 10, ROBOT.model.size))
    np.testing.assert_allclose(
        written.inverse_dynamics(*states), ROBOT.native.inverse_dynamics(*states), atol=1e-9
    )


@pytest.fixture(scope='module')
def judge(tmp_path_factory):
    """Of a motion in two parts that follow each other, all of it held out."""
    folder = tmp_path_factory.mktemp('rivals')
    (folder / 'robot.urdf').write_text(urdf_of(ROBOT.model))
    motion = exact_motion(ROBOT.native, seconds=4.0)
    np.savez(
        folder / 'data.npz', cutoff=8.0, motion_cutoff=motion.cutoff, rate=motion.rate,
        **_arrays('held_out', cut(motion, 300)),
    )  # fmt: skip
    return Judge(folder)


def test_exact_parameters_leave_nothing(judge):
    found = judge.by_name(truth(judge.layout))
    left = judge.left(judge.torque_of(found, SIGNS['smooth']))
    assert left.max() < 1e-8


def test_a_wrong_parameter_leaves_its_torque(judge):
    """At one joint; another law of friction leaves something at each."""
    found = judge.by_name(truth(judge.layout))
    found['viscous'][1] += VISCOUS
    left = judge.left(judge.torque_of(found, SIGNS['smooth']))
    assert left[1] > 0.1
    assert np.delete(left, 1).max() < 1e-8
    assert judge.left(judge.torque_of(found, SIGNS['tanh'])).min() > 1e-4
