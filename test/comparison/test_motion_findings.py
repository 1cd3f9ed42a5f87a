"""A motion in another unit, or with velocities of something else, is named with its factor."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from memory_source import in_memory
from simulated_recordings import JOINTS, RATE, simulated


def changed(change, joint=None):
    """The recording with other velocities: of all joints, or of one."""
    recorded = simulated()
    velocities = recorded.velocities.copy()
    columns = slice(None) if joint is None else JOINTS.index(joint)
    velocities[:, columns] = change(velocities[:, columns])
    return replace(recorded, velocities=velocities)


@pytest.mark.parametrize('rate', [10.0, 30.0, 200.0])
def test_degrees_are_found_at_any_rate(comparison_with, rate):
    """Where each step of them is a jump, the refusal says why."""
    recorded = simulated().part(slice(None, None, round(RATE / rate)))
    degrees = {one: np.rad2deg(getattr(recorded, one)) for one in ('positions', 'velocities')}
    found = comparison_with().of(in_memory(replace(recorded, **degrees).states))
    codes = [one.code for one in found.findings]
    assert 'degrees' in found.error if rate == 10.0 else codes[0] == 'units'
    # What is between two jumps may be short.
    assert {*codes} <= {'units', 'samples', 'short'}


def test_one_wrong_position_is_not_another_unit(codes):
    """A single sample far outside is a jump; the findings about the others stay."""
    recorded = simulated().with_efforts(np.negative, 'elbow')
    positions = recorded.positions.copy()
    positions[1000, 2] = 1e4
    found = codes(replace(recorded, positions=positions))
    assert 'sign' in found
    assert 'units' not in found


@pytest.mark.parametrize('factor', [180.0 / np.pi, -1.0, 0.0])
@pytest.mark.parametrize('joint', [None, 'elbow'])
def test_velocities_in_another_unit_or_direction(only, factor, joint):
    found = only(changed(lambda velocities: factor * velocities, joint))
    assert (found.code, found.joints) == ('units', (joint,) if joint else JOINTS)
    assert found.value == pytest.approx(factor, rel=0.02)


def filtered(velocities):
    """With a delay of 30 ms."""
    kernel = np.ones(12) / 12
    return np.stack([np.convolve(one, kernel)[: len(one)] for one in velocities.T], axis=1)


@pytest.mark.parametrize(
    'change',
    [
        lambda v: v + np.random.default_rng(1).normal(0.0, 0.05, v.shape),
        lambda v: 0.02 * np.round(v / 0.02),
        filtered,
        lambda v: np.full_like(v, np.nan),
    ],
)
def test_what_a_driver_does_to_velocities_is_no_finding(codes, change):
    assert 'units' not in codes(changed(change))


def test_each_recording_is_concluded_by_itself(comparison_with):
    flipped = simulated().with_efforts(np.negative, 'elbow').reader
    found = comparison_with().fit([flipped, changed(np.zeros_like).reader, simulated().reader])
    assert [[one.code for one in each.findings] for each in found] == [['sign'], ['units'], []]
