"""What the node publishes of external forces, what it does at a collision, and what it says."""

import math
import re

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from references import follow, point, trajectory
from std_srvs.srv import SetBool
from three_joints import JOINTS

from robot_dynamics_interfaces.msg import Contact, JointTorques
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
        arm.scene.until(lambda: arm.wrenches, 'wrench')
        arm.wrenches.clear()
        arm.scene.until(lambda: arm.wrenches, 'wrench')
        wrench = arm.wrenches[-1]
        assert wrench.header.frame_id == 'slider'
        # The joint behind that link feels nothing of a wrench on it.
        jacobian = dynamics.jacobian(Q, 'slider', 'LOCAL')
        torque = jacobian.T @ [*vector(wrench.wrench.force), *vector(wrench.wrench.torque)]
        np.testing.assert_allclose(torque[:2], PUSH[:2], atol=1e-2)
        np.testing.assert_allclose(arm.next_torques().external, PUSH[order], atol=1e-3)


def test_off_it_says_nothing_and_on_and_off_again_by_parameter(felt):
    with felt(external_observer=False) as arm:
        assert not np.any(arm.next_torques().external)
        arm.scene.set(external_observer=True)
        arm.push = PUSH
        arm.feels(PUSH)
        arm.scene.set(external_observer=False)
        arm.until_silent()


def without_velocity(message):
    message.velocity = []


def test_without_efforts_or_velocities_there_is_the_reason_and_no_number(felt):
    with felt(terms=['gravity']) as arm:
        arm.feels(NONE)
        arm.scene.driver.effort = lambda: np.where(np.arange(3) == 1, np.nan, arm.gravity)
        assert 'effort of slide' in arm.scene.shows('no_external_torques').message
        arm.until_silent()
        assert np.isnan(arm.next_torques().external).all()
        arm.scene.driver.change = without_velocity
        arm.scene.logs('velocity of turn, slide, wrist is')
        arm.scene.driver.change = lambda message: None
        arm.scene.driver.effort = lambda: arm.gravity
        arm.feels(NONE)
        arm.scene.gone('no_external_torques')


def test_efforts_without_gravity_are_found_out(felt):
    with felt() as arm:
        arm.scene.driver.effort = lambda: NONE
        arm.scene.status('external forces', lambda each, _: 'no gravity' in each.message)
        assert not arm.torques
        arm.scene.driver.effort = lambda: arm.gravity
        arm.feels(NONE)


def test_an_effort_that_no_drive_has_is_named_and_nothing_collides_or_overflows(felt):
    with felt(on_collision='stop', **THRESHOLDS) as arm:
        for effort in (2500.0, 1e300):
            arm.ready()
            arm.scene.driver.effort = lambda e=effort: np.where(np.arange(3) == 1, e, arm.gravity)
            assert 'effort of slide' in arm.scene.shows('no_external_torques').message
            arm.scene.driver.effort = lambda: arm.gravity
            arm.feels(NONE)
            # No collision has stopped it.
            arm.scene.settle(arm.gravity)
        for report in arm.scene.observer.reports:
            for status in report.status:
                # A number that is none is not known.
                for text in (status.message, *(pair.value for pair in status.values)):
                    assert not re.search(r'(?<![.\w])-?(nan|inf)\b', text), text


def test_a_contact_is_published_at_each_change_with_link_and_direction(felt):
    with felt(**THRESHOLDS) as arm:
        contact = arm.hit([0.0, 30.0, 0.0])
        assert (contact.link, contact.header.frame_id) == ('slider', 'slider')
        assert list(contact.joint_names) == ['slide']
        assert contact.effort[0] > THRESHOLDS['collision_threshold'][1]
        began = seconds(contact.since)
        assert 0.0 < began <= seconds(contact.header.stamp) + ROUNDING
        arm.push = np.array(HIT)
        arm.scene.until(lambda: 'wrist' in arm.contacts[-1].joint_names, 'a change')
        change = arm.contacts[-1]
        assert abs(seconds(change.since) - began) < ROUNDING
        assert began < seconds(change.header.stamp)
        assert math.isclose(np.linalg.norm(vector(contact.direction)), 1.0)
        assert 'collision at hand' in arm.scene.shows('contact').message
        arm.push = NONE
        contact = arm.touched(Contact.KIND_NONE)
        assert (contact.link, list(contact.joint_names), contact.since) == ('', [], Time())
        # By default it is only reported.
        arm.scene.settle(arm.gravity)
        arm.scene.gone('contact')


def test_a_contact_ends_where_no_state_tells_of_it_any_more(felt):
    """The topic is latched: who comes later must not be told of a contact that is not known."""
    # A contact from the start on would be taken for gravity that is missing.
    with felt(state_timeout=0.5, driver_gravity_check=False, **THRESHOLDS) as arm:
        driver = arm.scene.driver
        arm.hit([0.0, 30.0, 0.0])
        driver.pause()
        arm.touched(Contact.KIND_NONE)
        # What is felt when states come again is published again: a hit of just now, or a push.
        driver.resume()
        arm.touched(*TOUCH)
        driver.pause()
        arm.scene.set(external_observer=False)
        arm.touched(Contact.KIND_NONE)
        driver.resume()
        arm.scene.set(external_observer=True)
        arm.touched(*TOUCH)
        # An inactive node still estimates: its contact is what the states tell.
        arm.scene.trigger('deactivate')
        arm.feels(arm.push)
        arm.touched(*TOUCH)
        arm.scene.trigger('cleanup')
        arm.touched(Contact.KIND_NONE)
        later, latched = [], QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        arm.scene.observer.node.create_subscription(
            Contact, '/robot_dynamics/contact', later.append, latched
        )
        arm.scene.until(lambda: later, 'the latched contact')
        assert later[-1].kind == Contact.KIND_NONE


def refused(arm, **values):
    """Why the node does not take these parameters."""
    changes = [Parameter(name, value=value) for name, value in values.items()]
    result = arm.scene.node.set_parameters_atomically(changes)
    assert not result.successful
    return result.reason


def test_a_threshold_file_takes_the_place_of_the_lists(felt, tmp_path):
    """By joint name; refused with its name where it does not fit, or where both are given."""
    parts = '{constant: 5.0, velocity: 1.0, acceleration: 0.0}'
    file = tmp_path / 'learned.yaml'
    bands = f'{{bandwidth: 10.0, collision: {parts}, push: {parts}}}'
    file.write_text('joints:\n' + ''.join(f'  {name}: {bands}\n' for name in reversed(JOINTS)))
    with felt(contact_thresholds=str(file)) as arm:
        arm.hit([0.0, 30.0, 0.0])
        assert 'learned.yaml' in refused(arm, push_threshold=[3.0])
        assert re.search('learned.yaml.*bandwidth', refused(arm, external_bandwidth=[20.0]))
        other = tmp_path / 'other.yaml'
        other.write_text(file.read_text().replace('slide', 'lift'))
        assert re.search('other.yaml.*lift', refused(arm, contact_thresholds=str(other)))
        assert 'none.yaml' in refused(arm, contact_thresholds=str(tmp_path / 'none.yaml'))
        arm.scene.set(contact_thresholds='')
        arm.touched(Contact.KIND_NONE)


# Collisions


def collided(arm, dynamics):
    """Follow a reference until something hits the arm, and stays."""
    follow(arm.scene.node, arm.scene.observer, STILL)
    arm.scene.settle(arm.gravity + dynamics.mass_matrix(Q) @ ACCELERATION)
    arm.hit(HIT)


def acknowledge(arm):
    response = arm.scene.call(SetBool, 'enable', data=True)
    assert response.success
    return response.message


@pytest.mark.parametrize('policy', ['hold', 'zero', 'stop'])
def test_a_collision_drops_the_reference_until_it_is_acknowledged(felt, dynamics, policy):
    with felt(on_collision=policy, reference_timeout=60.0, **THRESHOLDS) as arm:
        collided(arm, dynamics)
        arm.scene.settle(arm.gravity if policy == 'hold' else NONE)
        mode = getattr(JointTorques, f'MODE_{"SILENT" if policy == "stop" else policy.upper()}')
        torques = arm.scene.observer.torques
        arm.scene.until(lambda: torques[-1].mode == mode, 'the mode')
        assert 'collision at hand' in torques[-1].fault
        status = arm.scene.shows('fault' if policy == 'stop' else 'reaction')
        assert 'collision at hand' in status.message
        assert status.level == DiagnosticStatus.ERROR
        arm.scene.observer.reference.publish(STILL)
        arm.scene.shows('reference_refused')
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        acknowledge(arm)
        arm.scene.settle(arm.gravity)
        follow(arm.scene.node, arm.scene.observer, STILL)
        arm.scene.logs('collision at hand')


def test_a_reaction_without_detection_is_warned_of(felt):
    """In diagnostics, until it is changed; all are live."""
    seeing = {'external_observer': True, 'on_collision': 'zero', **THRESHOLDS}
    with felt() as arm:
        for blind in ({'external_observer': False}, {'collision_threshold': []}):
            arm.scene.set(**(seeing | blind))
            arm.scene.shows('no_detection')
            arm.scene.set(**seeing)
            arm.scene.gone('no_detection')


def test_enabling_an_arm_that_is_still_touched_says_so(felt, dynamics):
    """It is not refused: only a motion of the arm may end the contact."""
    with felt(on_collision='hold', **THRESHOLDS) as arm:
        collided(arm, dynamics)
        arm.feels(HIT)
        answer = acknowledge(arm)
        assert 'collision at hand' in answer
        assert 'on_collision=hold does not act' in answer
        arm.scene.settle(arm.gravity)
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        arm.scene.set(on_collision='zero')
        arm.hit(HIT)
        arm.scene.settle(NONE)
        arm.scene.driver.effort = lambda: None
        arm.scene.shows('no_external_torques')
        assert 'not known' in acknowledge(arm)


def test_activating_an_arm_that_is_touched_says_that_no_reaction_follows(felt):
    """In diagnostics until the contact ends, and in the answer of ~/enable."""
    disarmed = 'on_collision=stop does not act'
    with felt(on_collision='stop', **THRESHOLDS) as arm:
        arm.scene.trigger('deactivate')
        arm.hit(HIT)
        arm.scene.trigger('activate')
        arm.scene.settle(arm.gravity)
        arm.scene.logs(disarmed)
        assert disarmed in arm.scene.shows('contact').message
        assert disarmed in acknowledge(arm)
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        assert 'touched' not in acknowledge(arm)
        # The next collision is followed.
        arm.hit(HIT)
        arm.scene.settle(NONE)


@pytest.mark.parametrize(('rate', 'passed'), [(100.0, 100), (125.0, 125), (200.0, 125)])
def test_a_rate_limit_passes_at_most_its_rate_and_no_less_of_a_slower_one(rate, passed):
    limit = RateLimit(125.0)
    times = 50.0 + np.arange(10.0 * rate) / rate
    assert sum(map(limit.passes, times)) == pytest.approx(10 * passed, abs=1)
    # A pause gives no credit.
    assert [limit.passes(100.0), limit.passes(100.001)] == [True, False]
