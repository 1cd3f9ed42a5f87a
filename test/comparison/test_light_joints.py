"""Joints too light to show the scale or the sign of their effort say nothing of the others."""

from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import HOME, JOINTS, Recorded, urdf

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.hypotheses import best_load
from robot_dynamics_ros.comparison.judge import Explanation, Judge
from robot_dynamics_ros.comparison.observations import Observations
from robot_dynamics_ros.core import parse_urdf

LIGHT = JOINTS[3:]
# Of their links [kg]: the last is most of the wrist, as a load is.
MASSES = (0.01, 0.01, 0.2)
# Coulomb friction [N m] and its viscous part [N m s/rad] at each of them.
COULOMB, VISCOUS = 0.18, 0.2


@pytest.fixture(scope='module')
def arm():
    """Of the arm without friction, with a light wrist."""
    robot = ElementTree.fromstring(urdf(friction=False))
    for name, mass in zip(LIGHT, MASSES, strict=True):
        inertial = robot.find(f"link[@name='{name}_link']/inertial")
        inertial.find('origin').set('xyz', '0 0 0.002')
        inertial.find('mass').set('value', str(mass))
        for moment in ('ixx', 'iyy', 'izz'):
            inertial.find('inertia').set(moment, str(1e-4 * mass))
    robot.find("joint[@name='flange']/origin").set('xyz', '0.02 0 0.02')
    return Comparison(parse_urdf(ElementTree.tostring(robot, 'unicode')))


def recorded(arm, change):
    """Sums of sines with the torques of the model, changed, and noise."""
    random = np.random.default_rng(2)
    times = np.arange(0.0, 16.0, 0.005)
    rates = 2.0 * np.pi * random.uniform(0.05, 0.5, (5, 6))
    angles = times[:, None, None] * rates + random.uniform(0.0, 2.0 * np.pi, (5, 6))
    state = SimpleNamespace(
        positions=HOME + 0.15 * np.sin(angles).sum(axis=1),
        velocities=0.15 * (rates * np.cos(angles)).sum(axis=1),
        accelerations=-0.15 * (rates**2 * np.sin(angles)).sum(axis=1),
    )
    terms = arm.torques(JOINTS).terms(state)
    efforts = change(terms.sum(axis=0), state.velocities)
    efforts = efforts + random.normal(0.0, 0.01, efforts.shape) * efforts.std(axis=0)
    return Recorded(times, state.positions, state.velocities, efforts, terms[0])


def compared(arm, change):
    reader = recorded(arm, change).reader
    return arm.fit(reader)


def test_one_factor_in_all_joints_is_not_a_payload(arm):
    """Each joint has a factor, or is too light to show one."""
    comparison = compared(arm, lambda efforts, _: 0.05 * efforts)
    factors = [one for one in comparison.findings if one.code == 'factor']
    assert {one.joints for one in factors} >= {('shoulder',), ('elbow',)}
    assert [one.value for one in factors] == pytest.approx([0.05] * len(factors), rel=0.01)
    assert {one.code for one in comparison.findings} == {'unexplained', 'factor'}
    (unexplained,) = (one for one in comparison.findings if one.code == 'unexplained')
    assert set(unexplained.joints) <= set(LIGHT)


def test_a_load_beside_factors_follows_from_joints_that_show_their_scale(arm):
    """The efforts of the wrist, whose scale is unknown, have a part in it without factors only."""

    def mass(wrist, others):
        scales = np.array([others] * 3 + [wrist] * 3)
        reader = recorded(arm, lambda efforts, _: scales * efforts).reader
        judge = Judge(Observations(arm.torques(JOINTS), arm.gather(reader).reach.excerpts))
        nothing = Explanation.nothing(len(JOINTS))
        given = replace(nothing, gains=tuple(np.where(judge.loaded, others, 1.0).tolist()))
        found, _ = best_load(judge, given, body=len(JOINTS) - 1)
        return found.load[0]

    assert mass(0.05, others=0.05) == pytest.approx(0.0, abs=0.02)
    assert mass(0.05, others=0.05) == pytest.approx(mass(3.0, others=0.05), abs=1e-3)
    assert mass(3.0, others=1.0) > mass(1.0, others=1.0) + 1e-3


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_friction_that_drives_is_a_hint_of_a_turned_sign(arm, sign):
    def with_friction(efforts, velocities):
        efforts = efforts.copy()
        efforts[:, 3:] += (COULOMB * np.sign(velocities) + VISCOUS * velocities)[:, 3:]
        efforts[:, 5] *= sign
        return efforts

    comparison = compared(arm, with_friction)
    found = [one for one in comparison.findings if one.code == 'unexplained']
    if sign > 0.0:
        assert found == []
        return
    (finding,) = found
    assert finding.joints == ('flange',)
    assert 'flange (-0.' in finding.message
