"""Settings with which contacts are not found are named, others are not."""

import math
import re

import numpy as np
import pytest
from felt_arm import MODEL, PERIOD, PUSH, FeltArm, settings
from three_joints import JOINTS

from robot_dynamics_ros.control.external_forces.detection.blind_settings import (
    above_half_the_rate,
    below_cutoff,
    excessive_thresholds,
    without_observer,
    without_reaction,
)
from robot_dynamics_ros.control.external_forces.live_contact import contact_thresholds

# The hit of `PUSH` is 2.5 and 10 thresholds.
SMALL, LARGE = (tuple((np.abs(PUSH) / times).tolist()) for times in (2.5, 10.0))
# What each joint of `three_joints` may: none has a limit on the first one's effort.
LIMITS = np.array([np.inf, 200.0, 20.0])
SPEEDS = np.array([j.limits.velocity for j in MODEL.independent_joints])


def collisions(**changes):
    """Of one hit of a still arm."""
    arm = FeltArm(moves=False, driver_gravity_check=False, **changes)
    # Five lags of 0.2 Hz, and the bands.
    arm.run(5.0)
    assert not arm.estimate.reason
    arm.push = PUSH
    arm.run(1.0)
    return arm.collisions


@pytest.mark.parametrize('kind', ['collision', 'push'])
def test_a_reaction_needs_a_threshold_of_collisions(kind):
    given = {f'{kind}_threshold': SMALL}
    acts = kind == 'collision'
    assert collisions(**given) == acts
    for policy in ('hold', 'zero', 'stop'):
        text = without_reaction(settings(**given), policy)
        assert bool(text) != acts
        assert acts or text.startswith(f'on_collision is {policy} and acts')
        assert without_observer(policy).startswith(f'on_collision is {policy}, but ')
    assert not without_reaction(settings(), 'report')
    assert not without_observer('report')


@pytest.mark.parametrize(('bandwidth', 'found'), [(0.2, 0), (4.0, 0), (20.0, 1)])
def test_a_bandwidth_below_the_cutoff_makes_of_a_hit_a_push(bandwidth, found):
    changes = {'external_bandwidth': (bandwidth,) * 3, 'collision_threshold': SMALL}
    assert collisions(**changes) == found
    text = below_cutoff(settings(**changes), JOINTS)
    assert bool(text) == (not found)
    if text:
        assert re.search(f' {bandwidth:g} Hz.*contact_cutoff.* 5 Hz', text)


def test_a_joint_with_a_bandwidth_of_its_own_is_named():
    given = settings(external_bandwidth=(20.0, 3.0, 20.0), collision_threshold=SMALL)
    assert re.search(' 3 Hz.*slide.*contact_cutoff.* 5 Hz', below_cutoff(given, JOINTS))
    pushes = settings(external_bandwidth=(0.2,), push_threshold=SMALL)
    assert not below_cutoff(pushes, JOINTS)


@pytest.mark.parametrize('cutoff', [5.0, 50.0, 250.0, 1000.0])
def test_a_cutoff_from_half_the_rate_on_leaves_no_collision(cutoff):
    """Also where the estimate is faster than that."""
    changes = {'contact_cutoff': cutoff, 'external_bandwidth': (2000.0,) * 3}
    found = collisions(collision_threshold=LARGE, **changes)
    text = above_half_the_rate(settings(collision_threshold=LARGE, **changes), 1.0 / PERIOD)
    assert bool(text) == (not found)
    if text:
        assert f'{cutoff:g} Hz' in text
        assert '250 Hz' in text


def test_without_a_rate_or_a_threshold_nothing_is_said_of_the_cutoff():
    assert not above_half_the_rate(settings(collision_threshold=LARGE), math.nan)
    assert not above_half_the_rate(settings(contact_cutoff=1e3), 500.0)


def excessive(**changes):
    return excessive_thresholds(contact_thresholds(settings(**changes), 3), JOINTS, MODEL)


@pytest.mark.parametrize('kind', ['collision', 'push'])
def test_thresholds_above_the_effort_limits_are_named_with_both(kind):
    assert not excessive(**{f'{kind}_threshold': (1e5, 199.0, 19.0)})
    text = excessive(**{f'{kind}_threshold': (1e5, 3000.0, 19.0)})
    assert re.search(rf'{kind} 3e\+03 N.*slide.*200 N', text)
    assert 'turn' not in text
    assert 'wrist' not in text


@pytest.mark.parametrize('part', ['velocity', 'acceleration'])
def test_a_part_that_alone_is_above_the_limit_at_the_velocity_limit_is_named(part):
    name = f'push_threshold_{part}'
    bound = np.where(np.isinf(LIMITS), 1e6, LIMITS) / SPEEDS
    assert not excessive(push_threshold=(1.0, 1.0, 1.0), **{name: tuple(0.99 * bound)})
    text = excessive(push_threshold=(1.0, 1.0, 1.0), **{name: tuple(1.01 * bound)})
    assert re.search(f'{name}.*slide.* 202 N.* {SPEEDS[1]:.3g} m/s', text)
    assert re.search(rf'{name}.*wrist.* 20\.2 N m.* {SPEEDS[2]:.3g} rad/s', text)
    assert 'turn' not in text
