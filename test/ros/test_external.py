"""What the node publishes of external forces, what it does at a collision, and what it says."""

import math
import re

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from references import point, trajectory
from std_srvs.srv import SetBool, Trigger
from three_joints import JOINTS

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_ros.ros.external import RateLimit

Q, NONE = [0.3, 0.1, -0.7], np.zeros(3)
PUSH = np.array([3.0, -10.0, 0.8])
THRESHOLDS = {'collision_threshold': [5.0, 5.0, 1.0], 'push_threshold': [5.0, 5.0, 1.0]}
HIT = [0.0, 30.0, 6.0]
ACCELERATION = [1.0, -0.5, 2.0]
STILL = trajectory(point(Q, NONE, ACCELERATION))
TOUCH = Contact.KIND_PUSH, Contact.KIND_COLLISION


# Of a stamp as a float [s].
ROUNDING = 1e-6


def vector(field):
    return [field.x, field.y, field.z]


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


def test_a_push_is_published_as_torques_and_wrench_in_the_order_of_the_joints(felt, dynamics):
    joints = ['wrist', 'turn', 'slide']
    order = [JOINTS.index(name) for name in joints]
    with felt(joints=joints, external_frame='slider') as arm:
        arm.push = PUSH
        message = arm.feels(PUSH[order])
        assert list(message.joint_names) == joints
        assert message.header.frame_id == 'base'
        assert message.header.stamp.sec > 0
        arm.until(lambda: arm.wrenches, 'wrench')
        arm.wrenches.clear()
        arm.until(lambda: arm.wrenches, 'wrench')
        wrench = arm.wrenches[-1]
        assert wrench.header.frame_id == 'slider'
        # The joint behind that link feels nothing of a wrench on it.
        jacobian = dynamics.jacobian(Q, 'slider', 'LOCAL')
        torque = jacobian.T @ [*vector(wrench.wrench.force), *vector(wrench.wrench.torque)]
        np.testing.assert_allclose(torque[:2], PUSH[:2], atol=1e-2)


def without_velocity(message):
    message.velocity = []


def test_without_efforts_or_velocities_there_is_the_reason_and_no_number(felt):
    """Nor where the efforts are no torques, or not those that driver_effort says."""
    with felt(terms=['gravity'], external_observer=False) as arm:
        arm.driver.effort = lambda: -arm.gravity
        assert 'reversed_torque fits' in arm.shows('effort_contradicts').message
        assert not arm.felt
        arm.set(external_observer=True)
        assert 'reversed_torque fits' in arm.shows('no_external_torques').message
        arm.set(driver_effort='reversed_torque')
        arm.feels(NONE)
        arm.gone('effort_contradicts')
        arm.set(driver_effort='current')
        assert 'driver_effort is current' in arm.shows('no_external_torques').message
        arm.set(driver_effort='torque')
        arm.driver.effort = lambda: arm.gravity
        arm.feels(NONE)
        arm.driver.effort = lambda: np.where(np.arange(3) == 1, np.nan, arm.gravity)
        assert 'effort of slide' in arm.shows('no_external_torques').message
        arm.until_silent()
        arm.driver.change = without_velocity
        arm.status('external forces', lambda each, _: 'velocity of turn' in each.message)
        arm.driver.change = lambda message: None
        arm.driver.effort = lambda: arm.gravity
        arm.feels(NONE)
        arm.gone('no_external_torques')
        arm.set(external_observer=False)
        arm.until_silent()


def test_a_contact_is_published_at_each_change_with_link_and_direction(felt):
    with felt(**THRESHOLDS) as arm:
        contact = arm.hit([0.0, 30.0, 0.0])
        assert (contact.link, contact.header.frame_id) == ('slider', 'slider')
        assert list(contact.joint_names) == ['slide']
        assert contact.effort[0] > THRESHOLDS['collision_threshold'][1]
        began = seconds(contact.since)
        assert 0.0 < began <= seconds(contact.header.stamp) + ROUNDING
        arm.push = np.array(HIT)
        arm.until(lambda: 'wrist' in arm.contacts[-1].joint_names, 'a change')
        change = arm.contacts[-1]
        assert abs(seconds(change.since) - began) < ROUNDING
        assert began < seconds(change.header.stamp)
        assert math.isclose(np.linalg.norm(vector(contact.direction)), 1.0)
        arm.shows('contact')
        arm.push = NONE
        contact = arm.touched(Contact.KIND_NONE)
        assert (contact.link, list(contact.joint_names), contact.since) == ('', [], Time())
        # By default it is only reported.
        arm.settle(arm.gravity)
        arm.gone('contact')


def test_a_contact_ends_where_no_state_tells_of_it_any_more(felt):
    """The topic is latched: who comes later must not be told of a contact that is not known."""
    with felt(state_timeout=0.5, **THRESHOLDS) as arm:
        arm.hit([0.0, 30.0, 0.0])
        arm.driver.pause()
        arm.touched(Contact.KIND_NONE)
        # What is felt when states come again is published again: a hit of just now, or a push.
        arm.driver.resume()
        arm.touched(*TOUCH)
        # An inactive node still estimates, and publishes nothing of it.
        arm.trigger('deactivate')
        arm.touched(Contact.KIND_NONE)

        def silent():
            arm.felt.clear(), arm.wrenches.clear()
            before = arm.driver.sent
            arm.until(lambda: arm.driver.sent > before + 50, 'states')
            return not (arm.felt or arm.wrenches)

        # What was published before may still come.
        arm.until(silent, 'silence')
        assert arm.contacts[-1].kind == Contact.KIND_NONE
        arm.trigger('activate')
        arm.touched(*TOUCH)
        arm.trigger('deactivate', 'cleanup')
        arm.touched(Contact.KIND_NONE)


def test_a_threshold_file_takes_the_place_of_the_lists(felt, tmp_path):
    """By joint name; refused with its name where it does not fit, or where both are given."""
    parts = '{constant: 5.0, velocity: 1.0, acceleration: 0.0}'
    file = tmp_path / 'learned.yaml'
    bands = f'{{bandwidth: 10.0, collision: {parts}, push: {parts}}}'
    file.write_text('joints:\n' + ''.join(f'  {name}: {bands}\n' for name in reversed(JOINTS)))
    with felt(contact_thresholds=str(file)) as arm:
        arm.hit([0.0, 30.0, 0.0])
        assert 'learned.yaml' in arm.refused(push_threshold=[3.0])
        assert 'learned.yaml' in arm.refused(external_bandwidth=[20.0])
        other = tmp_path / 'other.yaml'
        other.write_text(file.read_text().replace('slide', 'lift'))
        assert 'lift' in arm.refused(contact_thresholds=str(other))
        assert 'none.yaml' in arm.refused(contact_thresholds=str(tmp_path / 'none.yaml'))
        arm.set(contact_thresholds='')
        arm.touched(Contact.KIND_NONE)


# Collisions


def acknowledge(arm):
    response = arm.call(SetBool, 'enable', data=True)
    assert response.success
    return response.message


@pytest.mark.parametrize('policy', ['hold', 'stop'])
def test_a_collision_drops_the_reference_until_it_is_acknowledged(felt, dynamics, policy):
    """Which command each policy leads to is a law of the guard (test/control)."""
    with felt(on_collision=policy, reference_timeout=60.0, **THRESHOLDS) as arm:
        arm.follow(STILL)
        arm.settle(arm.gravity + dynamics.mass_matrix(Q) @ ACCELERATION)
        arm.hit(HIT)
        arm.settle(arm.gravity if policy == 'hold' else NONE)
        state = 'REACTING' if policy == 'hold' else 'SILENT'
        torques = arm.torques
        arm.until(lambda: torques and torques[-1].state == state, state)
        assert 'collision at hand' in torques[-1].fault
        status = arm.shows('fault' if policy == 'stop' else 'reaction')
        assert status.level == DiagnosticStatus.ERROR
        arm.reference.publish(STILL)
        arm.shows('reference_refused')
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        acknowledge(arm)
        arm.settle(arm.gravity)
        arm.follow(STILL)


def test_enabling_or_activating_an_arm_that_is_touched_says_that_no_reaction_follows(felt):
    """Neither is refused: only a motion of the arm may end the contact."""
    disarmed = 'on_collision=stop does not act'
    with felt(on_collision='stop') as arm:
        arm.shows('no_detection')
        arm.set(**THRESHOLDS)
        arm.gone('no_detection')
        arm.ready()
        arm.trigger('deactivate')
        arm.push = np.array(HIT)
        contact = arm.guard.external.contact
        arm.until(lambda: contact.state.kind == 'collision', 'a collision')
        arm.trigger('activate')
        arm.settle(arm.gravity)
        assert disarmed in arm.shows('contact').message
        assert disarmed in acknowledge(arm)
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        assert disarmed not in acknowledge(arm)
        # The next collision is followed.
        arm.hit(HIT)
        arm.settle(NONE)
        arm.driver.effort = lambda: None
        arm.shows('no_external_torques')
        assert 'not known' in acknowledge(arm)


@pytest.mark.parametrize(('rate', 'passed'), [(100.0, 100), (125.0, 125), (200.0, 125)])
def test_a_rate_limit_passes_at_most_its_rate_and_no_less_of_a_slower_one(rate, passed):
    limit = RateLimit(125.0)
    times = 50.0 + np.arange(10.0 * rate) / rate
    assert sum(map(limit.passes, times)) == pytest.approx(10 * passed, abs=1)
    # A pause gives no credit.
    assert [limit.passes(100.0), limit.passes(100.001)] == [True, False]


# ~/zero_external

ERROR = np.array([0.5, -3.0, 0.4])
# The estimate had 5 lags to rise: 0.7 % of it is missing.
SETTLED = 0.03
ZERO = Trigger, 'zero_external'


def test_what_the_model_does_not_know_is_taken_off_at_rest(felt):
    with felt() as arm:
        arm.push = ERROR
        arm.feels(ERROR)
        response = arm.call(*ZERO)
        assert response.success, response.message
        said = re.search(r'turn (\S+) N m, slide (\S+) N, wrist (\S+) N m', response.message)
        np.testing.assert_allclose([float(each) for each in said.groups()], ERROR, rtol=0.02)
        arm.feels(NONE, atol=SETTLED)
        arm.push = 2.0 * ERROR
        arm.feels(ERROR, atol=SETTLED)
        # Of another gravity nothing is taken off any more.
        arm.set(gravity=[0.0, 0.0, -9.7])
        arm.set(gravity=[0.0, 0.0, -9.81])
        arm.feels(2.0 * ERROR, atol=SETTLED)
        arm.shows('tare_dropped')


def test_it_is_refused_while_the_arm_moves_or_is_touched_or_nothing_is_estimated(felt):
    with felt(terms=['gravity'], **THRESHOLDS) as arm:
        # Steady, and within the bound of the effort limits: only the thresholds can tell.
        arm.ready()
        arm.push = np.array([0.0, 7.0, 0.0])
        arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
        assert 'slide' in arm.refusal(*ZERO)
        arm.set(collision_threshold=[], push_threshold=[])
        arm.push = np.array([0.0, 0.0, 15.0])
        arm.feels(arm.push)
        assert 'wrist' in arm.refusal(*ZERO)
        arm.push = NONE
        arm.feels(NONE)
        arm.driver.v[0] = 0.5
        assert 'turn' in arm.refusal(*ZERO)
        arm.driver.effort = lambda: None
        arm.shows('no_external_torques')
        assert 'effort of turn' in arm.refusal(*ZERO)
        arm.set(external_observer=False)
        assert 'external_observer' in arm.refusal(*ZERO)


def begin(arm):
    """A call that averages, for as long as the driver pauses."""
    client = arm.node.create_client(Trigger, '/robot_dynamics/zero_external')
    arm.until(client.service_is_ready, 'the service')
    arm.driver.pause()
    answer = client.call_async(Trigger.Request())
    tare = arm.guard.external.tare
    arm.until(lambda: tare.averaging, 'the first call')
    return answer


def test_a_second_call_is_refused_at_once_and_the_mean_is_of_one_estimate(felt):
    with felt(state_timeout=60.0) as arm:
        arm.feels(NONE)
        first = begin(arm)
        assert 'another call' in arm.refusal(*ZERO)
        assert not first.done()
        arm.driver.resume()
        arm.until(first.done, 'its answer')
        assert first.result().success
        answer = begin(arm)
        arm.set(gravity=[0.0, 0.0, -9.7])
        arm.driver.resume()
        arm.until(answer.done, 'its answer')
        assert not answer.result().success
