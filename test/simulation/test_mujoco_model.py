import math

import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.simulation.mujoco_model import SimulationError, Wall, compile_model, strip


def test_keeps_only_what_moves(two_links):
    noisy = two_links.replace(
        '<link name="forearm">',
        '<material name="red"/><transmission name="t"/><gazebo/><mujoco/><link name="forearm">'
        '<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>',
    )
    assert strip(noisy).text.split() == strip(two_links).text.split()


def test_limits_are_infinite_where_none_are_given(pendulum, two_links):
    def limits(joint):
        return joint.lower, joint.upper, joint.effort, joint.velocity

    (swing,) = strip(pendulum()).joints
    assert limits(swing) == (-math.inf, math.inf, math.inf, math.inf)
    assert limits(strip(two_links).joints[0]) == (-3.0, 3.0, 40.0, 2.0)


def test_what_is_fixed_to_the_root_needs_no_possible_inertia(pendulum):
    stand = (
        '<link name="stand"><inertial><mass value="-3"/><inertia ixx="-1" iyy="0" izz="0" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link><joint name="f" type="fixed"><parent link="base"/>'
        '<child link="stand"/></joint></robot>'
    )
    compile_model(strip(pendulum().replace('</robot>', stand)).text)


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('<robot', 'XML'),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><robot name="&e;"/>', 'DTD'),
        ('<robot name="r"><link name="l"/></robot>', 'no moving joint'),
    ],
)
def test_refuses_what_is_no_robot(text, said):
    with pytest.raises(SimulationError, match=said):
        strip(text)


def test_names_the_joint_that_it_cannot_take(pendulum):
    with pytest.raises(SimulationError, match=r"'swing'.*'floating'"):
        strip(pendulum(kind='floating'))
    with pytest.raises(SimulationError, match="'swing': limit effort='strong'"):
        strip(pendulum(extra='<limit effort="strong"/>'))


def test_says_why_mujoco_refuses_and_writes_no_file(pendulum, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    massless = pendulum().replace('mass value="2.0"', 'mass value="0"').replace('="0.1"', '="0"')
    with pytest.raises(SimulationError, match=r'MuJoCo.*mass'):
        compile_model(strip(massless).text)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ('wall', 'said'),
    [
        (Wall('wing', (0, 0, 0), (0, 0, 1)), "link 'wing'"),
        (Wall('forearm', (0, 0, 0), (0, 0, 0)), 'normal of'),
    ],
)
def test_refuses_a_wall_that_cannot_be(two_links, wall, said):
    with pytest.raises(SimulationError, match=said):
        compile_model(strip(two_links).text, wall)
