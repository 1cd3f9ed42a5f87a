"""Pinocchio agrees on every quantity, on real robots and on random trees.

The algorithms are evaluated on floats, where nothing has to be compiled; on small robots the
compiled programs are compared as well.
"""

import pytest
from mechanics.examples import MOVING_EXAMPLES
from mechanics.float_dynamics import FloatDynamics
from mechanics.numbered_trees import COUNT, random_tree
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.sampling import random_states

pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from mechanics.pinocchio_kinetics import PinocchioKinetics

pytestmark = pytest.mark.contract

# The worst of all trees and robots is 3e-13, in the potential energy of a tree whose weights
# nearly balance.
TOLERANCE = 1e-12

STATES = 5
# Trees on which the plain-Python back end takes the place of the floats.
COMPILED = range(0, COUNT, 24)
SMALL = [robot for robot in HAND_WRITTEN + MOVING_EXAMPLES if robot.model.size <= 4]
ARMS = [
    robot
    for robot in MOVING_EXAMPLES
    if robot.name in ('ur_description/urdf/ur5_robot.urdf', 'xarm_description/urdf/xarm7.urdf')
]


def check(name, text, dynamics, worst, states=STATES):
    oracle = PinocchioKinetics(text, dynamics.model)
    states = random_states(dynamics.model, states, seed=3)
    report = oracle.compare(dynamics, states, tolerance=TOLERANCE)
    worst(name, report)
    assert report.agrees, report


@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_robot(robot, worst):
    check(robot.name, robot.text, FloatDynamics(robot.model), worst)


@pytest.mark.parametrize('number', range(COUNT))
def test_random_tree(number, worst):
    text = random_tree(number)
    check(f'random tree {number}', text, FloatDynamics(parse_urdf(text)), worst)


@pytest.mark.parametrize('number', COMPILED)
def test_random_tree_in_plain_python(number, worst):
    text = random_tree(number)
    dynamics = RobotDynamics(parse_urdf(text), backend='python')
    check(f'random tree {number}', text, dynamics, worst)


@pytest.mark.parametrize('robot', SMALL + ARMS, ids=str)
def test_robot_in_native_code(robot, worst):
    check(robot.name, robot.text, robot.native, worst)
