"""What differs from the URDF is named, and nothing else is, on arms whose truth is known."""

import numpy as np
import pytest
from arm_motions import TILTED, URDF, sines
from memory_source import MemorySource
from recorded_states import TOPIC, States

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.recordings import Recording

MODEL = parse_urdf(URDF)
VISCOUS, COULOMB, NOISE = 0.3, 0.2, 0.02


def recording(seed, dynamics, rotor=0.0):
    """Sums of sines with friction and noise [N m]."""
    times, q, v, a = sines(MODEL.size, seed, seconds=20.0)
    noise = NOISE * np.random.default_rng(seed).normal(size=q.shape)
    efforts = dynamics.inverse_dynamics(q, v, a) + VISCOUS * v + COULOMB * np.sign(v) + rotor * a
    stamps = np.rint(1e9 * times).astype(np.int64)
    states = States(stamps, q, v, efforts + noise, MODEL.joint_names)
    return Recording(MemorySource(states), TOPIC, {}, None)


def found(seed, dynamics, **options):
    """Findings but for friction, which the URDF does not have."""
    (compared,) = Comparison(MODEL).fit(recording(seed, dynamics, **options))
    assert not compared.error
    return {one.code: one for one in compared.findings if one.code != 'friction'}


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('rotor', [0.2, 1.0])
def test_a_rotor_that_no_urdf_holds_is_a_rotor(seed, rotor):
    (compared,) = Comparison(MODEL).fit(recording(seed, RobotDynamics(MODEL), rotor))
    rotors = [one for one in compared.findings if one.code == 'rotor']
    assert {one.code for one in compared.findings} <= {'rotor', 'friction'}
    assert [one.joints[0] for one in rotors] == list(MODEL.joint_names)
    for one in rotors:
        assert abs(one.value - rotor) < 3.0 * one.half_width


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('gravity', [TILTED, (0.0, 0.0, 9.81), (9.81, 0.0, 0.0)])
def test_a_turned_base_has_its_gravity(seed, gravity):
    codes = found(seed, RobotDynamics(MODEL, gravity=gravity))
    assert set(codes) == {'turned_base'}
    words = codes['turned_base'].message.partition('--gravity ')[2]
    assert [float(x) for x in words.split(',')] == pytest.approx(gravity, abs=0.1)


@pytest.mark.parametrize('seed', range(5))
def test_links_that_are_too_heavy_are_named(seed):
    bodies = MODEL.inertial_parameters().reshape(-1, 10)
    bodies = bodies * np.array([[1.0], [1.3], [1.3]])
    heavy = MODEL.with_inertial_parameters(bodies.ravel())
    (compared,) = Comparison(MODEL).fit(recording(seed, RobotDynamics(heavy)))
    masses = [one for one in compared.findings if one.code == 'mass']
    assert {one.code for one in compared.findings} <= {'mass', 'friction'}
    assert sorted(one.value for one in masses) == pytest.approx([0.24, 0.36], abs=0.05)


@pytest.mark.parametrize('seed', range(5))
def test_a_payload_on_a_turned_base_is_a_payload(seed):
    """Its weight turns with gravity, too."""
    carrying = MODEL.with_payload('flange', 0.6, (0.0, 0.0, 0.05))
    codes = found(seed, RobotDynamics(carrying, gravity=TILTED))
    assert set(codes) == {'turned_base', 'payload'}
    payload = codes['payload']
    assert abs(payload.value - 0.6) < 2.0 * payload.half_width < 0.07
    words = codes['turned_base'].message.partition('--gravity ')[2]
    assert [float(x) for x in words.split(',')] == pytest.approx(TILTED, abs=0.1)
