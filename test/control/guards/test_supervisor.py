"""The safety laws of the decision, over all its inputs."""

from dataclasses import replace
from itertools import product
from typing import get_args

import pytest

from robot_dynamics_ros.control.guards.supervisor import (
    Conditions,
    Mode,
    OnStale,
    OnStop,
    next_mode,
)

BOOLS = (False, True)
POLICIES = [
    {'on_stale': stale, 'on_stop': stop}
    for stale, stop in product(get_args(OnStale), get_args(OnStop))
]
REACTIONS = (None, Mode.HOLD, Mode.ZERO)
CASES = [
    (mode, conditions, policy, next_mode(mode, conditions, **policy))
    for mode in Mode
    for conditions in (
        Conditions(*switches, reaction=reaction)
        for switches in product(BOOLS, repeat=6)
        for reaction in REACTIONS
    )
    for policy in POLICIES
]


def test_all_inputs_are_here():
    assert len(CASES) == 4 * 64 * 3 * 6
    assert all(isinstance(after, Mode) for *_, after in CASES)


def test_silence_ends_only_where_torque_is_wanted_the_state_fresh_and_nobody_else_commands():
    for mode, now, _, after in CASES:
        if mode is Mode.SILENT:
            if not now.running and now.final_command_pending:
                continue
            begins = now.running and now.fresh and not (now.start_inhibited or now.interrupted)
            assert after is (now.reaction or Mode.FOLLOW if begins else Mode.SILENT)


def test_what_runs_on_a_fresh_state_follows_and_nothing_else_does():
    for mode, now, _, after in CASES:
        if after is Mode.FOLLOW:
            assert now.running
            assert now.fresh
            assert now.reaction is None
        elif now.running and now.fresh and not now.interrupted:
            silent = mode is Mode.SILENT and now.start_inhibited
            assert silent or after is now.reaction


def test_a_collision_changes_nothing_but_what_would_follow_or_hold():
    for mode, now, policy, after in CASES:
        without = next_mode(mode, replace(now, reaction=None), **policy)
        if without is Mode.FOLLOW:
            assert after is (now.reaction or Mode.FOLLOW)
        elif after is not without:
            # Zero torque does not become gravity compensation when states are stale.
            assert (now.reaction, without, after) == (Mode.ZERO, Mode.HOLD, Mode.ZERO)
            assert now.running
            assert not now.fresh


def test_an_interruption_silences_at_once():
    for _, now, _, after in CASES:
        if now.interrupted:
            assert after is Mode.SILENT


def test_another_publisher_stops_nothing_that_has_begun():
    for mode, now, policy, after in CASES:
        if mode is not Mode.SILENT:
            free = replace(now, start_inhibited=False)
            assert after is next_mode(mode, free, **policy)


def test_a_stale_state_is_answered_as_on_stale_says():
    answers = {'hold': Mode.HOLD, 'zero': Mode.ZERO, 'stop': Mode.SILENT}
    for mode, now, policy, after in CASES:
        zero = now.reaction is Mode.ZERO
        stale = now.running and not (now.fresh or now.interrupted)
        if stale and mode is not Mode.SILENT and not zero:
            assert after is answers[policy['on_stale']]


def test_what_must_stop_goes_to_its_last_command_and_falls_silent_on_arrival():
    for mode, now, policy, after in CASES:
        if now.running or now.interrupted:
            continue
        last = {'zero': Mode.ZERO, 'hold': Mode.HOLD}[policy['on_stop']]
        assert after in (last, Mode.SILENT)
        if after is Mode.SILENT:
            assert mode is Mode.SILENT or (mode is last and now.reached_target)
        elif mode is not Mode.SILENT:
            assert mode is not last or not now.reached_target


@pytest.mark.parametrize('fresh', BOOLS)
@pytest.mark.parametrize('start_inhibited', BOOLS)
@pytest.mark.parametrize('policy', POLICIES)
@pytest.mark.parametrize('mode', Mode)
def test_what_must_stop_is_silent_two_decisions_after_arrival_and_stays_so(
    mode, policy, start_inhibited, fresh
):
    reached_target = Conditions(False, fresh, start_inhibited, reached_target=True)
    for _ in range(2):
        mode = next_mode(mode, reached_target, **policy)
    assert mode is Mode.SILENT
    assert next_mode(mode, reached_target, **policy) is Mode.SILENT


def test_a_stopping_node_is_not_silent_before_its_target():
    for mode, now, _, after in CASES:
        stops = not (now.running or now.interrupted)
        if mode is not Mode.SILENT and stops and not now.reached_target:
            assert after is not Mode.SILENT


@pytest.mark.parametrize('on_stop', ['zero', 'hold'])
@pytest.mark.parametrize('fresh', [True, False])
def test_a_pending_final_command_is_given_if_no_other_commands(on_stop, fresh):
    for start_inhibited in (True, False):
        conditions = Conditions(
            running=False,
            fresh=fresh,
            start_inhibited=start_inhibited,
            reached_target=True,
            final_command_pending=True,
        )
        mode = next_mode(Mode.SILENT, conditions, on_stale='stop', on_stop=on_stop)
        assert mode is (Mode.SILENT if start_inhibited else Mode(on_stop))
