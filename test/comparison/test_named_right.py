"""What differs from the URDF is named, and nothing else is, on arms whose truth is known."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from arm_motions import TILTED, URDF, sines
from mechanics.planar_arms import planar_arm
from memory_source import in_memory
from recorded_states import States

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

MODEL = parse_urdf(URDF)
VISCOUS, COULOMB, NOISE = 0.3, 0.2, 0.02


def chain(size, lift=False):
    """An arm whose joints turn about y, x and z in turn; the first one may be a lift."""
    head, *joints = planar_arm(size).split('<axis xyz="0 0 1"/>')
    axes = ('0 1 0', '1 0 0', '0 0 1')
    text = head + ''.join(f'<axis xyz="{axes[j % 3]}"/>{one}' for j, one in enumerate(joints))
    if lift:
        text = text.replace('"continuous"', '"prismatic"', 1).replace('"0 1 0"', '"0 0 1"', 1)
    return parse_urdf(text)


def states(dynamics, seed=1, rotor=0.0, scales=1.0):
    """Sums of sines with friction and noise [N m], times scales."""
    times, q, v, a = sines(dynamics.model.size, seed, seconds=20.0)
    noise = NOISE * np.random.default_rng(seed).normal(size=q.shape)
    efforts = dynamics.inverse_dynamics(q, v, a) + VISCOUS * v + COULOMB * np.sign(v) + rotor * a
    stamps = np.rint(1e9 * times).astype(np.int64)
    return States(stamps, q, v, scales * (efforts + noise), dynamics.model.joint_names)


def found(model, recorded):
    """All findings of a recording."""
    (compared,) = Comparison(model).fit(in_memory(recorded))
    assert not compared.error
    return compared.findings


def named(model, recorded):
    """By code, but for friction, which the URDF does not have."""
    return {one.code: one for one in found(model, recorded) if one.code != 'friction'}


def gravity_of(finding):
    return [float(x) for x in finding.message.partition('--gravity ')[2].split(',')]


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('rotor', [0.2, 1.0])
def test_a_rotor_that_no_urdf_holds_is_a_rotor(seed, rotor):
    findings = found(MODEL, states(RobotDynamics(MODEL), seed, rotor))
    rotors = [one for one in findings if one.code == 'rotor']
    assert {one.code for one in findings} <= {'rotor', 'friction'}
    assert [one.joints[0] for one in rotors] == list(MODEL.joint_names)
    for one in rotors:
        assert abs(one.value - rotor) < 3.0 * one.half_width


@pytest.mark.parametrize('seed', range(5))
@pytest.mark.parametrize('gravity', [TILTED, (0.0, 0.0, 9.81), (9.81, 0.0, 0.0)])
def test_a_turned_base_has_its_gravity(seed, gravity):
    codes = named(MODEL, states(RobotDynamics(MODEL, gravity=gravity), seed))
    assert set(codes) == {'turned_base'}
    assert gravity_of(codes['turned_base']) == pytest.approx(gravity, abs=0.1)


@pytest.mark.parametrize('seed', range(5))
def test_links_that_are_too_heavy_are_named(seed):
    bodies = MODEL.inertial_parameters().reshape(-1, 10) * np.array([[1.0], [1.3], [1.3]])
    heavy = MODEL.with_inertial_parameters(bodies.ravel())
    findings = found(MODEL, states(RobotDynamics(heavy), seed))
    assert {one.code for one in findings} <= {'mass', 'friction'}
    masses = [one.value for one in findings if one.code == 'mass']
    assert sorted(masses) == pytest.approx([0.24, 0.36], abs=0.05)


@pytest.mark.parametrize('seed', range(5))
def test_a_payload_on_a_turned_base_is_a_payload(seed):
    """Its weight turns with gravity, too."""
    carrying = MODEL.with_payload('flange', 0.6, (0.0, 0.0, 0.05))
    codes = named(MODEL, states(RobotDynamics(carrying, gravity=TILTED), seed))
    assert set(codes) == {'turned_base', 'payload'}
    payload = codes['payload']
    assert abs(payload.value - 0.6) < 2.0 * payload.half_width < 0.06
    assert gravity_of(codes['turned_base']) == pytest.approx(TILTED, abs=0.1)


def test_swapped_names_are_found_in_bounded_memory():
    model = chain(6)
    first, second, third, *others = model.joint_names
    recorded = replace(states(RobotDynamics(model)), names=(first, third, second, *others))
    tracemalloc.start()
    codes = named(model, recorded)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [*codes] == ['swapped']
    assert codes['swapped'].joints == (second, third)
    assert peak < 64 << 20


def test_currents_have_scales_and_the_friction_of_torques():
    model, scales = chain(4), np.array([0.05, 0.09, 0.1, 0.06])
    currents, torques = (
        found(model, states(RobotDynamics(model), scales=one)) for one in (scales, 1.0)
    )
    assert [one.code for one in currents] == 4 * ['scale'] + 4 * ['friction']
    assert [one.value for one in currents[:4]] == pytest.approx(scales, rel=0.02)
    assert [one.joints for one in torques] == [one.joints for one in currents[4:]]
    assert {one.code for one in torques} == {'friction'}


def test_an_effort_that_lacks_a_constant_weight_is_unexplained():
    lift = chain(4, lift=True)
    recorded = states(RobotDynamics(lift), scales=np.array([0.0, 1.0, 1.0, 1.0]))
    recorded.efforts[:, 0] = COULOMB * np.sign(recorded.velocities[:, 0])
    assert named(lift, recorded)['unexplained'].joints == ('joint1',)
