"""What is said of an estimate, and the command that sets it."""

import shlex

import numpy as np
import pytest

yaml = pytest.importorskip('yaml')

from robot_dynamics_ros.identification.payload import MOMENTS, THINNEST, judged, possible

BODY = np.array([1.3, 0.04, 0.05, -0.02, 0.004, 0.0005, 0.005, -0.0003, 0.0002, 0.003])


def estimate_of(mass=0.001, center=0.001, moment=1e-4, counts=(90, 90), robot=2.0, of=1.3):
    """An estimate of so many kilograms with these standard deviations."""
    intervals = 2.0 * np.array([mass, *[center] * 3, *[moment] * 6])
    joints = ('lift', 'swing')
    equations, noise = dict(zip(joints, counts, strict=True)), dict.fromkeys(joints, 1.0)
    return judged('tool0', np.append(of, BODY[1:]), intervals, noise, equations, robot)


def test_the_command_holds_the_payload():
    """Its request, read as the ros2 command reads it, is the estimate."""
    words = shlex.split(estimate_of().service_call())
    assert words[:4] == ['ros2', 'service', 'call', '/robot_dynamics/set_payload']
    request = yaml.safe_load(words[5])
    inertia = request['inertia']
    assert (request['frame'], inertia['m']) == ('tool0', 1.3)
    assert [inertia['com'][axis] for axis in 'xyz'] == [0.04, 0.05, -0.02]
    np.testing.assert_allclose([inertia[name] for name in MOMENTS], BODY[4:], rtol=1e-5)


@pytest.mark.parametrize(
    ('deviations', 'determined'),
    [
        ({}, 'mass, centre and inertia'),
        ({'moment': 0.01}, 'mass and centre'),
        ({'moment': 0.01, 'center': 0.05}, 'mass'),
        ({'moment': 0.01, 'center': 0.05, 'mass': 0.2}, ''),
    ],
)
def test_what_is_determined_is_decided_by_the_intervals(deviations, determined):
    estimate = estimate_of(**deviations)
    assert estimate.determined == determined
    assert bool(estimate.refusal) == ('centre' not in determined)
    assert bool(estimate.service_call()) == ('centre' in determined)
    assert estimate.mass == estimate.as_json()['mass'] == 1.3
    if 'centre' in determined:
        moments = BODY[4:] if 'inertia' in determined else np.zeros(6)
        np.testing.assert_array_equal(estimate.inertia, moments)
    else:
        # No number that looks like a payload.
        assert np.isnan([*estimate.com, *estimate.inertia]).all()


@pytest.mark.parametrize(
    ('estimate', 'cause'),
    [
        ({'counts': (0, 9), 'mass': 0.2}, 'also lift'),
        ({'of': -1.0}, 'not mounted'),
        ({'of': -1.0, 'robot': 0.0}, 'exchanged'),
        ({'robot': 2000.0}, 'err by 2 kg'),
        ({'of': 0.001, 'mass': 0.01}, 'no payload'),
    ],
)
def test_refusals_name_the_cause(estimate, cause):
    found = estimate_of(**estimate)
    assert cause in found.refusal
    assert found.sentence() == found.refusal
    assert found.determined == found.service_call() == ''
    assert np.isnan([*found.com, *found.inertia]).all()


def test_a_payload_heavier_than_the_robot_is_doubted():
    estimate = estimate_of(of=30.0, robot=20.0)
    assert not estimate.refusal
    assert '20 kg' in estimate.doubt
    assert estimate.doubt in estimate.sentence()


@pytest.mark.parametrize('seed', range(3))
def test_an_inertia_that_cannot_exist_becomes_the_nearest_one_that_can(seed):
    """No possible one around it is nearer: of second moments, in the Frobenius norm."""
    random = np.random.default_rng(seed)
    impossible = np.append(BODY[:4], BODY[4:] + 0.002 * random.normal(size=6))
    impossible[4] += 0.01

    def moments(body):
        ixx, ixy, iyy, ixz, iyz, izz = body[4:]
        inertia = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        return 0.5 * np.trace(inertia) * np.eye(3) - inertia

    def thickness(body):
        return np.linalg.eigvalsh(moments(body))[0] / BODY[0]

    found = possible(impossible)
    assert thickness(impossible) < 0.0 < 0.999 * THINNEST**2 <= thickness(found)
    nearest = np.linalg.norm(moments(found) - moments(impossible))
    for scale in np.geomspace(1e-8, 1e-2, 300):
        other = found + scale * np.append(np.zeros(4), random.normal(size=6))
        distance = np.linalg.norm(moments(other) - moments(impossible))
        assert thickness(other) < THINNEST**2 or distance >= nearest * (1.0 - 1e-6)
    np.testing.assert_allclose(possible(found), found, atol=1e-15)
