"""The engine against closed forms: it is to judge our dynamics, so it must be right itself."""

import math
import re

import numpy as np
import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.simulation.mujoco_model import SimulationError
from robot_dynamics_ros.simulation.physics import Physics

G = 9.81
NO_GRAVITY = (0.0, 0.0, 0.0)
MIMIC = '<mimic joint="shoulder" multiplier="-2" offset="0.1"/>'


def run(arm, duration, period=0.001):
    for _ in range(round(duration / period)):
        arm.advance(period)


def holding(arm):
    """The torque that holds it where it is."""
    still = np.zeros(len(arm.joints))
    return arm.required_torque(arm.position, still, still)


@pytest.mark.parametrize(('period', 'force'), [(0.001, 0.0), (0.016, 1.5 * (G + 3.0))])
def test_accelerates_on_a_rail_in_any_portions_of_time(lift, period, force):
    arm = Physics(lift)
    arm.set_torque([force])
    run(arm, 0.8, period)
    assert arm.position[0] == pytest.approx((force / 1.5 - G) / 2 * 0.8**2, rel=1e-9)
    assert arm.time == pytest.approx(0.8)
    np.testing.assert_allclose(arm.effort, [force])


def test_a_quaternion_turns_the_rail_and_gravity_points_where_it_is_told_to(lift):
    turned = lift.replace('<origin xyz="0 0 0"/><axis', '<origin quat_xyzw="1 0 0 1"/><axis')
    arm = Physics(turned.replace('<robot', '<robot version="1.1"'), gravity=(0.0, 2.0, 0.0))
    arm.advance(1.0)
    assert arm.position[0] == pytest.approx(-1.0, rel=1e-9)


@pytest.mark.parametrize('damping', [0.3, 3000.0])
def test_damping_slows_down(pendulum, damping):
    # v decays with I / d; 3000 N m s/rad is far too stiff for an explicit method.
    arm = Physics(pendulum(extra=f'<dynamics damping="{damping}"/>'), gravity=NO_GRAVITY)
    arm.set_torque([0.6])
    arm.advance(0.5)
    expected = 0.6 / damping * (1 - math.exp(-damping / 0.6 * 0.5))
    assert arm.velocity[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ('torque', 'friction', 'rest'), [(0.9, True, 0.0), (2.0, True, 1.0), (0.9, False, 0.9)]
)
def test_friction_holds_until_it_is_overcome_or_left_out(pendulum, torque, friction, rest):
    rough = pendulum(extra='<dynamics friction="1.0"/>')
    arm = Physics(rough, gravity=NO_GRAVITY, friction=friction)
    arm.set_torque([torque])
    run(arm, 0.5)
    assert arm.velocity[0] == pytest.approx(rest / 0.6 * 0.5, rel=0.02, abs=1e-2)


def test_stops_at_its_limits_and_starts_within_them(pendulum):
    arm = Physics(pendulum('<limit lower="0.2" upper="0.5"/>', 'revolute'))
    np.testing.assert_array_equal(arm.position, [0.2])
    arm.set_torque([30.0])
    run(arm, 2.0)
    assert arm.position[0] == pytest.approx(0.5, abs=0.05)
    assert abs(arm.velocity[0]) < 1e-3


def test_joints_are_known_by_name(two_links):
    straight, swapped = Physics(two_links), Physics(two_links, joints=('elbow', 'shoulder'))
    assert straight.joints == straight.all_joints == ('shoulder', 'elbow')
    straight.reset([0.3, -0.7])
    swapped.reset([-0.7, 0.3])
    straight.set_torque([5.0, 1.0])
    swapped.set_torque([1.0, 5.0])
    for arm in (straight, swapped):
        run(arm, 0.3)
    np.testing.assert_array_equal(straight.position, swapped.position)
    np.testing.assert_array_equal(straight.effort, [5.0, 1.0])
    np.testing.assert_allclose(straight.inertia(), swapped.inertia()[::-1])
    for joints in (('wrist',), ('elbow', 'elbow')):
        with pytest.raises(SimulationError, match='shoulder, elbow'):
            Physics(two_links, joints=joints)


def test_mimics_follow_and_take_no_torque(two_links):
    elbow = '<joint name="elbow" type="revolute">'
    arm = Physics(two_links.replace(elbow, elbow + MIMIC))
    assert (arm.joints, arm.all_joints) == (('shoulder',), ('shoulder', 'elbow'))
    arm.reset([0.2])
    np.testing.assert_allclose(arm.position, [0.2, -0.3])
    run(arm, 0.5)
    assert arm.position[1] == pytest.approx(0.1 - 2 * arm.position[0], abs=1e-2)
    held = Physics(two_links.replace(elbow, elbow + MIMIC), adds_gravity=True)
    held.reset([0.4])
    run(held, 1.0)
    assert held.position[0] == pytest.approx(0.4, abs=1e-3)


def test_says_when_motion_grows_beyond_bounds(lift):
    arm = Physics(lift)
    arm.set_torque([1e308])
    with pytest.raises(SimulationError, match='simulated motion'):
        run(arm, 100.0, period=10.0)
    arm.reset()
    assert np.isfinite(arm.position).all()


@pytest.mark.parametrize('gravity', [(0.0, 0.0, -G), (3.0, -2.0, 1.0)])
def test_gravity_is_what_a_resting_arm_takes_and_energy_stays_while_it_falls(two_links, gravity):
    arm = Physics(two_links, gravity=gravity)
    arm.reset([0.7, -1.1])
    before = arm.energy()
    run(arm, 0.5)
    assert np.abs(arm.velocity).max() > 0.1
    assert arm.energy() == pytest.approx(before, abs=1e-7)
    np.testing.assert_allclose(arm.gravity_torque(), holding(arm), atol=1e-12)


def test_drive_clamps_the_sum_that_it_exerts(two_links):
    arm = Physics(two_links, adds_gravity=True)
    arm.reset([0.5, 0.3])
    arm.set_torque([39.0, -39.0])
    arm.advance(0.001)
    assert arm.gravity_torque()[0] > 1.0
    np.testing.assert_allclose(arm.effort, [40.0, -39.0 + arm.gravity_torque()[1]], atol=1e-2)


def test_takes_the_torque_that_pinocchio_says():
    pinocchio = pytest.importorskip('pinocchio')
    from robot_dynamics_ros.demo import DemoError, default_urdf

    try:
        text = default_urdf().read_text()
    except DemoError:
        pytest.skip('example-robot-data is not installed')
    # Pinocchio's RNEA knows neither damping nor friction.
    text = re.sub('<dynamics[^>]*/>', '', text)
    physics = Physics(text)
    model = pinocchio.buildModelFromXML(text)
    assert tuple(model.names)[1:] == physics.joints
    rng = np.random.default_rng(0)
    q = rng.uniform(model.lowerPositionLimit, model.upperPositionLimit)
    v, a = rng.normal(size=(2, model.nv))
    expected = pinocchio.rnea(model, model.createData(), q, v, a)
    torque = physics.required_torque(q, v, a)
    np.testing.assert_allclose(torque, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
