import math
import time

import pytest

from robot_dynamics_ros.simulation.mujoco_description import SimulationError, strip

BOMB = '<!DOCTYPE x [{}]><robot name="&z;"><link name="a"/></robot>'.format(
    '<!ENTITY a "ha">'
    + ''.join(
        f'<!ENTITY {b} "{f"&{a};" * 50}">' for a, b in zip('abcdefgh', 'bcdefghz', strict=True)
    )
)
EXTERNAL = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><robot name="&e;"/>'


def test_keeps_only_what_moves(two_links):
    noisy = two_links.replace(
        '<link name="forearm">',
        '<material name="red"/><transmission name="t"/><gazebo/><mujoco/><link name="forearm">'
        '<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>'
        '<collision><geometry><box size="1 1 1"/></geometry></collision>',
    )
    assert strip(noisy).text.split() == strip(two_links).text.split()


def test_limits_are_infinite_where_none_are_given(pendulum, two_links):
    (swing,) = strip(pendulum()).joints
    assert (swing.lower, swing.upper, swing.effort, swing.velocity) == (
        -math.inf,
        math.inf,
        math.inf,
        math.inf,
    )
    elbow = strip(two_links).joints[0]
    assert (elbow.lower, elbow.upper, elbow.effort, elbow.velocity) == (-3.0, 3.0, 40.0, 2.0)


def test_what_is_fixed_to_the_root_needs_no_possible_inertia(pendulum):
    stand = (
        '<link name="stand"><inertial><mass value="-3"/><inertia ixx="-1" iyy="0" izz="0" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link><joint name="f" type="fixed"><parent link="base"/>'
        '<child link="stand"/></joint></robot>'
    )
    assert 'mass value="-3"' not in strip(pendulum().replace('</robot>', stand)).text


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('', 'empty'),
        ('<robot', 'XML'),
        (BOMB, 'DTD'),
        (EXTERNAL, 'DTD'),
        ('<sdf/>', '<sdf>'),
        ('<robot name="r"><link name="l"/></robot>', 'no moving joint'),
    ],
)
def test_refuses_what_is_no_robot(text, said):
    began = time.monotonic()
    with pytest.raises(SimulationError, match=said):
        strip(text)
    assert time.monotonic() - began < 1.0


@pytest.mark.parametrize('kind', ['floating', 'planar', 'hinge'])
def test_names_a_joint_that_it_cannot_move(pendulum, kind):
    with pytest.raises(SimulationError, match=f"'swing'.*'{kind}'"):
        strip(pendulum(kind=kind))


def test_names_a_limit_that_is_no_number(pendulum):
    with pytest.raises(SimulationError, match="'swing': limit effort='strong'"):
        strip(pendulum(extra='<limit effort="strong"/>'))
