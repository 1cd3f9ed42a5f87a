"""First moments of an arm that the URDF knows wrongly: a rotor, masses, a tilted base."""

from functools import cache

import numpy as np
import pytest

pytest.importorskip('scipy')

from arm_motions import TILTED, URDF, sines
from memory_source import MemorySource
from recorded_states import TOPIC, States

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

MODEL = parse_urdf(URDF)
VISCOUS, COULOMB, ROTOR = 0.3, 0.2, 0.5
HEAVY = MODEL.with_inertial_parameters(
    (MODEL.inertial_parameters().reshape(-1, 10) * np.array([[1.0], [1.3], [1.3]])).ravel()
)


@cache
def identified(seed, model=MODEL, rotor=0.0, true=STANDARD_GRAVITY, given=STANDARD_GRAVITY):
    """From 30 s of sums of sines, with friction and noise [N m]."""
    times, q, v, a = sines(MODEL.size, seed, seconds=30.0)
    rigid = RobotDynamics(model, gravity=true).inverse_dynamics(q, v, a)
    noise = 0.02 * np.random.default_rng(seed).normal(size=q.shape)
    efforts = rigid + rotor * a + VISCOUS * v + COULOMB * np.sign(v) + noise
    states = States(np.rint(1e9 * times).astype(np.int64), q, v, efforts, MODEL.joint_names)
    recording = Recording(MemorySource(states), TOPIC, {}, None)
    return Identifier(URDF, gravity=given).fit([recording])


def assert_right(found, model=MODEL):
    """Within 5 % of the largest, and nothing speaks against the model."""
    assert found.doubts == ()
    base, rotors = found.parameters.base, np.zeros(MODEL.size)
    truth = base.combination @ np.concatenate([model.inertial_parameters(), rotors])
    moments = [row.unit == 'kg m' for row in found.parameters.sums]
    values = np.array([row.value for row in found.parameters.sums])[moments]
    expected = truth[moments]
    np.testing.assert_allclose(values, expected, rtol=0.0, atol=0.05 * np.abs(expected).max())


@pytest.mark.parametrize('seed', range(5))
def test_a_rotor_that_the_urdf_lacks(seed):
    found = identified(seed, rotor=ROTOR)
    assert_right(found)
    np.testing.assert_allclose(found.model.values['armature'], ROTOR, atol=0.05)


def test_intervals_hold_the_truth_whatever_the_law_of_friction_is():
    """In 88 % at least: base parameters with rotors, and friction where it was measured."""
    sums, friction = [], []
    for found in (identified(seed, rotor=ROTOR) for seed in range(5)):
        base, rotors = found.parameters.base, np.full(MODEL.size, ROTOR)
        truth = base.combination @ np.concatenate([MODEL.inertial_parameters(), rotors])
        rows = zip(found.parameters.sums, truth, strict=True)
        sums += [row.low <= x <= row.high for row, x in rows if np.isfinite(row.low)]
        for curve in found.parameters.curves.values():
            torque = VISCOUS * curve.velocities + COULOMB * np.sign(curve.velocities)
            friction += ((curve.low <= torque) & (torque <= curve.high)).tolist()
    assert np.mean(sums) >= 0.88
    assert np.mean(friction) >= 0.88


@pytest.mark.parametrize('seed', range(2))
def test_links_that_are_heavier(seed):
    assert_right(identified(seed, HEAVY), HEAVY)


@pytest.mark.parametrize('seed', range(2))
def test_a_tilted_base_is_said_and_its_gravity_may_be_given(seed):
    assert_right(identified(seed, true=TILTED, given=TILTED))
    found = identified(seed, true=TILTED)
    assert 'turned_base' in {one.code for one in found.findings}
    assert found.doubts
