"""The touched link is the last one whose joint feels the push."""

import numpy as np
import pytest
from mechanics.examples import example, needs_examples
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.control.external_forces.contact_link import ContactLinks
from robot_dynamics_ros.core import RobotDynamics, parse_urdf


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


def test_each_branch_of_a_tree_has_its_own():
    model = hand_written('tree').model
    links = ContactLinks(model)
    found = links.touched(np.ones(model.size, bool))
    carriers = {joint.parent for joint in model.joints}
    tips = {index for index in range(len(model.joints)) if index not in carriers}
    assert {model.frame(link).body for link in found} == tips
    assert len(found) > 1


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
