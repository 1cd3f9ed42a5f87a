"""Live states of the simulated arm with its tool: the tool is found, or the reason is said."""

import re

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import (
    JOINTS,
    TOOL_CENTER,
    TOOL_MASS,
    simulated,
    urdf,
)

from robot_dynamics_ros.control.payload_estimation.live_payload import LivePayload
from robot_dynamics_ros.control.payload_estimation.state_buffer import CAPACITY, StateBuffer
from robot_dynamics_ros.core import (
    JointFriction,
    ParameterError,
    RobotDynamics,
    StateError,
    parse_urdf,
)

FRAME = 'flange_link'
SIZE = len(JOINTS)
EFFORTS = slice(1 + 2 * SIZE, None)


@pytest.fixture(scope='module')
def dynamics():
    """The arm without its tool and without its friction."""
    return RobotDynamics(parse_urdf(urdf(friction=False)))


@pytest.fixture
def estimated(dynamics):
    """What the states of a recording determine, given some at a time."""

    def estimate(states, robot=dynamics, frame=FRAME):
        payload = LivePayload(robot.model, frame)
        for part in np.array_split(states, max(1, len(states) // 40)):
            payload.push(part, robot, JointFriction(robot.model))
        return payload.estimate()

    return estimate


def states(recorded):
    """Rows as of `StateBuffer`."""
    columns = recorded.times[:, None], recorded.positions, recorded.velocities, recorded.efforts
    return np.hstack(columns)


def check_tool(estimate, mass=TOOL_MASS, center=TOOL_CENTER):
    """That it is found to 1 % and 5 mm, and within its intervals, twice as wide."""
    assert not estimate.refusal
    assert abs(estimate.mass - mass) < min(0.01 * mass, 2.0 * estimate.mass_interval)
    error = np.abs(np.subtract(estimate.com, center))
    assert (error < np.minimum(0.005, 2.0 * np.array(estimate.com_interval))).all()


@pytest.mark.parametrize('seed', [1, 2])
def test_the_tool_is_found_beside_unknown_friction(estimated, seed):
    """The model has none of the friction of the arm: up to 5 N m and 4 N m s/rad."""
    estimate = estimated(states(simulated(tool=True, seed=seed)))
    check_tool(estimate)
    assert estimate.determined in ('mass and centre', 'mass, centre and inertia')
    assert set(estimate.equations) == set(JOINTS)
    assert min(estimate.equations.values()) > 100


def test_realistic_noise(estimated):
    """1.3 kg to 1 % and 5 mm: efforts with noise of 0.5 % of their limits, velocities 1 mrad/s."""
    recorded = simulated(tool=True, seed=3, rate=1000.0, duration=30.0)
    random = np.random.default_rng(3)
    rows = states(recorded)
    limits = [joint.limits.effort for joint in parse_urdf(urdf()).joints]
    rows[:, EFFORTS] += 0.005 * np.array(limits) * random.normal(size=(len(rows), SIZE))
    rows[:, 1 + SIZE : 1 + 2 * SIZE] += 0.001 * random.normal(size=(len(rows), SIZE))
    estimate = estimated(rows)
    check_tool(estimate)
    assert estimate.mass_interval < 0.015 * TOOL_MASS
    assert max(estimate.com_interval) < 0.005


def test_a_payload_that_the_model_has_is_part_of_the_estimate(estimated, dynamics):
    """The estimate is of what the link carries, whatever has been set before."""
    model = dynamics.model.with_payload(FRAME, 2.0, (0.0, 0.0, 0.1))
    loaded = RobotDynamics(model, backend='python')
    check_tool(estimated(states(simulated(tool=True)), robot=loaded))
    model = dynamics.model.with_payload('bend_link', 1.0, (0.0, 0.05, 0.1))
    elsewhere = RobotDynamics(model, backend='python')
    check_tool(estimated(states(simulated(tool=True)), robot=elsewhere))


def test_velocities_that_are_not_measured_come_from_positions(estimated):
    rows = states(simulated(tool=True))
    rows[:, 1 + SIZE : 1 + 2 * SIZE] = np.nan
    check_tool(estimated(rows))


def test_lost_states_and_pauses_do_no_harm(estimated):
    rows = states(simulated(tool=True))
    random = np.random.default_rng(3)
    kept = random.random(len(rows)) > 0.05
    kept[800:1000] = False
    check_tool(estimated(rows[kept]))


def test_no_payload_is_told_from_none(estimated):
    estimate = estimated(states(simulated()))
    assert 'cannot be distinguished' in estimate.refusal
    assert estimate.service_call() == ''


def test_motion_that_does_not_tell_is_refused(estimated):
    """Only the first joint moves, about the vertical: gravity on the tool does not change."""
    still = tuple(JOINTS[1:])
    estimate = estimated(states(simulated(tool=True, still=still)))
    assert estimate.refusal
    assert not estimate.determined
    assert 'did not move' in estimate.refusal
    rows = states(simulated(tool=True))
    rows[:, 1 : 1 + SIZE] = rows[0, 1 : 1 + SIZE]
    rows[:, 1 + SIZE : 1 + 2 * SIZE] *= 1e-3
    assert 'no joint' in estimated(rows).refusal


LIFT = """<robot name="lift"><link name="base"/><link name="carriage"><inertial>
<mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="rail" type="prismatic"><parent link="base"/><child link="carriage"/>
<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="900" velocity="3"/></joint></robot>"""


def test_a_lift_tells_the_mass_alone(estimated):
    """Of a link that does not turn: the mass by its acceleration, beside an unknown offset."""
    mass, offset = 1.3, 7.0
    times = np.arange(4000) / 200.0
    rates = 2.0 * np.pi * np.array([0.4, 0.9])
    angles = np.outer(times, rates)
    q, v, a = (
        (np.array([0.4, 0.15]) * rates**order * np.sin(angles + order * np.pi / 2.0)).sum(axis=1)
        for order in range(3)
    )
    noise = np.random.default_rng(1).normal(0.0, 0.2, len(times))
    effort = (2.0 + mass) * (a + 9.81) + offset + noise
    rows = np.column_stack([times, q, v, effort])
    estimate = estimated(
        rows, robot=RobotDynamics(parse_urdf(LIFT), backend='python'), frame='carriage'
    )
    assert estimate.determined == 'mass'
    assert estimate.service_call() == ''
    assert abs(estimate.mass - mass) < 2.0 * estimate.mass_interval < 0.1
    assert 'centre of mass' in estimate.sentence()
    assert np.isnan(estimate.com).all()


def test_a_model_without_mass_is_no_reference():
    """The payload would be the robot too; a payload that is attached changes nothing."""
    model = parse_urdf(re.sub(r'<inertial>.*?</inertial>', '', LIFT, flags=re.DOTALL))
    for reference in (model, model.with_payload('carriage', 1.0, (0.0, 0.0, 0.0))):
        with pytest.raises(ParameterError, match='has no mass'):
            LivePayload(reference, 'carriage')


def test_short_motion_is_refused(estimated):
    assert 'too short' in estimated(states(simulated(tool=True))[:500]).refusal


def test_no_effort_is_refused(estimated):
    rows = states(simulated(tool=True))
    rows[:, EFFORTS] = np.nan
    with pytest.raises(StateError, match='no effort'):
        estimated(rows)


def test_joints_without_an_effort_are_left_out(estimated):
    rows = states(simulated(tool=True))
    rows[:, 1 + 2 * SIZE] = np.nan
    estimate = estimated(rows)
    assert estimate.equations['base'] == 0
    check_tool(estimate)


def test_a_driver_that_takes_gravity_out_is_recognised(estimated):
    recorded = simulated(tool=True)
    rows = states(recorded)
    rows[:, EFFORTS] -= recorded.gravity
    assert 'takes gravity out' in estimated(rows).refusal


def test_the_share_of_gravity_is_that_of_the_arm_alone(estimated, dynamics):
    """Also where the model has a payload, which the recorded arm has not."""
    recorded = simulated()
    rows = states(recorded)
    rows[:, EFFORTS] -= recorded.gravity
    model = dynamics.model.with_payload(FRAME, 5.0, (0.0, 0.0, 0.1))
    refusal = estimated(rows, robot=RobotDynamics(model, backend='python')).refusal
    lacking = float(re.search(r'lack (\S+) \+- ', refusal).group(1))
    assert lacking == pytest.approx(100.0, abs=5.0)


class Drag:
    """Friction that the estimate has no parameters for."""

    def torque(self, v):
        return 8.0 * v * np.abs(v)


def test_friction_that_is_known_is_taken_off(dynamics):
    rows = states(simulated(tool=True))
    rows[:, EFFORTS] += Drag().torque(rows[:, 1 + SIZE : 1 + 2 * SIZE])
    payload = LivePayload(dynamics.model, FRAME)
    payload.push(rows, dynamics, Drag())
    estimate = payload.estimate()
    check_tool(estimate)
    assert max(estimate.noise.values()) < 0.3


def test_efforts_in_another_unit_are_refused(estimated):
    """Motor currents, 0.1 A for 1 N m."""
    rows = states(simulated(tool=True))
    rows[:, EFFORTS] *= 0.1
    assert 'N m' in estimated(rows).refusal


def test_a_tool_of_the_description_that_is_not_mounted_is_recognised(estimated):
    described = RobotDynamics(parse_urdf(urdf(tool=True)), backend='python')
    assert 'not mounted' in estimated(states(simulated()), robot=described).refusal


def test_the_buffer_hands_over_each_stamp_once():
    buffer = StateBuffer(2)
    q, v = np.array([0.1, 0.2]), np.array([0.3, 0.4])
    buffer.put(1.0, q, v, None)
    buffer.put(1.0, q + 1.0, v, None)
    buffer.put(1.5, q, v, np.array([5.0, np.nan]))
    rows = buffer.take_out()
    nan = np.nan
    np.testing.assert_array_equal(
        rows, [[1.0, 0.1, 0.2, 0.3, 0.4, nan, nan], [1.5, 0.1, 0.2, 0.3, 0.4, 5.0, nan]]
    )
    assert buffer.repeated == 1
    assert len(buffer.take_out()) == 0
    buffer.put(1.7, np.zeros(3), np.zeros(3), None)
    assert len(buffer.take_out()) == 0
    for number in range(CAPACITY + 3):
        buffer.put(2.0 + number, q, v, None)
    assert buffer.lost == 3
    assert len(buffer.take_out()) == CAPACITY
