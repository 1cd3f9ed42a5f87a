"""What the node publishes of external forces, and that it publishes nothing that means nothing."""

import itertools
import math
import re

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from felt_node import LATCHED, NONE, THRESHOLDS, Q, felt
from geometry_msgs.msg import Inertia
from guard_scene import figures
from rclpy.parameter import Parameter
from three_joints import JOINTS

from robot_dynamics_interfaces.msg import Contact
from robot_dynamics_interfaces.srv import SetPayload
from robot_dynamics_ros.control.external import contact as contact_module
from robot_dynamics_ros.ros import external, health

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
        assert arm.estimate is None
        arm.scene.set(external_observer=True)
        arm.push = PUSH
        arm.feels(PUSH)
        arm.scene.set(external_observer=False)
        arm.scene.observer.until(arm.silent, 'silence')


def test_without_efforts_or_velocities_the_reason_is_in_diagnostics_and_once_in_the_log(
    guarded, dynamics, capfd
):
    log = []

    def logged(text):
        log.append(capfd.readouterr().err)
        return text in ''.join(log)

    with felt(guarded, dynamics, terms=['gravity']) as arm:
        arm.feels(NONE)
        arm.scene.driver.effort = lambda: np.where(np.arange(3) == 1, np.nan, arm.gravity)
        status = arm.scene.status('external forces', 'effort of slide is not')
        assert status.level == DiagnosticStatus.WARN
        arm.scene.observer.until(arm.silent, 'silence')
        assert np.isnan(arm.next_torques().external).all()
        arm.scene.observer.until(lambda: logged('estimated: effort of slide is'), 'the log')

        def without_velocity(message):
            message.velocity = []

        arm.scene.driver.change = without_velocity
        arm.scene.status('external forces', 'need measured velocities')
        arm.scene.observer.until(lambda: logged('velocity of turn, slide, wrist is'), 'the log')
        arm.scene.driver.change = lambda message: None
        arm.scene.driver.effort = lambda: arm.gravity
        arm.feels(NONE)
    logged('')
    text = ''.join(log)
    assert text.count('estimated: effort of slide is') == 1
    assert text.count('estimated: velocity of ') == 1


def test_efforts_without_gravity_are_found_out(guarded, dynamics):
    with felt(guarded, dynamics) as arm:
        arm.scene.driver.effort = lambda: NONE
        status = arm.scene.status('external forces', 'contain no gravity')
        assert status.level == DiagnosticStatus.WARN
        assert not arm.torques
        arm.scene.driver.effort = lambda: arm.gravity
        arm.feels(NONE)


def test_a_contact_is_published_at_each_change_with_link_direction_and_begin(guarded, dynamics):
    with felt(guarded, dynamics, **THRESHOLDS) as arm:
        contact = arm.hit(np.array([0.0, 30.0, 0.0]))
        assert (contact.link, contact.header.frame_id) == ('slider', 'slider')
        assert list(contact.joint_names) == ['slide']
        assert contact.effort[0] > THRESHOLDS['collision_threshold'][1]
        assert math.isclose(np.linalg.norm(vector(contact.direction)), 1.0)
        stamp, since = contact.header.stamp, contact.since
        assert (since.sec, since.nanosec // 1000) == (stamp.sec, stamp.nanosec // 1000)
        status = arm.scene.status('external forces', 'collision at slider')
        value = figures(status)['external torque of slide [N]']
        assert value.endswith(' (thresholds: collision 5, push 5)')
        arm.push = NONE
        contact = arm.touched(Contact.KIND_NONE)
        assert (contact.link, list(contact.joint_names)) == ('', [])
        # By default it is only reported.
        arm.scene.settle(arm.gravity)


def test_a_payload_that_is_set_is_no_contact(guarded, dynamics):
    """The driver measures its weight from the state on at which the node knows it."""
    with felt(guarded, dynamics, **THRESHOLDS) as arm:
        arm.ready()
        load = {'frame': 'hand', 'inertia': Inertia(m=0.5)}
        driver = arm.scene.driver

        def weighed():
            model = arm.scene.node.robot_holder.require().dynamics
            return model.gravity_torque(Q)

        driver.effort = weighed
        response = arm.scene.observer.call(SetPayload, '/robot_dynamics/set_payload', **load)
        assert response.success, response.message
        arm.feels(NONE)
        assert all(contact.kind == Contact.KIND_NONE for contact in arm.contacts)


def test_a_contact_ends_where_no_state_tells_of_it_any_more(guarded, dynamics):
    """The topic is latched: who comes later must not be told of a contact that is not known."""
    # A contact from the start on would be taken for gravity that is missing.
    parameters = {'state_timeout': 0.3, 'driver_gravity_check': False, **THRESHOLDS}
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
        arm.touched(Contact.KIND_PUSH)
        # An inactive node still estimates: its contact is what the states tell.
        arm.scene.node.trigger_deactivate()
        arm.feels(hit)
        assert arm.contacts[-1].kind == Contact.KIND_PUSH
        arm.scene.node.trigger_cleanup()
        arm.touched(Contact.KIND_NONE)
        later = []
        observer.node.create_subscription(
            Contact, '/robot_dynamics/contact', later.append, LATCHED
        )
        observer.until(lambda: later, 'the latched contact')
        assert later[-1].kind == Contact.KIND_NONE


def test_wrench_and_touched_joints_are_published_at_a_bounded_rate(guarded, dynamics, monkeypatch):
    """They take longest: with a rate of nearly zero, once at all, and at begin and end."""
    monkeypatch.setattr(external, 'WRENCH_RATE', 1e-6)
    monkeypatch.setattr(external, 'CHANGE_RATE', 1e-6)
    evaluated, original = [], contact_module.jacobian
    monkeypatch.setattr(
        contact_module, 'jacobian', lambda *given: evaluated.append(1) or original(*given)
    )
    with felt(guarded, dynamics, **THRESHOLDS) as arm:
        arm.hit(np.array([0.0, 60.0, 0.0]))
        # From one publication on, no other passes.
        touched = len(arm.contacts)
        for joints in ((1, 2), (1,), (0, 1), (1,)):
            arm.push = np.where(np.isin(range(3), joints), [30.0, 60.0, 15.0], 0.0)
            arm.scene.observer.until(
                lambda joints=joints: arm.estimate.contact.state.joints == joints,
                f'touched joints {joints}',
            )
        arm.feels(arm.push)
        assert len(arm.contacts) <= touched + 1
        assert len(evaluated) <= touched + 1
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        assert len(arm.wrenches) == 1


def test_a_bandwidth_above_a_fifth_of_the_rate_of_the_states_is_warned_of(
    guarded, dynamics, monkeypatch
):
    monkeypatch.setattr(health, 'AVERAGED', 0.5)
    with felt(guarded, dynamics, external_bandwidth=[40.0]) as arm:
        status = arm.scene.status('external forces', 'external_bandwidth is 40 Hz')
        assert status.level != DiagnosticStatus.OK
        assert 'a fifth' in status.message
        arm.scene.set(external_bandwidth=[5.0])
        arm.scene.status('external forces', 'estimated')


def test_an_effort_that_is_missing_now_and_then_is_named_with_its_share(
    guarded, dynamics, monkeypatch, capfd
):
    """Every fourth: what is felt is published all the same, and an ended cause is forgotten."""
    monkeypatch.setattr(health, 'AVERAGED', 0.5)
    states = itertools.count()
    # A pause of a busy machine leaves the estimate as it is.
    parameters = {'external_observer': False, 'state_timeout': 10.0, **THRESHOLDS}
    with felt(guarded, dynamics, **parameters) as arm:
        # The driver began without efforts: none of these states is to be counted.
        arm.scene.wait_for_states()
        arm.scene.set(external_observer=True)
        arm.feels(NONE)
        arm.push = PUSH

        def effort():
            flawed = next(states) % 4 == 0
            return np.where(flawed & (np.arange(3) == 1), np.nan, arm.gravity - arm.push)

        arm.scene.driver.effort = effort
        arm.feels(PUSH)
        arm.push = NONE
        arm.feels(NONE)
        arm.touched(Contact.KIND_NONE)
        status = arm.scene.status('external forces', 'effort of slide in 2')
        assert status.level == DiagnosticStatus.WARN
        assert 'is missing' in status.message
        arm.scene.driver.effort = lambda: arm.gravity
        arm.scene.status('external forces', 'no contact')
    text = capfd.readouterr().err
    # The log names the share of the first window, which may hold a single flawed state.
    assert 'effort of slide in ' in text
    assert 'effort of slide is not' not in text


FIELDS = ('name', 'position', 'velocity', 'effort')


def keep(message, names):
    """Take all other joints out of a message."""
    held = [index for index, name in enumerate(message.name) if name in names]
    for field in FIELDS:
        values = getattr(message, field)
        setattr(message, field, [values[index] for index in held])


def nanoseconds(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def in_turn(driver, *parts):
    """Let a driver send these joints in turn; the stamps that it sends, while it does."""
    turns, stamps = itertools.cycle(parts), []

    def change(message):
        keep(message, next(turns))
        stamps.append(nanoseconds(message))

    driver.period = 0.005
    driver.change = change
    return stamps


def test_two_messages_are_one_estimate_that_ends_with_one_of_them(guarded, dynamics):
    parameters = {'driver_gravity_check': False, 'state_timeout': 0.3, **THRESHOLDS}
    with felt(guarded, dynamics, **parameters) as arm:
        sent = in_turn(arm.scene.driver, ['turn', 'wrist'], ['slide'])
        arm.push = PUSH
        arm.feels(PUSH)
        arm.scene.observer.until(lambda: len(arm.torques) >= 20, 'estimates')
        felt_at = [nanoseconds(message) for message in arm.torques]
        sent_meanwhile = sum(felt_at[0] < stamp <= felt_at[-1] for stamp in sent)
        assert sent_meanwhile >= 2 * (len(felt_at) - 1)
        arm.touched(Contact.KIND_PUSH, Contact.KIND_COLLISION)
        in_turn(arm.scene.driver, ['turn', 'wrist'])
        arm.touched(Contact.KIND_NONE)
        assert arm.silent()


def test_efforts_without_positions_are_refused_with_what_they_need(guarded, dynamics):
    with felt(guarded, dynamics) as arm:
        turns = itertools.cycle([['effort'], ['position', 'velocity']])

        def apart(message):
            for field in next(turns):
                setattr(message, field, [])

        arm.scene.driver.change = apart
        arm.scene.status('external forces', 'effort of turn, slide, wrist is not')
        arm.scene.wait_for_states(20)
        reason = arm.scene.node.topic_counters['joint_states'].last_reason
        assert 'position has 0 values' in reason


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
