"""Pushes and a wall, over the services of the simulated arm."""

import itertools
import math

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('robot_dynamics_interfaces')

from arm_bench import START, bench, context, stamp
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from std_srvs.srv import SetBool

from robot_dynamics_interfaces.srv import PushLink

pytestmark = pytest.mark.contract

__all__ = ['bench', 'context']


def applied(bench):
    """What comes on ~/applied_wrench."""
    wrenches = []
    bench.node.create_subscription(
        WrenchStamped, 'simulated_arm/applied_wrench', wrenches.append, 1000
    )
    bench.until(lambda: bench.node.count_publishers('simulated_arm/applied_wrench'), 'the topic')
    return wrenches


def test_a_push_moves_the_arm_and_is_published(bench):
    bench = bench(gravity=[0.0, 0.0, 0.0], brake=False)
    wrenches = applied(bench)
    # Both links hang along z: 0.8 rad about y.
    push = Wrench(force=Vector3(x=3.0))
    assert bench.call(PushLink, 'push_link', link='forearm', wrench=push, duration=0.2).success
    bench.until(lambda: wrenches and wrenches[-1].wrench.force.x == 0.0, 'the end')
    assert {one.header.frame_id for one in wrenches} == {'forearm'}
    stamps = [stamp(one) for one in wrenches]
    # On a slow computer the arm stands still for a while.
    standstill = max(after - before for before, after in itertools.pairwise(stamps))
    assert 0.1 < stamps[-1] - stamps[0] < 0.4 + standstill
    assert set(stamps) & {stamp(state) for state in bench.states}
    turned = wrenches[0].wrench.force
    angle = sum(START)
    assert turned.x == pytest.approx(3.0 * math.cos(angle), abs=0.1)
    assert turned.z == pytest.approx(3.0 * math.sin(angle), abs=0.1)
    assert max(abs(bench.last.velocity[0]), abs(bench.last.velocity[1])) > 0.05


def test_the_wall_stands_when_it_is_told_to(bench):
    """A floor that the elbow meets at acos(0.93) = 0.376 rad, on its way down from 0.5 rad."""
    floor = {'wall_link': 'forearm', 'wall_point': [0.0, 0.0, -0.95], 'wall_ball': 0.02}
    bench = bench(**floor)
    wrenches = applied(bench)
    assert bench.call(SetBool, 'set_wall', data=True).success
    assert bench.call(SetBool, 'set_brake', data=False).success
    bench.until(lambda: any(one.wrench.force.z != 0.0 for one in wrenches), 'a contact')
    bench.latest()
    assert min(state.position[0] for state in bench.states) > 0.35
    assert bench.call(SetBool, 'set_wall', data=False).success
    bench.until(lambda: bench.last.position[0] < 0.3, 'fall through')


def test_outside_forces_that_are_refused_say_why(bench):
    bench = bench()
    refused = bench.call(PushLink, 'push_link', link='wing', duration=1.0)
    assert not refused.success
    assert "'wing'" in refused.message
    assert 'upper_arm, forearm' in refused.message
    refused = bench.call(SetBool, 'set_wall', data=True)
    assert not refused.success
    assert 'wall_link' in refused.message
