"""A collision ends the motion as `on_collision` says, until `~/enable` is called."""

import re

import numpy as np
import pytest
from captured_log import Log
from diagnostic_msgs.msg import DiagnosticStatus
from felt_node import NONE, THRESHOLDS, Q, felt
from references import follow, point, trajectory
from std_srvs.srv import SetBool

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.ros import health

HIT = np.array([0.0, 30.0, 6.0])
ACCELERATION = [1.0, -0.5, 2.0]
STILL = trajectory(point(Q, NONE, ACCELERATION))


def collided(arm, dynamics):
    """Follow a reference until something hits the arm, and stays."""
    follow(arm.scene.node, arm.scene.observer, STILL)
    arm.scene.settle(arm.gravity + dynamics.mass_matrix(Q) @ ACCELERATION)
    arm.hit(HIT)


def acknowledge(arm):
    response = arm.scene.observer.call(SetBool, '/robot_dynamics/enable', data=True)
    assert response.success
    return response.message


@pytest.mark.parametrize('policy', ['hold', 'zero'])
def test_a_collision_drops_the_reference_until_it_is_acknowledged(
    guarded, dynamics, policy, capfd
):
    parameters = {'on_collision': policy, 'reference_timeout': 60.0, **THRESHOLDS}
    with felt(guarded, dynamics, **parameters) as arm:
        collided(arm, dynamics)
        target = arm.gravity if policy == 'hold' else NONE
        arm.scene.settle(target)
        mode = getattr(JointTorques, f'MODE_{policy.upper()}')
        arm.scene.observer.until(lambda: arm.next_torques().mode == mode, f'mode {policy}')
        assert 'collision at hand' in arm.next_torques().fault
        status = arm.scene.status('model', f'mode {policy} until ~/enable')
        assert 'collision at hand' in status.message
        assert status.level == DiagnosticStatus.ERROR
        counters = arm.scene.node.topic_counters['reference']
        arm.scene.observer.reference.publish(STILL)
        arm.scene.observer.until(lambda: counters.rejected, 'refused reference')
        assert 'call ~/enable' in counters.last_reason
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        assert arm.scene.guard.mode is Mode(policy)
        assert re.search('cleared .*collision at hand', acknowledge(arm))
        arm.scene.settle(arm.gravity)
        follow(arm.scene.node, arm.scene.observer, STILL)
    assert f'(on_collision={policy})' in capfd.readouterr().err


def test_a_collision_stops_the_commands_until_it_is_acknowledged(guarded, dynamics):
    with felt(guarded, dynamics, on_collision='stop', **THRESHOLDS) as arm:
        collided(arm, dynamics)
        arm.scene.settle(NONE)
        arm.scene.observer.until(lambda: arm.scene.guard.mode is Mode.SILENT, 'silence')
        status = arm.scene.status('model', 'stopped until ~/enable')
        assert 'collision at hand' in status.message
        arm.push = NONE
        acknowledge(arm)
        arm.scene.settle(arm.gravity)


def test_a_collision_without_a_reaction_is_warned_of(guarded, dynamics):
    """Thresholds and reaction are live."""
    with felt(guarded, dynamics) as arm:
        arm.feels(NONE)
        arm.scene.set(on_collision='zero')
        for thresholds in ({}, {'push_threshold': THRESHOLDS['push_threshold']}):
            arm.scene.set(**thresholds)
            status = arm.scene.status('external forces', 'collision_threshold is empty')
            assert 'on_collision is zero' in status.message
            assert status.level == DiagnosticStatus.WARN
        arm.scene.set(**THRESHOLDS)
        arm.hit(HIT)
        arm.scene.settle(NONE)


TOUCHED = 'touched: collision at hand: .* slide'
# A pause of a busy machine is no end of a contact.
PATIENT = {'state_timeout': 10.0, **THRESHOLDS}
BLIND = {
    'observer': (
        {'on_collision': 'hold', 'external_observer': False},
        'on_collision is hold, but external_observer is false',
    ),
    'on_collision': (
        {'on_collision': 'stop', 'collision_threshold': []},
        'on_collision is stop and',
    ),
    'bandwidth': (
        {'external_bandwidth': [0.5]},
        'external_bandwidth is 0.5 Hz for turn, below 5 Hz',
    ),
    'unit': (
        {'push_threshold': [3.0, 3000.0, 1.0]},
        'push threshold 3e+03 of slide is above its effort limit, 200',
    ),
}


@pytest.mark.parametrize('name', BLIND)
def test_settings_with_which_contacts_are_not_found_are_warned_of(
    guarded, dynamics, monkeypatch, capfd, name
):
    """In diagnostics, until they are changed; once in the log where they are blind at any rate."""
    monkeypatch.setattr(health, 'AVERAGED', 0.5)
    changes, text = BLIND[name]
    with felt(guarded, dynamics, **(THRESHOLDS | changes)) as arm:
        status = arm.scene.status('external forces', text)
        assert status.level != DiagnosticStatus.OK
        arm.scene.set(
            external_observer=True,
            external_bandwidth=[10.0],
            on_collision='report',
            **THRESHOLDS,
        )
        arm.scene.status('external forces', 'no contact')
    assert capfd.readouterr().err.count(text) <= 1


def test_a_node_that_is_activated_again_keeps_its_reaction(guarded, dynamics):
    with felt(guarded, dynamics, on_collision='zero', **THRESHOLDS) as arm:
        collided(arm, dynamics)
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        arm.scene.node.trigger_deactivate()
        arm.scene.node.trigger_activate()
        status = arm.scene.status('model', 'mode zero until ~/enable')
        assert 'collision at hand' in status.message
        assert not np.any(arm.next_torques().effort)
        acknowledge(arm)
        arm.scene.settle(arm.gravity)


@pytest.mark.parametrize('policy', ['report', 'hold', 'stop'])
def test_enabling_an_arm_that_is_still_touched_says_so(guarded, dynamics, policy):
    """It is not refused: only a motion of the arm may end the contact."""
    with felt(guarded, dynamics, on_collision=policy, **PATIENT) as arm:
        collided(arm, dynamics)
        if policy == 'report':
            arm.scene.observer.call(SetBool, '/robot_dynamics/enable', data=False)
        arm.feels(HIT)
        answer = acknowledge(arm)
        assert re.search(TOUCHED, answer)
        assert re.search('slide collision 5, push 5; wrist ', answer)
        again = f'on_collision={policy} does not act'
        assert (again in answer) == (policy != 'report')
        arm.scene.settle(arm.gravity)
        assert not arm.scene.guard.supervisor.collision
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        arm.scene.set(on_collision='zero')
        arm.hit(HIT)
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        assert 'touched' not in acknowledge(arm)
        arm.hit(HIT)
        arm.scene.settle(NONE)
        arm.scene.driver.effort = lambda: None
        arm.scene.status('external forces', 'is not measured')
        assert re.search('touched .*not known: .*is not measured', acknowledge(arm))


def test_activating_an_arm_that_is_touched_says_that_no_reaction_follows(guarded, dynamics, capfd):
    """In the log, in diagnostics until the contact ends, and in the answer of ~/enable."""
    disarmed = 'on_collision=stop does not act'
    with felt(guarded, dynamics, on_collision='stop', **PATIENT) as arm:
        arm.scene.node.trigger_deactivate()
        arm.hit(HIT)
        arm.feels(HIT)
        capfd.readouterr()
        arm.scene.node.trigger_activate()
        arm.scene.settle(arm.gravity)
        log = capfd.readouterr().err
        assert re.search(TOUCHED, log)
        assert disarmed in log
        arm.scene.status('external forces', disarmed)
        answer = acknowledge(arm)
        assert re.search(f'already enabled; .*{TOUCHED}', answer)
        assert disarmed in answer
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        assert 'does not act' not in arm.scene.status('external forces', 'no contact').message
        assert 'touched' not in acknowledge(arm)
        # The next collision is followed.
        arm.hit(HIT)
        arm.scene.settle(NONE)


def test_another_policy_leaves_the_reaction_and_says_so(guarded, dynamics, capfd):
    """Diagnostics name the reaction that is followed, its collision and the present contact."""
    with felt(guarded, dynamics, on_collision='hold', **PATIENT) as arm:
        arm.hit(HIT)
        arm.feels(HIT)
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        first = 'reaction hold until ~/enable .*collision at hand: .*'
        status = arm.scene.status('external forces', '; now: no contact')
        assert re.search(first, status.message)
        arm.scene.set(on_collision='stop')
        Log(capfd).until(arm.scene.observer, 'on_collision=stop acts')
        harder = np.array([0.0, 0.0, -9.0])
        arm.hit(harder)
        arm.feels(harder)
        status = arm.scene.status('external forces', 'wrist -9 N m')
        assert re.search(f'{first}; now: collision at hand: .* wrist -9 N m', status.message)
        values = {value.key: value.value for value in status.values}
        assert (values['reaction'], values['on_collision']) == ('hold', 'stop')
        assert arm.scene.guard.mode is Mode.HOLD
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        acknowledge(arm)
        arm.scene.set(on_collision='zero')
        arm.scene.set(on_collision='stop')
        arm.hit(HIT)
        arm.scene.observer.until(lambda: arm.scene.guard.mode is Mode.SILENT, 'silence')
