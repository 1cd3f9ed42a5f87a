"""The contact of a commanded robot: its links, and a direction that costs nothing by itself."""

import re

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.control.external_forces import live_contact
from robot_dynamics_ros.control.external_forces.contact_link import ContactLinks
from robot_dynamics_ros.control.external_forces.external_settings import ExternalSettings
from robot_dynamics_ros.control.external_forces.live_contact import LiveContact

TREE = hand_written('tree').model
PERIOD = 0.001
Q = np.linspace(0.1, 0.9, TREE.size)
REST = np.zeros(TREE.size)


@pytest.fixture
def contact():
    """Contacts of a robot with branches, each from 1 N m or N on."""
    one = (1.0,) * TREE.size
    settings = ExternalSettings(collision_threshold=one, push_threshold=one)
    return LiveContact(TREE, TREE.joint_names, np.arange(TREE.size), settings)


@pytest.fixture
def evaluated(monkeypatch):
    """How often a Jacobian was evaluated, as the length of a list."""
    calls, original = [], live_contact.jacobian

    def counted(*arguments):
        calls.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(live_contact, 'jacobian', counted)
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
    rows = live_contact.jacobian(TREE, Q.tolist(), TREE.frame(link), 'LOCAL')
    return np.array(rows, dtype=float)
