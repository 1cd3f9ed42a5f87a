"""The touched link is the last one whose joint feels the push; a direction is found on demand."""

import re

import numpy as np
import pytest
from mechanics.examples import example, needs_examples
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.control.external import contact as contact_module
from robot_dynamics_ros.control.external.contact import Contact, ContactLinks
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

TREE = hand_written('tree').model
PERIOD = 0.001
Q = np.linspace(0.1, 0.9, TREE.size)
REST = np.zeros(TREE.size)


@pytest.fixture
def contact():
    """Contacts of a robot with branches, each from 1 N m or N on."""
    thresholds = ContactThresholds.of(TREE.size, 1.0, 1.0)
    return Contact(TREE, TREE.joint_names, np.arange(TREE.size), thresholds)


@pytest.fixture
def evaluated(monkeypatch):
    """How often a Jacobian was evaluated, as the length of a list."""
    calls, original = [], contact_module.jacobian

    def counted(*arguments):
        calls.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(contact_module, 'jacobian', counted)
    return calls


def feel(contact, *torques):
    """One second of rest, so that collisions are told from pushes, then these torques (n,)."""
    times = iter(np.arange(0.0, 100.0, PERIOD).tolist())
    for _ in range(1000):
        contact.step(REST, REST, next(times))
    for torque in torques:
        contact.step(torque, REST, next(times))
        yield


def hit(*joints):
    torque = np.zeros(TREE.size)
    torque[list(joints)] = 50.0
    return torque


def test_a_collision_is_named_before_any_direction_is_found(contact, evaluated):
    """A reaction waits for the name alone, at each change of the touched joints."""
    changing = [hit(0), hit(0, 1), hit(0), hit(0, 1)] * 25
    collisions = 0
    for _ in feel(contact, *changing):
        collisions += contact.collides
        assert contact.sentence(hit(0, 1)).startswith('collision at ')
    assert collisions == 1
    assert not evaluated


def test_the_direction_is_found_once_for_each_change_that_asks_for_it(contact, evaluated):
    for _ in feel(contact, *[hit(0, 1)] * 20):
        direction = contact.direction(Q, hit(0, 1))
        assert np.linalg.norm(direction) == pytest.approx(1.0)
    assert len(evaluated) == 1


def test_two_touched_branches_are_both_named_and_the_first_joint_decides(contact):
    links = ContactLinks(TREE).touched(np.ones(TREE.size, bool))
    assert len(links) > 1
    everywhere = hit(*range(TREE.size))
    for _ in feel(contact, everywhere):
        pass
    assert contact.links == links
    assert contact.link == links[0]
    sentence = contact.sentence(everywhere)
    assert all(link in sentence for link in links)
    for joint in TREE.independent_joints:
        unit = 'N' if joint.kind == 'prismatic' else 'N m'
        assert f'{joint.name} 50 {unit}' in re.split(': external torque of |, ', sentence)
    # The force on that link, whatever the other branches feel.
    found = contact.direction(Q, everywhere)
    below = np.array([*map(bool, np.abs(_columns(contact.link)).sum(axis=0))])
    contact.reset()
    for _ in feel(contact, everywhere):
        pass
    np.testing.assert_allclose(contact.direction(Q, np.where(below, 50.0, 0.0)), found, atol=1e-12)


def _columns(link):
    """The Jacobian (6, n) of a link."""
    rows = contact_module.jacobian(TREE, Q.tolist(), TREE.frame(link), 'LOCAL')
    return np.array(rows, dtype=float)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_a_push_on_one_joint_is_on_the_link_that_it_carries(robot):
    model, links = robot.model, ContactLinks(robot.model)
    for index, name in enumerate(model.joint_names):
        felt = np.zeros(model.size, bool)
        felt[index] = True
        (link,) = links.touched(felt)
        carried = model.frame(link)
        assert model.joints[carried.body].name == name


@pytest.mark.parametrize(
    'name', ['oblique', 'tree', 'fixed_links', pytest.param('ur5', marks=needs_examples)]
)
def test_a_force_on_a_link_is_found_there(name):
    """Of random direction at each link: the joints that feel it are those below."""
    robot = example('ur_description/urdf/ur5_robot.urdf') if name == 'ur5' else hand_written(name)
    dynamics, links = RobotDynamics(robot.model, backend='python'), ContactLinks(robot.model)
    random = np.random.default_rng(1)
    q = random.uniform(-1.0, 1.0, robot.model.size)
    for frame in robot.model.frames:
        torque = dynamics.jacobian(q, frame.name).T @ random.uniform(-10.0, 10.0, 6)
        found = links.touched(np.abs(torque) > 1e-6)
        expected = () if frame.body < 0 else (frame.body,)
        assert tuple(robot.model.frame(link).body for link in found) == expected


def test_a_joint_before_it_may_mimic_it():
    """j1 mimics j3, and j2 j4: what is touched together is behind the last independent joint."""
    names = {1: '<mimic joint="j3"/>', 2: '<mimic joint="j4"/>'}
    text = '<robot name="r"><link name="l0"/>' + ''.join(
        f'<link name="l{i}"/><joint name="j{i}" type="revolute"><parent link="l{i - 1}"/>'
        f'<child link="l{i}"/><axis xyz="0 0 1"/>{names.get(i, "")}'
        '<limit lower="-1" upper="1" effort="9" velocity="2"/></joint>'
        for i in range(1, 5)
    )
    model = parse_urdf(f'{text}</robot>')
    links = ContactLinks(model)
    assert model.joint_names == ('j3', 'j4')
    assert links.touched(np.array([True, False])) == ('l3',)
    assert links.touched(np.array([False, True])) == links.touched(np.ones(2, bool)) == ('l4',)


def test_nothing_is_touched_where_no_joint_feels_anything():
    assert ContactLinks(hand_written('oblique').model).touched(np.zeros(4, bool)) == ()
