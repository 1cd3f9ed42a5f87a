"""The figures of docs/controllers.md about a UR5 without feedback, friction and brakes.

Computed by forward dynamics, from the pose POSE of the UR5 of example-robot-data.
"""

import re
from pathlib import Path

import numpy as np
import pytest

integrate = pytest.importorskip('scipy.integrate')
optimize = pytest.importorskip('scipy.optimize')

from mechanics.examples import example

from robot_dynamics_ros.core import RobotDynamics

pytestmark = pytest.mark.contract

TEXT = (Path(__file__).parents[2] / 'docs/controllers.md').read_text()
POSE = np.array([0.0, -1.2, 1.4, -0.3, 0.5, 0.2])
# Of joint_trajectory_controller, as in the example of that page [N m/rad].
GAINS = np.array([100.0, 100.0, 100.0, 20.0, 20.0, 20.0])
LIFT = np.eye(6)[1]
DYNAMICS = RobotDynamics(example('ur_description/urdf/ur5_robot.urdf').model)
HELD = DYNAMICS.gravity_torque(POSE)
# A table has two figures.
TWO_FIGURES = 0.05


def largest_motion(torque, offset, velocity, seconds):
    """Of any joint [rad]."""

    def rate(time, x):
        q, v = x[:6], x[6:]
        return np.concatenate([v, DYNAMICS.forward_dynamics(q, v, torque(time, q))])

    start = np.concatenate([POSE + offset, velocity])
    end = integrate.solve_ivp(rate, (0.0, seconds), start, rtol=1e-6).y[:6, -1]
    return np.abs(end - POSE).max()


# Torque at a time and positions, and the offset and the velocity of the shoulder at first.
CASES = {
    'gravity compensation at the measured state': (
        lambda time, q: DYNAMICS.gravity_torque(q), 0.0, 0.05,
    ),
    '`hold`': (lambda time, q: HELD, 0.0, 0.05),
    'a reference at rest': (lambda time, q: HELD, 0.001, 0.0),
    'the fade from zero after a restart': (
        # Over 1 s.
        lambda time, q: (3.0 - 2.0 * time) * time**2 * DYNAMICS.gravity_torque(q), 0.0, 0.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize('case', CASES)
def test_how_far_it_moves(case):
    torque, offset, velocity = CASES[case]
    row = re.search(rf'^\| {re.escape(case)} \|.*\| ([\d.]+) rad \| ([\d.]+) rad \|$', TEXT, re.M)
    for seconds, figure in zip((0.5, 1.0), row.groups(), strict=True):
        moved = largest_motion(torque, offset * LIFT, velocity * LIFT, seconds)
        assert float(figure) == pytest.approx(moved, rel=TWO_FIGURES)


def test_how_far_it_sags_where_position_gains_alone_hold_it():
    """Where the gravity torque equals that of the gains."""
    q = optimize.fsolve(lambda q: GAINS * (POSE - q) - DYNAMICS.gravity_torque(q), POSE)
    np.testing.assert_allclose(DYNAMICS.gravity_torque(q), GAINS * (POSE - q), atol=1e-6)
    figure = re.search(r'sags by ([\d.]+) rad', TEXT)
    assert float(figure[1]) == pytest.approx(np.abs(q - POSE).max(), rel=TWO_FIGURES)


def test_the_torque_that_holds_it():
    figure = re.search(r'its shoulder needs (-?[\d.]+) N m', TEXT)
    assert float(figure[1]) == pytest.approx(HELD[1], rel=0.01)
