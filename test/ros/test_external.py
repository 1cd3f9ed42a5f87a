"""What the node publishes of external forces, and that it publishes nothing that means nothing."""

import math
import re

import numpy as np
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus
from felt_node import LATCHED, NONE, THRESHOLDS, Q, felt
from guard_scene import figures
from rclpy.parameter import Parameter
from three_joints import JOINTS

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_ros.ros import health

PUSH = np.array([3.0, -10.0, 0.8])


def vector(field):
    return [field.x, field.y, field.z]


def test_a_push_is_published_as_torques_and_wrench_in_the_order_of_the_joints(guarded, dynamics):
    joints = ['wrist', 'turn', 'slide']
    order = [JOINTS.index(name) for name in joints]
    with felt(guarded, dynamics, joints=joints, external_frame='slider') as arm:
        arm.push = PUSH
        message = arm.feels(PUSH[order])
        assert list(message.joint_names) == joints
        assert message.header.frame_id == 'base'
        assert message.header.stamp.sec > 0
        arm.scene.observer.until(lambda: arm.wrenches, 'wrench')
        arm.wrenches.clear()
        arm.scene.observer.until(lambda: arm.wrenches, 'wrench')
        wrench = arm.wrenches[-1]
        assert wrench.header.frame_id == 'slider'
        # The joint behind that link feels nothing of a wrench on it.
        jacobian = dynamics.jacobian(Q, 'slider', 'LOCAL')
        torque = jacobian.T @ [*vector(wrench.wrench.force), *vector(wrench.wrench.torque)]
        np.testing.assert_allclose(torque[:2], PUSH[:2], atol=1e-2)
        torques = arm.next_torques()
        np.testing.assert_allclose(torques.external, PUSH[order], atol=1e-3)
        status = arm.scene.status('external forces', 'not detected')
        assert status.level == DiagnosticStatus.OK
        values = figures(status)
        assert values['external torque of slide [N]'] == '-10'
        assert 'about' in values['not felt at slider']


def test_off_it_says_nothing_and_on_and_off_again_by_parameter(guarded, dynamics):
    with felt(guarded, dynamics, external_observer=False) as arm:
        arm.scene.status('external forces', 'external_observer is false')
        torques = arm.next_torques()
        assert not np.any(torques.external)
        arm.scene.set(external_observer=True)
        arm.push = PUSH
        arm.feels(PUSH)
        arm.scene.set(external_observer=False)
        arm.until_silent()


def test_without_efforts_or_velocities_the_reason_is_in_diagnostics_and_in_the_log(
    guarded, dynamics, capfd
):
    log = Log(capfd)
    with felt(guarded, dynamics, terms=['gravity']) as arm:
        arm.feels(NONE)
        arm.scene.driver.effort = lambda: np.where(np.arange(3) == 1, np.nan, arm.gravity)
        status = arm.scene.status('external forces', 'effort of slide is not')
        assert status.level == DiagnosticStatus.WARN
        arm.until_silent()
        assert np.isnan(arm.next_torques().external).all()
        log.until(arm.scene.observer, 'estimated: effort of slide is')

        def without_velocity(message):
            message.velocity = []

        arm.scene.driver.change = without_velocity
        arm.scene.status('external forces', 'need measured velocities')
        log.until(arm.scene.observer, 'velocity of turn, slide, wrist is')
        arm.scene.driver.change = lambda message: None
        arm.scene.driver.effort = lambda: arm.gravity
        arm.feels(NONE)


def test_efforts_without_gravity_are_found_out(guarded, dynamics):
    with felt(guarded, dynamics) as arm:
        arm.scene.driver.effort = lambda: NONE
        status = arm.scene.status('external forces', 'contain no gravity')
        assert status.level == DiagnosticStatus.WARN
        assert not arm.torques
        arm.scene.driver.effort = lambda: arm.gravity
        arm.feels(NONE)


def test_a_contact_is_published_at_each_change_with_link_and_direction(guarded, dynamics):
    with felt(guarded, dynamics, **THRESHOLDS) as arm:
        contact = arm.hit(np.array([0.0, 30.0, 0.0]))
        assert (contact.link, contact.header.frame_id) == ('slider', 'slider')
        assert list(contact.joint_names) == ['slide']
        assert contact.effort[0] > THRESHOLDS['collision_threshold'][1]
        assert math.isclose(np.linalg.norm(vector(contact.direction)), 1.0)
        status = arm.scene.status('external forces', 'collision at slider')
        value = figures(status)['external torque of slide [N]']
        assert value.endswith(' (thresholds: collision 5, push 5)')
        arm.push = NONE
        contact = arm.touched(Contact.KIND_NONE)
        assert (contact.link, list(contact.joint_names)) == ('', [])
        # By default it is only reported.
        arm.scene.settle(arm.gravity)


def test_a_contact_ends_where_no_state_tells_of_it_any_more(guarded, dynamics):
    """The topic is latched: who comes later must not be told of a contact that is not known."""
    # A contact from the start on would be taken for gravity that is missing.
    parameters = {'state_timeout': 0.5, 'driver_gravity_check': False, **THRESHOLDS}
    with felt(guarded, dynamics, **parameters) as arm:
        observer, driver = arm.scene.observer, arm.scene.driver
        hit = np.array([0.0, 30.0, 0.0])
        arm.hit(hit)
        driver.pause()
        arm.touched(Contact.KIND_NONE)
        # What is felt when states come again is published again: a hit of just now, or a push.
        driver.resume()
        arm.touched(Contact.KIND_COLLISION, Contact.KIND_PUSH)
        driver.pause()
        arm.scene.set(external_observer=False)
        arm.touched(Contact.KIND_NONE)
        driver.resume()
        arm.scene.set(external_observer=True)
        arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
        # An inactive node still estimates: its contact is what the states tell.
        arm.scene.node.trigger_deactivate()
        arm.feels(hit)
        arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
        arm.scene.node.trigger_cleanup()
        arm.touched(Contact.KIND_NONE)
        later = []
        observer.node.create_subscription(
            Contact, '/robot_dynamics/contact', later.append, LATCHED
        )
        observer.until(lambda: later, 'the latched contact')
        assert later[-1].kind == Contact.KIND_NONE


def test_a_bandwidth_above_a_fifth_of_the_rate_of_the_states_is_warned_of(
    guarded, dynamics, monkeypatch
):
    monkeypatch.setattr(health, 'AVERAGED', 0.5)
    with felt(guarded, dynamics, external_bandwidth=[100.0]) as arm:
        status = arm.scene.status('external forces', 'external_bandwidth is 100 Hz')
        assert status.level != DiagnosticStatus.OK
        assert 'a fifth' in status.message
        arm.scene.set(external_bandwidth=[5.0])
        arm.scene.status('external forces', 'estimated')


def refused(arm, **values):
    """Why the node does not take these parameters."""
    changes = [Parameter(name, value=value) for name, value in values.items()]
    result = arm.scene.node.set_parameters_atomically(changes)
    assert not result.successful
    return result.reason


def test_a_threshold_file_takes_the_place_of_the_lists(guarded, dynamics, tmp_path):
    """By joint name; refused with its name where it does not fit, or where both are given."""
    parts = '{constant: 5.0, velocity: 1.0, acceleration: 0.0}'
    file = tmp_path / 'learned.yaml'
    file.write_text(
        'joints:\n'
        + ''.join(
            f'  {name}: {{bandwidth: 10.0, collision: {parts}, push: {parts}}}\n'
            for name in reversed(JOINTS)
        )
    )
    with felt(guarded, dynamics, contact_thresholds=str(file)) as arm:
        arm.hit(np.array([0.0, 30.0, 0.0]))
        assert 'learned.yaml' in refused(arm, push_threshold=[3.0])
        assert re.search(
            r'learned\.yaml.*external_bandwidth', refused(arm, external_bandwidth=[20.0])
        )
        other = tmp_path / 'other.yaml'
        other.write_text(file.read_text().replace('slide', 'lift'))
        assert re.search(r'other\.yaml.*lift', refused(arm, contact_thresholds=str(other)))
        assert 'none.yaml' in refused(arm, contact_thresholds=str(tmp_path / 'none.yaml'))
        arm.scene.set(contact_thresholds='')
        arm.touched(Contact.KIND_NONE)
