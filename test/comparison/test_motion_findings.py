"""A motion in another unit, or with velocities of something else, is named with its factor."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from memory_source import MemorySource
from recorded_states import TOPIC
from simulated_recordings import JOINTS, RATE, simulated

from robot_dynamics_ros.recordings import Recording


def changed(change, joint=None):
    """The recording with other velocities: of all joints, or of one."""
    recorded = simulated()
    velocities = recorded.velocities.copy()
    columns = slice(None) if joint is None else JOINTS.index(joint)
    velocities[:, columns] = change(velocities[:, columns])
    return replace(recorded, velocities=velocities)


def codes(comparison):
    return [finding.code for finding in comparison.findings]


@pytest.mark.parametrize('rate', [10.0, 30.0, 200.0])
def test_degrees_are_found_at_any_rate(comparison_with, rate):
    """Where each step of them is a jump, the refusal says why."""
    recorded = simulated().part(slice(None, None, round(RATE / rate)))
    degrees = {one: np.rad2deg(getattr(recorded, one)) for one in ('positions', 'velocities')}
    read = Recording(MemorySource(replace(recorded, **degrees).states), TOPIC, {}, None)
    if rate == 10.0:
        assert 'degrees' in comparison_with().fit(read)[0].error
        return
    found = codes(comparison_with().fit(read)[0])
    assert found[0] == 'units'
    # What is between two jumps may be short.
    assert set(found) <= {'units', 'samples', 'short'}


def test_one_wrong_position_is_not_another_unit(compared):
    """A single sample far outside is a jump; the findings about the others stay."""
    recorded = simulated().with_efforts(np.negative, 'elbow')
    positions = recorded.positions.copy()
    positions[1000, 2] = 1e4
    found = set(codes(compared(replace(recorded, positions=positions))))
    assert 'sign' in found
    assert 'units' not in found


@pytest.mark.parametrize('factor', [180.0 / np.pi, -1.0, 0.0])
@pytest.mark.parametrize('joint', [None, 'elbow'])
def test_velocities_in_another_unit_or_direction(compared, factor, joint):
    (found,) = compared(changed(lambda velocities: factor * velocities, joint)).findings
    assert (found.code, found.joints) == ('units', (joint,) if joint else JOINTS)
    assert found.value == pytest.approx(factor, rel=0.02)


def test_positions_in_degrees_beside_velocities_in_radians(compared):
    """Two findings: the positions are far outside the limits, and the velocities small."""
    recorded = simulated()
    found = compared(replace(recorded, positions=np.rad2deg(recorded.positions))).findings
    positions, velocities = (one for one in found if one.code == 'units')
    assert positions.value > 50.0
    assert velocities.joints == JOINTS
    assert velocities.value == pytest.approx(np.pi / 180.0, rel=0.02)


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
def test_what_a_driver_does_to_velocities_is_no_finding(compared, change):
    assert 'units' not in codes(compared(changed(change)))


def test_velocities_of_another_time_and_of_a_joint_that_stands_still(compared):
    """The former do not fit; the latter are noise, or zero, and not judged."""
    (found,) = compared(changed(lambda velocities: velocities[::-1], 'flange')).findings
    assert (found.code, found.joints) == ('units', ('flange',))
    assert abs(found.value) < 0.5
    recorded = simulated(still=('bend',))
    velocities = recorded.velocities.copy()
    velocities[:, 4] = 0.0
    for one in (recorded, replace(recorded, velocities=velocities)):
        assert 'units' not in codes(compared(one))


def test_each_recording_is_concluded_by_itself(comparison_with):
    model = comparison_with()
    flipped = simulated().with_efforts(np.negative, 'elbow').reader
    found = model.fit([flipped, changed(np.zeros_like).reader, simulated().reader])
    assert [codes(one) for one in found] == [['sign'], ['units'], []]
    assert codes(model.of(flipped)) == ['sign']
