"""References that are refused, end, or are left; the clocks that may be set meanwhile."""

import math
import time
from dataclasses import dataclass

import numpy as np
import pytest
from rclpy.time import Time
from references import point, trajectory
from rosgraph_msgs.msg import Clock as ClockMessage
from std_msgs.msg import Float64MultiArray
from three_joints import JOINTS, state

from robot_dynamics_ros.control.supervisor import State
from robot_dynamics_ros.ros.node_clock import NodeClock

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QR, VR, AR = [0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]


def test_a_reference_that_is_over_or_left_is_dropped(guarded, dynamics):
    """When, and how it fades, is a law of the guard (test/control/test_references.py)."""
    with guarded(reference_timeout=0.2) as scene:
        scene.settle(dynamics.bias_torque(Q, V))
        scene.follow(trajectory(point(Q), point(QR, seconds=0.3)))
        scene.until(lambda: scene.figures('reference')['dropped'] == '1', 'the end')
        scene.settle(dynamics.bias_torque(Q, V))
        # The robot stays where it is, as one that is held; the reference goes on.
        scene.set(reference_tolerance=0.01)
        away = [0.3, 0.1, 0.3]
        scene.follow(trajectory(point(Q), point(away, seconds=1.0), point(away, seconds=60.0)))
        assert 'wrist' in scene.shows('reference_left').message
        scene.settle(dynamics.bias_torque(Q, V))


def of_long_ago(message):
    message.header.stamp = Time(seconds=1).to_msg()
    return message


BAD = {
    'wrist': trajectory(point([0.1, 0.2]), names=JOINTS[:2]),
    'gripper': trajectory(point([0.1, 0.2, 0.3, 0.4]), names=(*JOINTS, 'gripper')),
    "nan at 'slide'": trajectory(point([0.1, math.nan, 0.3])),
    'accelerations': trajectory(point(Q, (), V)),
    'too large': trajectory(point([1e200] * 3)),
    'increase': trajectory(point(Q), point(Q)),
    'ended': of_long_ago(trajectory(point(Q), point(QR, seconds=1.0))),
}


def test_a_bad_reference_is_refused_and_the_one_before_stays(lent, dynamics):
    lent.follow(trajectory(point(Q, V, V)))
    for named, message in BAD.items():
        lent.reference.publish(message)
        lent.status('reference', lambda each, _, n=named: n in each.message, named)
    command, _ = lent.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.inverse_dynamics(Q, V, V), rtol=1e-12)


class SimulatedTime:
    """A publisher of /clock that can be set."""

    def __init__(self, node, seconds):
        self.set(seconds)
        self._paused = None
        self._publisher = node.create_publisher(ClockMessage, '/clock', 10)
        node.create_timer(0.01, self._publish)

    def set(self, seconds):
        self._zero = time.monotonic() - seconds

    def pause(self):
        self._paused = time.monotonic() - self._zero

    def resume(self):
        self.set(self._paused)
        self._paused = None

    def _publish(self):
        if self._paused is not None:
            return
        now = Time(seconds=time.monotonic() - self._zero)
        self._publisher.publish(ClockMessage(clock=now.to_msg()))


def test_a_clock_that_is_set_back_ends_the_reference_and_resets_the_stamps(guarded, dynamics):
    """As when a simulation starts again."""
    free, following = dynamics.bias_torque(Q, V), dynamics.inverse_dynamics(QR, VR, AR)
    far = {'reference_timeout': 60.0, 'reference_tolerance': math.inf}
    with guarded(use_sim_time=True, **far) as scene:
        # Nothing begins before the first tick; what must go on goes on where nobody publishes it.
        scene.shows('no_clock')
        assert not len(scene.recording)
        other = scene.node.create_publisher(Float64MultiArray, '/robot_dynamics/commands', 10)
        scene.shows('other_publishers')
        scene.node.destroy_publisher(other)
        scene.gone('other_publishers')
        scene.driver.step = None
        clock = SimulatedTime(scene.node, 1000.0)
        scene.until(lambda: scene.robot.get_clock().now().nanoseconds > 1e12, 'simulated time')
        scene.settle(free)
        scene.gone('no_clock')
        scene.follow(trajectory(point(QR, VR, AR)))
        scene.settle(following)
        # The simulator is paused: states and time stand still, and nothing ages.
        scene.driver.pause()
        clock.pause()
        end = time.monotonic() + 1.0
        scene.until(lambda: time.monotonic() > end, 'ten times the state timeout')
        assert scene.guard.supervisor.state is State.TRACKING
        clock.resume()
        scene.driver.resume()
        scene.settle(following)
        clock.set(5.0)
        scene.settle(free)
        scene.gone('states_refused')
        scene.logs('clock was set')
        scene.follow(trajectory(point(QR, VR, AR)))
        scene.settle(following)


@dataclass
class Clock:
    """Stands for the clock of rclpy."""

    nanoseconds: int = 10**18
    ros_time_is_active: bool = False

    def now(self):
        return Time(nanoseconds=self.nanoseconds)


@pytest.mark.parametrize('step', [-3600, 1])
def test_setting_the_clock_of_the_machine_changes_no_time(step):
    machine = Clock()
    clock, start = NodeClock(machine), time.monotonic()
    before = clock.now()
    machine.nanoseconds += step * 10**9
    assert clock.at(machine.nanoseconds) == pytest.approx(clock.now(), abs=0.1)
    assert 0.0 <= clock.now() - before <= time.monotonic() - start


def test_simulated_time_is_used_to_the_nanosecond_and_states_are_ticks_of_it():
    machine = Clock(ros_time_is_active=True)
    clock = NodeClock(machine)
    before, begin = clock.now(), machine.nanoseconds
    machine.nanoseconds += 3600 * 10**9 + 7
    assert clock.now() - before == pytest.approx(3600 + 7e-9, abs=1e-12)
    assert clock.at(begin + 10**9) - before == 1.0
    # A state may come before the message on /clock; one of another clock is no tick.
    clock.tick(machine.nanoseconds + 10**9)
    clock.tick(machine.nanoseconds + 10**12)
    clock.tick(machine.nanoseconds - 10**9)
    assert clock.now() - before == pytest.approx(3601 + 7e-9, abs=1e-12)


def test_there_is_no_time_before_the_first_tick():
    machine = Clock(0, ros_time_is_active=True)
    clock = NodeClock(machine)
    assert not clock.ticks
    machine.nanoseconds = 1
    assert clock.ticks
