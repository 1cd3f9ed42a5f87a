"""What the soak judges by: a judge that cannot say no is none."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy')

sys.path.insert(0, str(Path(__file__).parents[2] / 'scripts' / 'soak_test'))

from ledger import ANSWER_LIMIT, Ledger, Sent
from machine import sleeps
from rules import Rules
from schedule import SEEN, Fault, Schedule

LIMITS = np.array([100.0, 20.0])
# Twenty milliseconds at ten times the limit per second.
STEPS = np.array([20.0, 4.0])


def judged(*commands, period=0.02):
    rules = Rules(('shoulder', 'wrist'), LIMITS)
    for index, command in enumerate(commands):
        # Beginning at the seconds that there are since 1970.
        rules.judge(1.8e9 + period * index, np.array(command), 'now')
    return dict(rules.broken)


def test_commands_within_the_rules_break_none():
    assert judged([19.9, -3.9], [39.8, -7.8], [20.0, -4.0]) == {}
    # The effort limit counts however slowly it is passed.
    assert judged(*np.linspace(0.0, 1.01, 20)[1:, None] * LIMITS) == {'effort limit': 1}


@pytest.mark.parametrize(
    ('command', 'rule'),
    [
        ([0.0], 'size'),
        ([0.0, np.nan], 'finite'),
        ([np.inf, 0.0], 'finite'),
        ([STEPS[0] + 1e-6, 0.0], 'rate limit'),
        ([0.0, -STEPS[1] - 1e-6], 'rate limit'),
    ],
)
def test_each_rule_can_be_broken(command, rule):
    assert judged(command) == {rule: 1}


@pytest.mark.parametrize(('rate', 'broken'), [(1.2, False), (1.5, True)])
def test_small_steps_that_are_too_fast_together_are_seen(rate, broken):
    """From limit to limit takes 0.2 s; 0.03 s less may be the machine."""
    slowly_down = np.linspace(0.0, -1.0, 1500)
    up_too_fast = np.arange(-1.0, 1.0, 0.01 * rate)
    commands = np.concatenate([slowly_down, up_too_fast])[:, None] * LIMITS
    rules = judged(*commands, period=0.001)
    assert set(rules) == ({'rate over a while'} if broken else set())


def test_after_silence_commands_begin_from_no_torque_again():
    rules = Rules(('shoulder', 'wrist'), LIMITS)
    for index in range(4):
        rules.judge(0.02 * index, index * STEPS, 'now')
    rules.begin_anew()
    rules.judge(0.08, 0.0 * STEPS, 'now')
    assert dict(rules.broken) == {}
    rules.begin_anew()
    rules.judge(0.1, 2.0 * STEPS, 'now')
    assert dict(rules.broken) == {'rate limit': 1}


def sent(time, *, good=True, counted=True):
    return Sent(time, np.zeros(1), np.zeros(1), good, counted, 'calm')


def test_ledger_tells_lost_from_provoked():
    ledger = Ledger()
    for time in range(1, 7):
        ledger.send(time, sent(float(time), good=time != 5, counted=time != 3))
    assert ledger.answer(1) is not None
    assert ledger.answer(1) is not None
    assert ledger.answer(5) is None
    assert ledger.answer(99) is None
    assert ledger.waits
    ledger.settle(6.0 + ANSWER_LIMIT - 0.1)
    expected = {'answered': 1, 'lost': 2, 'provoked': 1, 'bad_answered': 1}
    assert {key: ledger.counts[key] for key in expected} == expected
    assert (ledger.counts['good'], ledger.counts['bad']) == (5, 1)
    assert dict(ledger.lost_during) == {'calm': 2}


@pytest.mark.parametrize(('state', 'asleep'), [('S', True), ('R', False), ('D', False)])
def test_a_thread_that_may_run_is_not_asleep(tmp_path, state, asleep):
    (tmp_path / 'stat').write_text(f'12 (a) R) {state} 1 12 12')
    with (tmp_path / 'stat').open() as file:
        assert sleeps(file.fileno()) == asleep


class Scene:
    """As much of one as a schedule needs."""

    def __init__(self):
        self.robot, self.observer = self, self
        self.rescued = 0

    def seconds(self, _):
        yield

    def recovered(self):
        yield
        return self.during != 'never recovers'

    def rescue(self):
        self.rescued += 1
        yield


def fault(name, missed=SEEN):
    def inject(_):
        yield
        return missed

    return Fault(name, 'by nothing', inject)


def test_schedule_injects_every_fault_once_and_says_what_was_missed():
    faults = [fault('unseen', 'nobody noticed'), fault('never recovers'), fault('fine')]
    schedule = Schedule(faults, np.random.default_rng(1))
    scene = Scene()
    steps = schedule.steps(scene)
    while not schedule.complete:
        next(steps)
        assert max(row.injected for row in schedule.rows) <= 1
    assert scene.rescued == 1
    unseen, stuck, fine = schedule.rows
    assert (unseen.passed, unseen.missed) == (False, 'nobody noticed')
    assert not stuck.passed
    assert stuck.missed
    assert (fine.passed, fine.missed) == (True, '')
