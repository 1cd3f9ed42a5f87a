"""The list at the head of `state_to_command.py` is the way that a joint state really takes."""

import re
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from fed_node import fed_node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from three_joints import JOINTS

import robot_dynamics_ros
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.ros.loop import state_to_command

PACKAGE = Path(robot_dynamics_ros.__file__).parent
LISTED = re.findall(r'^    (\S+\.py) +(\w+) +\S', state_to_command.__doc__, re.MULTILINE)
# The way ends here: what a state is answered with is computed by programs that core has made.
ROOMS = ('ros', 'control')
ANSWER = ('ros/loop/state_to_command.py', '_answer')
LIMIT = 20.0
Q = np.array([0.3, 0.1, -0.7])


def test_every_file_and_function_of_the_list_exists():
    assert len(LISTED) > 15
    for file, function in LISTED:
        text = (PACKAGE / file).read_text()
        assert re.search(rf'^ *def {function}\(', text, re.MULTILINE), (file, function)


class Recorder:
    """The functions of the package that threads call which begin after this."""

    def __init__(self):
        self.calls = []

    def __call__(self, frame, event, argument):
        file = frame.f_code.co_filename
        if event == 'call' and file.startswith(str(PACKAGE)):
            file = Path(file).relative_to(PACKAGE)
            if file.parts[0] in ROOMS:
                self.calls.append((str(file), frame.f_code.co_name))


@pytest.fixture
def calls():
    recorder = Recorder()
    threading.setprofile(recorder)
    try:
        yield recorder.calls
    finally:
        threading.setprofile(None)


def cycles(calls):
    """The calls of each cycle of the loop that is over."""
    begins = [i for i, (_, name) in enumerate(calls) if name == '_handle_next']
    return [calls[i:j] for i, j in pairwise(begins)]


def whole_way(calls):
    """The first cycle of one state in which every guard worked; None if there is none yet."""
    needed = {
        LISTED[-1],
        ('control/guards/double_compensation.py', 'observe'),
        ('control/external_forces/live_contact.py', 'step'),
    }
    one_state = (cycle for cycle in cycles(calls) if cycle.count(ANSWER) == 1)
    return next((cycle for cycle in one_state if needed <= set(cycle)), None)


def test_the_list_is_the_order_in_which_a_state_is_answered(calls):
    """With a reference, a measured acceleration and a measured effort: every guard has work."""
    # The efforts are no torques that fit: that would be found, and nothing looked for a contact.
    felt = {'external_observer': True, 'push_threshold': [1e6], 'driver_gravity_check': False}
    with fed_node(**felt) as node:
        node.set_parameters([Parameter('acceleration_cutoff', value=50.0)])
        guard = node.robot_holder.require().guard
        guard.set_reference(Trajectory([Point(0.0, Q)]), 1e9)
        driver = rclpy.create_node('driver', context=node.context)
        publisher = driver.create_publisher(JointState, 'joint_states', 10)
        end = time.monotonic() + LIMIT
        while not whole_way(calls):
            assert time.monotonic() < end, f'no state was answered within {LIMIT:g} s'
            message = JointState(name=list(JOINTS), position=Q, velocity=Q, effort=Q)
            message.header.stamp = driver.get_clock().now().to_msg()
            publisher.publish(message)
            time.sleep(0.01)
        driver.destroy_node()
    cycle = whole_way(calls)
    assert sorted(LISTED, key=cycle.index) == LISTED
    assert {file for file, _ in cycle} == {file for file, _ in LISTED}, 'a file is not listed'
