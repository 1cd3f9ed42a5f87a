"""A collision ends the motion as `on_collision` says, until `~/enable` is called."""

import re

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from felt_node import NONE, THRESHOLDS, Q, felt
from references import follow, point, trajectory
from std_srvs.srv import SetBool

from robot_dynamics_interfaces.msg import Contact, JointTorques

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


@pytest.mark.parametrize('policy', ['hold', 'zero', 'stop'])
def test_a_collision_drops_the_reference_until_it_is_acknowledged(
    guarded, dynamics, policy, capfd
):
    parameters = {'on_collision': policy, 'reference_timeout': 60.0, **THRESHOLDS}
    with felt(guarded, dynamics, **parameters) as arm:
        collided(arm, dynamics)
        arm.scene.settle(arm.gravity if policy == 'hold' else NONE)
        mode = 'SILENT' if policy == 'stop' else policy.upper()
        arm.scene.observer.until(
            lambda: arm.scene.observer.torques[-1].mode == getattr(JointTorques, f'MODE_{mode}'),
            f'mode {mode}',
        )
        assert 'collision at hand' in arm.scene.observer.torques[-1].fault
        words = 'stopped' if policy == 'stop' else f'mode {policy}'
        status = arm.scene.status('model', f'{words} until ~/enable')
        assert 'collision at hand' in status.message
        assert status.level == DiagnosticStatus.ERROR
        arm.scene.observer.reference.publish(STILL)
        arm.scene.status('reference', 'call ~/enable')
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        acknowledge(arm)
        arm.scene.settle(arm.gravity)
        follow(arm.scene.node, arm.scene.observer, STILL)
    assert 'collision at hand' in capfd.readouterr().err


TOUCHED = 'touched: collision at hand: .* slide'
BLIND = {
    'on_collision is hold, but external_observer is false': {
        'on_collision': 'hold',
        'external_observer': False,
    },
    'collision_threshold is empty': {'on_collision': 'zero', 'collision_threshold': []},
    'external_bandwidth is 0.5 Hz for turn, below 5 Hz': {'external_bandwidth': [0.5]},
    'push threshold 3e+03 of slide is above its effort limit, 200': {
        'push_threshold': [3.0, 3000.0, 1.0]
    },
}


def test_settings_with_which_contacts_are_not_found_are_warned_of(guarded, dynamics):
    """In diagnostics, until they are changed; all are live."""
    seeing = {
        'external_observer': True,
        'external_bandwidth': [10.0],
        'on_collision': 'zero',
        **THRESHOLDS,
    }
    with felt(guarded, dynamics) as arm:
        for text, changes in BLIND.items():
            arm.scene.set(**changes)
            assert arm.scene.status('external forces', text).level != DiagnosticStatus.OK
            arm.scene.set(**seeing)
            arm.scene.status('external forces', 'no contact')
        arm.hit(HIT)
        arm.scene.settle(NONE)


def test_enabling_an_arm_that_is_still_touched_says_so(guarded, dynamics):
    """It is not refused: only a motion of the arm may end the contact."""
    with felt(guarded, dynamics, on_collision='hold', **THRESHOLDS) as arm:
        collided(arm, dynamics)
        arm.feels(HIT)
        answer = acknowledge(arm)
        assert re.search(TOUCHED, answer)
        assert re.search('slide collision 5, push 5; wrist ', answer)
        assert 'on_collision=hold does not act' in answer
        arm.scene.settle(arm.gravity)
        arm.push = NONE
        arm.touched(Contact.KIND_NONE)
        arm.scene.set(on_collision='zero')
        arm.hit(HIT)
        arm.scene.settle(NONE)
        arm.scene.driver.effort = lambda: None
        arm.scene.status('external forces', 'is not measured')
        assert re.search('touched .*not known: .*is not measured', acknowledge(arm))


def test_activating_an_arm_that_is_touched_says_that_no_reaction_follows(guarded, dynamics, capfd):
    """In the log, in diagnostics until the contact ends, and in the answer of ~/enable."""
    disarmed = 'on_collision=stop does not act'
    with felt(guarded, dynamics, on_collision='stop', **THRESHOLDS) as arm:
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
