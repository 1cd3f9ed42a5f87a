"""Pushes and the wall against the laws of mechanics: they are to judge what an observer feels."""

import math

import numpy as np
import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.simulation.mujoco_model import SimulationError, Wall
from robot_dynamics_ros.simulation.outside_forces import Push
from robot_dynamics_ros.simulation.physics import Physics

G = 9.81
FIXED = """
<link name="{name}"/>
<joint name="mount" type="fixed"><parent link="{parent}"/><child link="{name}"/>
  <origin xyz="{xyz}" rpy="{rpy}"/></joint></robot>
"""
NO_GRAVITY = (0.0, 0.0, 0.0)
FORCE, MOMENT, POINT = (3.0, -1.0, 5.0), (0.2, 1.5, -0.3), (0.1, 0.05, -0.8)


def run(arm, duration, period=0.001):
    for _ in range(round(duration / period)):
        arm.advance(period)


@pytest.fixture
def with_tool(two_links):
    """A tool without mass, fixed to the forearm and turned."""
    place = {'xyz': '0.1 0.05 -0.8', 'rpy': '0.4 -0.3 1.1'}
    return two_links.replace('</robot>', FIXED.format(name='tool', parent='forearm', **place))


@pytest.mark.parametrize(
    'push',
    [
        Push('upper_arm', FORCE, point=POINT, duration=1.0),
        Push('tool', FORCE, point=(0.2, -0.1, 0.3), duration=1.0),
    ],
)
def test_the_energy_grows_by_the_work_of_the_force(with_tool, push):
    """A constant force does the work F (x_1 - x_0), x where it acts."""
    arm = Physics(with_tool, gravity=NO_GRAVITY)
    arm.reset([0.4, 1.2])

    def place():
        R, origin = arm.outside.frame(push.link)
        return R @ push.point + origin

    begin, energy = place(), arm.energy()
    arm.outside.push(push)
    # Within a cycle the moment about the centre of mass is constant.
    run(arm, 0.5, period=0.0002)
    work = np.dot(push.force, place() - begin)
    assert work > 0.05
    assert arm.energy() - energy == pytest.approx(work, rel=1e-3)


def test_wrenches_tell_what_acts_in_the_axes_of_the_link(with_tool):
    arm = Physics(with_tool)
    arm.reset([0.4, 1.2])
    arm.brake = True
    arm.outside.push(Push('tool', FORCE, MOMENT, (0.2, -0.1, 0.3), duration=0.1))
    arm.advance(0.001)
    (wrench,) = arm.outside.wrenches().values()
    R, _ = arm.outside.frame('tool')
    np.testing.assert_allclose(R @ wrench[:3], FORCE, atol=1e-12)
    about_origin = np.cross(R @ (0.2, -0.1, 0.3), FORCE) + MOMENT
    np.testing.assert_allclose(R @ wrench[3:], about_origin, atol=1e-12)
    run(arm, 0.1)
    assert arm.outside.wrenches() == {}


def test_a_push_replaces_that_on_its_link_alone(with_tool):
    arm = Physics(with_tool)
    arm.brake = True
    arm.outside.push(Push('tool', (1.0, 0.0, 0.0)))
    arm.outside.push(Push('upper_arm', (2.0, 0.0, 0.0)))
    arm.outside.push(Push('tool', (0.0, 3.0, 0.0)))
    sizes = {name: np.linalg.norm(w[:3]) for name, w in arm.outside.wrenches().items()}
    assert sizes == {'tool': pytest.approx(3.0), 'upper_arm': pytest.approx(2.0)}
    arm.outside.push(Push('tool', duration=0.0))
    assert list(arm.outside.wrenches()) == ['upper_arm']
    arm.reset()
    assert arm.outside.wrenches() == {}


@pytest.mark.parametrize(
    ('push', 'named'),
    [
        (Push('base'), "'base'"),
        (Push('forearm', moment=(0.0, math.inf, 0.0)), 'moment'),
        (Push('forearm', duration=-1.0), '-1.0'),
    ],
)
def test_a_push_that_is_refused_changes_nothing(two_links, push, named):
    arm = Physics(two_links)
    with pytest.raises(SimulationError, match=named):
        arm.outside.push(push)
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
