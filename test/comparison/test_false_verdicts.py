"""Recordings that no verdict fits get none that gives an instruction."""

from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import HOME, JOINTS, TOOL_MASS, Recorded, simulated, urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import parse_urdf

INSTRUCTIONS = {'gravity_compensated', 'sign', 'delay', 'factor', 'payload', 'friction'}
SIGNALS = ('positions', 'velocities', 'efforts')


def codes(comparison):
    return {finding.code for finding in comparison.findings}


def reordered(recorded, order):
    return replace(recorded, **{one: getattr(recorded, one)[:, order] for one in SIGNALS})


@pytest.mark.parametrize(
    ('order', 'friction'),
    [([1, 2, 3, 4, 5, 0], True), ([5, 4, 3, 2, 1, 0], False), ([1, 2, 0, 3, 4, 5], False)],
)
def test_names_that_are_shifted_or_reversed(compared, order, friction):
    """Under the name of joint k the state of joint order[k] is recorded."""
    comparison = compared(reordered(simulated(), order), friction=friction)
    found = ' '.join(one.message for one in comparison.findings if one.code == 'exchanged')
    assert codes(comparison) == {'exchanged'} | (set() if friction else {'friction'})
    for column, joint in enumerate(order):
        assert (f'{JOINTS[joint]} under {JOINTS[column]}' in found) == (column != joint)


def test_an_order_that_is_not_tried_is_unexplained(compared):
    """Positions in one order, efforts in another, which drifts: no exchange fits."""
    recorded = reordered(simulated(), [1, 2, 3, 4, 5, 0])
    comparison = compared(replace(recorded, efforts=recorded.efforts[::-1, [3, 2, 5, 0, 1, 4]]))
    assert not codes(comparison) & INSTRUCTIONS
    assert 'unexplained' in codes(comparison)


def test_no_payload_where_parts_of_the_recording_disagree(compared):
    """The arm takes a load up after the first quarter."""
    recorded, loaded = simulated(), simulated(tool=True)
    later = recorded.times > np.quantile(recorded.times, 0.25)
    efforts = np.where(later[:, None], loaded.efforts, recorded.efforts)
    assert 'payload' not in codes(compared(replace(recorded, efforts=efforts)))


def test_the_deviation_of_a_payload_counts_errors_that_last(compared):
    """A slow error of an effort moves the mass more than white noise of the same size."""
    recorded = simulated(tool=True)
    wave = 1.5 * np.sin(2.0 * np.pi * 0.11 * recorded.times)
    comparison = compared(recorded.with_efforts(lambda effort: effort + wave, 'shoulder'))
    (found,) = [one for one in comparison.findings if one.code == 'payload']
    deviation = float(found.message.partition('standard deviation ')[2].partition(' kg')[0])
    assert abs(found.value - TOOL_MASS) < 3.0 * deviation


LIGHT = JOINTS[3:]
# Of their links [kg]: the last is most of the wrist, as a load is.
MASSES = (0.01, 0.01, 0.2)


def test_one_factor_in_all_joints_is_not_a_payload():
    """Each joint has a factor, or is too light to show one: the three of the wrist."""
    robot = ElementTree.fromstring(urdf(friction=False))
    for name, mass in zip(LIGHT, MASSES, strict=True):
        inertial = robot.find(f"link[@name='{name}_link']/inertial")
        inertial.find('origin').set('xyz', '0 0 0.002')
        inertial.find('mass').set('value', str(mass))
        for moment in ('ixx', 'iyy', 'izz'):
            inertial.find('inertia').set(moment, str(1e-4 * mass))
    robot.find("joint[@name='flange']/origin").set('xyz', '0.02 0 0.02')
    arm = Comparison(parse_urdf(ElementTree.tostring(robot, 'unicode')))
    random, times = np.random.default_rng(2), np.arange(0.0, 16.0, 0.005)
    rates = 2.0 * np.pi * random.uniform(0.05, 0.5, (5, 6))
    angles = times[:, None, None] * rates + random.uniform(0.0, 2.0 * np.pi, (5, 6))
    state = SimpleNamespace(
        positions=HOME + 0.15 * np.sin(angles).sum(axis=1),
        velocities=0.15 * (rates * np.cos(angles)).sum(axis=1),
        accelerations=-0.15 * (rates**2 * np.sin(angles)).sum(axis=1),
    )
    terms = arm.torques(JOINTS).terms(state)
    efforts = 0.05 * terms.sum(axis=0)
    efforts = efforts + random.normal(0.0, 0.01, efforts.shape) * efforts.std(axis=0)
    recorded = Recorded(times, state.positions, state.velocities, efforts, terms[0])
    findings = arm.fit(recorded.reader).findings
    factors = [one for one in findings if one.code == 'factor']
    assert {one.joints for one in factors} >= {('shoulder',), ('elbow',)}
    assert [one.value for one in factors] == pytest.approx([0.05] * len(factors), rel=0.01)
    (unexplained,) = (one for one in findings if one.code != 'factor')
    assert unexplained.code == 'unexplained'
    assert set(unexplained.joints) <= set(LIGHT)
