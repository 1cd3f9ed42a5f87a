"""A live parameter that alters the computed torque is faded in, and no other is."""

import numpy as np
import pytest

pytest.importorskip('rclpy')

from three_joints import URDF, state

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.ros.parameters.node_table import TABLE
from robot_dynamics_ros.ros.robot.commanded_robot import CommandedRobot
from robot_dynamics_ros.ros.robot.compilation import compile_robot
from robot_dynamics_ros.ros.robot.live_values import LiveValues

Q, V, A = np.array([[0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [0.4, -0.3, 0.6]])
REFERENCE = Trajectory([Point(0.0, Q + 0.05, V + 0.1, A)])
PERIOD = 1e-3
# In a fade that takes so long, nothing moves between two states.
ENDLESS = 60.0
# Every term is there, and no limit acts.
VALUES = {name: row.checked(row.default) for name, row in TABLE.rows.items()} | {
    'terms': ['gravity', 'coriolis', 'inertial', 'friction'],
    'friction_viscous': [2.0],
    'friction_coulomb': [1.0],
    'fade_time': 0.0,
    'effort_limits': [1e9],
    'state_timeout': 1e9,
    # The other parts need a constant.
    'collision_threshold': [2.0],
    'push_threshold': [2.0],
}
OTHERS = {
    'terms': ['gravity'],
    'evaluate_at': 'state',
    'gravity': [0.0, 9.81, 0.0],
    'friction_viscous': [3.0],
    'friction_coulomb': [2.0],
    'friction_viscous_negative': [3.0],
    'friction_coulomb_negative': [2.0],
    'torque_offset': [0.5],
    'friction_smoothing': 1.0,
    'friction_smoothing_by_joint': [1.0, 0.5, 2.0],
    'state_timeout': 5.0,
    'on_stale': 'zero',
    'reference_tolerance': [1.0],
    'fade_time': 30.0,
    'on_stop': 'hold',
    'on_restart': 'take_over',
    'effort_limits': [1e8],
    'driver_gravity_check': False,
    'external_observer': True,
    'external_from': 'commanded',
    'external_bandwidth': [5.0],
    'external_frame': 'slider',
    'collision_threshold': [1.0],
    'collision_threshold_velocity': [1.0],
    'collision_threshold_acceleration': [1.0],
    'push_threshold': [1.0],
    'push_threshold_velocity': [1.0],
    'push_threshold_acceleration': [1.0],
    'threshold_margin': 2.0,
    'contact_cutoff': 2.0,
    'on_collision': 'zero',
}


@pytest.fixture(scope='module')
def compiled():
    return compile_robot(URDF, cross_check=False)


def test_each_live_parameter_is_tried():
    assert set(OTHERS) == {name for name, row in TABLE.rows.items() if row.live}


class Cycles:
    """States of a robot that accelerates evenly, by their stamps."""

    def __init__(self, robot):
        self._robot = robot
        self._count = 0

    def answer(self):
        self._count += 1
        seconds = self._count * PERIOD
        message = state(Q, V + A * seconds)
        message.header.stamp.sec = 1000
        message.header.stamp.nanosec = round(1e9 * seconds)
        self._robot.take(message)
        assert self._robot.command(0.0) is not None
        return self._robot.feedforward.effort.copy(), self._robot.guard.effort.copy()


def steps_at_change(compiled, name, reference):
    """By how much the computed torque and the command step where a parameter changes."""
    compiled.dynamics.gravity = VALUES['gravity']
    robot = CommandedRobot(compiled, VALUES)
    robot.guard.supervisor.active = True
    robot.guard.set_reference(reference, 0.0)
    cycles = Cycles(robot)
    for _ in range(50):
        computed, command = cycles.answer()
    np.testing.assert_array_equal(computed, command)
    values = {**VALUES, 'fade_time': ENDLESS, name: OTHERS[name]}
    robot.apply(LiveValues.of(values, robot.dynamics.model, robot.joints))
    after_computed, after_command = cycles.answer()
    return np.abs(after_computed - computed).max(), np.abs(after_command - command).max()


@pytest.mark.parametrize('name', OTHERS)
def test_what_alters_the_torque_is_faded_in(compiled, name):
    steps = np.array([steps_at_change(compiled, name, each) for each in (None, REFERENCE)])
    computed, command = steps.max(axis=0)
    # From one state to the next the torque of an even motion changes by less.
    still = 0.05
    assert (computed > still) == TABLE.rows[name].shapes_torque
    assert command < still
