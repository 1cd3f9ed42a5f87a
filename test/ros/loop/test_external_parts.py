"""External torques of an arm whose driver sends its joints, or its efforts, in messages apart."""

import itertools
import re

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from felt_node import NONE, THRESHOLDS, felt

from robot_dynamics_interfaces.msg import Contact

PUSH = np.array([3.0, -10.0, 0.8])
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


def test_velocities_and_efforts_in_messages_apart_are_named_as_that(guarded, dynamics, capfd):
    log = []

    def logged():
        log.append(capfd.readouterr().err)
        return re.search(f'no external torques .*: {text}', ''.join(log))

    with felt(guarded, dynamics, terms=['gravity']) as arm:
        arm.feels(NONE)
        fields = itertools.cycle(['effort', 'velocity'])
        arm.scene.driver.change = lambda message: setattr(message, next(fields), [])
        text = 'velocity and effort of turn, slide, wrist come'
        status = arm.scene.status('external forces', text)
        assert status.level == DiagnosticStatus.WARN
        arm.scene.observer.until(logged, 'the reason in the log')
        arm.scene.wait_for_states(50)
        arm.scene.driver.change = lambda message: None
        arm.feels(NONE)
    logged()
    # Not once for each state: a busy machine may add some.
    assert ''.join(log).count('no external torques') < 10


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
