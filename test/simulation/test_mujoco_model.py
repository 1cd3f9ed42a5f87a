import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.simulation.mujoco_model import SimulationError, Wall, compile_model


def test_what_is_fixed_to_the_root_needs_no_possible_inertia(pendulum):
    stand = (
        '<link name="stand"><inertial><mass value="-3"/><inertia ixx="-1" iyy="0" izz="0" ixy="0" '
        'ixz="0" iyz="0"/></inertial></link><joint name="f" type="fixed"><parent link="base"/>'
        '<child link="stand"/></joint></robot>'
    )
    assert compile_model(pendulum().replace('</robot>', stand)).body_mass.sum() == 2.0


@pytest.mark.parametrize(
    'text',
    [
        '<robot',
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><robot name="&e;"/>',
        '<robot name="r"><link name="l"/></robot>',
    ],
)
def test_refuses_what_is_no_robot(text):
    with pytest.raises(SimulationError):
        compile_model(text)


def test_names_what_it_cannot_take(pendulum, two_links):
    with pytest.raises(SimulationError, match=r"'swing'.*'floating'"):
        compile_model(pendulum(kind='floating'))
    with pytest.raises(SimulationError, match='effort'):
        compile_model(pendulum(extra='<limit effort="strong"/>'))
    with pytest.raises(SimulationError, match="'wing'"):
        compile_model(two_links, Wall('wing', (0, 0, 0), (0, 0, 1)))
    with pytest.raises(SimulationError, match='normal'):
        compile_model(two_links, Wall('forearm', (0, 0, 0), (0, 0, 0)))


def test_says_why_mujoco_refuses(pendulum):
    massless = pendulum().replace('mass value="2.0"', 'mass value="0"').replace('="0.1"', '="0"')
    with pytest.raises(SimulationError, match=r'MuJoCo.*mass'):
        compile_model(massless)
