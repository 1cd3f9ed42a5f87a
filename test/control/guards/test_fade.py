"""A fade is continuous, monotonic, ends at rest exactly on its target, and never comes back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot_dynamics_ros.control.guards.fade import Fade

efforts = st.floats(-100.0, 100.0)
durations = st.floats(0.05, 5.0)
STEPS = 200


def faded(fade, target, elapsed):
    command = np.atleast_1d(np.array(target, float))
    fade.apply(command, elapsed)
    return command


def started(last, target, duration):
    """A fade just after its first command, which is the last one still."""
    fade = Fade(1, duration)
    fade.begin(np.array([last]), np.array([target]))
    assert faded(fade, target, 123.0)[0] == pytest.approx(last, abs=1e-12)
    return fade


@given(last=efforts, target=efforts, duration=durations)
@settings(deadline=None)
def test_goes_from_the_last_command_to_the_target_and_is_at_rest_there(last, target, duration):
    fade = started(last, target, duration)
    step = duration / STEPS
    commands = np.array([last, *(faded(fade, target, step)[0] for _ in range(STEPS + 1))])
    offset = abs(last - target)
    assert commands[-1] == target
    assert not fade.running
    changes = np.diff(commands) * np.sign(target - last)
    assert (changes >= -1e-12 * (1.0 + offset)).all()
    # The largest slope of the smooth step is 1.5; where it begins and ends there is none.
    assert changes.max() <= 1.5 * offset / STEPS + 1e-12 * (1.0 + offset)
    assert max(changes[0], *changes[-2:]) <= 10.0 * offset / STEPS**2 + 1e-12 * (1.0 + offset)


@given(last=efforts, share=st.floats(0.0, 1.0))
def test_half_of_the_way_is_symmetric(last, share):
    """The smooth step by its symmetry: s(x) + s(1 - x) = 1."""
    early, late = started(last, 0.0, 1.0), started(last, 0.0, 1.0)
    both = faded(early, 0.0, share) + faded(late, 0.0, 1.0 - share)
    assert both[0] == pytest.approx(last, abs=1e-12 * (1.0 + abs(last)))


@given(last=efforts, targets=st.lists(efforts, min_size=2, max_size=20))
@settings(deadline=None)
def test_a_moving_target_moves_the_command_as_much(last, targets):
    """The offset is the same whatever the target does meanwhile."""
    moving, resting = started(last, targets[0], 1.0), started(last, targets[0], 1.0)
    for target in targets[1:]:
        offset = faded(resting, targets[0], 0.04) - targets[0]
        assert faded(moving, target, 0.04) - target == pytest.approx(offset, abs=1e-12)


@given(last=efforts, first=efforts, second=efforts, share=st.floats(0.0, 2.0))
def test_a_change_during_a_fade_goes_on_from_the_command(last, first, second, share):
    fade = started(last, first, 1.0)
    before = faded(fade, first, share)
    fade.begin(before, np.array([second]))
    assert faded(fade, second, 0.5)[0] == pytest.approx(before[0], abs=1e-12)
    assert faded(fade, second, 1.0)[0] == second


@given(last=st.floats(1.0, 100.0), further=st.floats(0.0, 100.0), share=st.floats(0.05, 0.5))
def test_a_target_that_moves_on_during_a_fade_keeps_its_slope(last, further, share):
    """By differences on both sides of the change, to the order of their step."""
    fade, step = started(last, 0.0, 1.0), 1e-5
    before = [faded(fade, 0.0, share)[0], faded(fade, 0.0, step)[0]]
    fade.begin(np.array([before[1]]), np.array([-further]))
    after = [faded(fade, -further, step)[0], faded(fade, -further, step)[0]]
    scale = 1.0 + last + further
    assert np.diff(after)[0] / step == pytest.approx(np.diff(before)[0] / step, abs=1e-3 * scale)


changes = st.tuples(efforts, st.floats(0.0, 60.0), st.floats(0.0, 1.0))


@given(last=efforts, changes=st.lists(changes, min_size=1, max_size=6))
@settings(deadline=None)
def test_no_fade_leaves_the_way_from_its_last_command_to_its_target(last, changes):
    """However one interrupts another, and however long each takes."""
    fade, command = Fade(1, 1.0), last
    for target, duration, share in changes:
        low, high = sorted((command, target))
        fade.begin(np.array([command]), np.array([target]), duration)
        faded(fade, target, 0.0)
        for _ in range(20):
            command = faded(fade, target, duration * share / 20)[0]
            assert low - 1e-9 <= command <= high + 1e-9


def test_a_target_that_changes_all_the_time_is_followed():
    """Each change begins a fade: together they lag by a share of the duration, for ever."""
    fade, period, speed = Fade(1, 1.0), 0.02, 3.0
    command = np.zeros(1)
    for count in range(500):
        target = speed * count * period
        fade.begin(command, np.array([target]))
        faded(fade, target, 0.0)
        command = faded(fade, target, period)
    assert 0.0 < target - command[0] < speed * fade.duration


@given(last=efforts, target=efforts, elapsed=st.floats(0.0, 1.0))
def test_without_duration_the_target_is_there_at_once(last, target, elapsed):
    fade = Fade(1, 0.0)
    fade.begin(np.array([last]), np.array([target]))
    assert not fade.running
    assert faded(fade, target, elapsed)[0] == target
    assert faded(fade, target, elapsed)[0] == target


def test_nothing_fades_before_there_was_a_change():
    fade = Fade(1, 1.0)
    assert not fade.running
    assert faded(fade, 3.0, 0.1)[0] == 3.0


@given(
    last=efforts,
    pieces=st.lists(st.tuples(durations, st.floats(0.0, 0.2)), min_size=1, max_size=20),
)
@settings(deadline=None)
def test_a_change_of_the_duration_keeps_the_command(last, pieces):
    """The way that is left is gone in the new duration's pace; no step, and no way back."""
    fade = started(last, 0.0, 1.0)
    before = abs(last)
    for duration, elapsed in pieces:
        fade.duration = duration
        assert abs(faded(fade, 0.0, 0.0)[0]) == pytest.approx(before, abs=1e-12)
        after = abs(faded(fade, 0.0, elapsed)[0])
        assert after <= before + 1e-12
        assert before - after <= 1.5 * abs(last) * elapsed / duration + 1e-12
        before = after


@given(last=efforts, wait=st.floats(0.0, 100.0), duration=st.floats(0.0, 60.0))
def test_a_fade_that_is_over_stays_over(last, wait, duration):
    fade = started(last, 0.0, 0.5)
    assert faded(fade, 0.0, 0.5 + wait)[0] == 0.0
    fade.duration = duration
    assert not fade.running
    assert faded(fade, 0.0, 0.0)[0] == 0.0


def test_a_fade_of_zero_duration_stays_over():
    fade = Fade(1, 0.0)
    fade.begin(np.array([5.0]), np.array([0.0]))
    assert faded(fade, 0.0, 0.0)[0] == 0.0
    fade.duration = 1.0
    assert faded(fade, 0.0, 0.0)[0] == 0.0
