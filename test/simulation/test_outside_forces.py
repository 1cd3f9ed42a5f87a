"""Pushes and the wall against the laws of mechanics: they are to judge what an observer feels."""

import math

import numpy as np
import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.simulation.mujoco_model import SimulationError, Wall
from robot_dynamics_ros.simulation.physics import Physics

G = 9.81
FIXED = """
<link name="{name}"/>
<joint name="mount" type="fixed"><parent link="{parent}"/><child link="{name}"/>
  <origin xyz="{xyz}" rpy="{rpy}"/></joint></robot>
"""
NO_GRAVITY = (0.0, 0.0, 0.0)
WRENCH = np.array([3.0, -1.0, 5.0, 0.2, 1.5, -0.3])
NONE = np.zeros(6)


def run(arm, duration, period=0.001):
    for _ in range(round(duration / period)):
        arm.advance(period)


@pytest.fixture
def with_tool(two_links):
    """A tool without mass, fixed to the forearm and turned."""
    place = {'xyz': '0.1 0.05 -0.8', 'rpy': '0.4 -0.3 1.1'}
    return two_links.replace('</robot>', FIXED.format(name='tool', parent='forearm', **place))


@pytest.mark.parametrize('link', ['upper_arm', 'tool'])
def test_the_energy_grows_by_the_work_of_the_wrench(with_tool, link):
    """The power is f . v + m . w, which is (R f) . dx and the turn of R about R m in a step."""
    arm = Physics(with_tool, gravity=NO_GRAVITY)
    arm.reset([0.4, 1.2])
    arm.outside.push(link, WRENCH)
    before, work = arm.energy(), 0.0
    for _ in range(2500):
        R, x = arm.outside.frame(link)
        arm.advance(0.0002)
        turned, moved = arm.outside.frame(link)
        turn = R.T @ turned
        angles = np.array(
            [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
        )
        work += WRENCH[:3] @ R.T @ (moved - x) + WRENCH[3:] @ angles / 2.0
    assert work > 0.05
    assert arm.energy() - before == pytest.approx(work, rel=1e-3)


def test_wrenches_are_those_of_the_present_time(with_tool):
    arm = Physics(with_tool)
    arm.brake = True
    arm.outside.push('upper_arm', WRENCH)
    arm.outside.push('tool', 2.0 * WRENCH, begin=0.1)
    arm.outside.push('tool', NONE, begin=0.2)
    seen = {}
    for k in range(300):
        seen[k] = {name: wrench.tolist() for name, wrench in arm.outside.wrenches().items()}
        arm.advance(0.001)
    one, both = {'upper_arm': WRENCH.tolist()}, {'tool': (2.0 * WRENCH).tolist()}
    assert seen == {k: one | (both if 100 <= k < 200 else {}) for k in range(300)}


def test_a_push_replaces_what_was_to_act_on_its_link_from_then_on(with_tool):
    arm = Physics(with_tool)
    arm.brake = True
    arm.outside.push('upper_arm', WRENCH)
    arm.outside.push('tool', WRENCH)
    arm.outside.push('tool', NONE, begin=0.5)
    arm.outside.push('tool', 2.0 * WRENCH, begin=0.1)
    run(arm, 0.6)
    np.testing.assert_array_equal(arm.outside.wrenches()['tool'], 2.0 * WRENCH)
    arm.outside.push('tool', NONE)
    assert list(arm.outside.wrenches()) == ['upper_arm']
    arm.reset()
    assert arm.outside.wrenches() == {}


@pytest.mark.parametrize(
    ('link', 'wrench', 'named'),
    [('base', WRENCH, "'base'"), ('forearm', WRENCH * math.inf, 'inf')],
)
def test_a_push_that_is_refused_changes_nothing(two_links, link, wrench, named):
    arm = Physics(two_links)
    with pytest.raises(SimulationError, match=named):
        arm.outside.push(link, wrench)
    assert arm.outside.wrenches() == {}


FLOOR = Wall('carriage', point=(0.3, -0.2, -0.4), normal=(0.0, 0.0, 2.0), radius=0.1)


def test_the_wall_takes_the_momentum_and_then_the_weight(lift):
    """The ball meets the floor at sqrt(2 g h), with h = 0.3 m."""
    arm = Physics(lift, wall=FLOOR)
    arm.outside.wall = True
    impulse, stepped = 0.0, 0.0005
    while arm.time < 1.0:
        arm.advance(stepped)
        for wrench in arm.outside.wrenches().values():
            np.testing.assert_allclose(wrench[[0, 1, 5]], 0.0, atol=1e-9)
            impulse += wrench[2] * stepped
    assert arm.position[0] == pytest.approx(-0.3, abs=1e-3)
    assert arm.outside.wrenches()['carriage'][2] == pytest.approx(1.5 * G, rel=1e-3)
    # From rest to rest, so the impulse is that of gravity; the shock lasts some four steps.
    assert impulse == pytest.approx(1.5 * G * 1.0, rel=0.2)


def test_a_wall_is_refused_where_the_link_is_behind_its_surface(lift):
    """It would throw the arm; a link that leans on the wall that is present may stay."""
    arm = Physics(lift, wall=FLOOR)
    arm.reset([-0.35])
    with pytest.raises(SimulationError, match=r'carriage.*0\.05'):
        arm.outside.wall = True
    assert not arm.outside.wall
    arm.reset([-0.29])
    arm.outside.wall = True
    run(arm, 1.0)
    arm.outside.wall = True
    assert arm.outside.wall
