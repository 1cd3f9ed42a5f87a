"""What is said of an estimate, and the command that sets it."""

import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

yaml = pytest.importorskip('yaml')

from robot_dynamics_ros.control.payload_estimation.body_parameters import tensor
from robot_dynamics_ros.control.payload_estimation.payload_estimate import (
    MOMENTS,
    payload_estimate,
    student,
)
from robot_dynamics_ros.control.payload_estimation.payload_fit import PayloadFit
from robot_dynamics_ros.core.errors import ParameterError

THETA = np.array([1.3, 0.04, 0.05, -0.02, 0.004, 0.0005, 0.005, -0.0003, 0.0002, 0.003])
JOINTS = ('lift', 'swing')


def estimate_of(
    mass=0.001, center=0.001, moment=1e-4, theta=THETA, blocks=1000, counts=(90, 90), error=0.0,
    lacking=None, compared=False,
):  # fmt: skip
    """An estimate with these standard deviations.

    Args:
        lacking: share of gravity that the efforts lack; None: it is not known.
        compared: whether it is against recordings without the payload.
    """
    deviations = np.array([mass, *[center] * 3, *[moment] * 6])
    nothing = np.zeros(1)
    fit = PayloadFit(
        theta, np.diag(deviations**2), nothing, nothing, np.ones(2), np.ones(2), blocks
    )
    share = None
    if lacking is not None:
        others = np.array([-lacking]), np.array([0.02])
        share = replace(fit, others=others[0], others_deviation=others[1])
    elif not compared:
        share = replace(fit, others=np.zeros(1), others_deviation=np.ones(1))
    return payload_estimate('tool0', JOINTS, fit, np.array(counts, float), share, error)


def test_the_command_holds_the_payload():
    """Its request, read as the ros2 command reads it, is the estimate."""
    estimate = estimate_of()
    words = shlex.split(estimate.service_call('/left/robot_dynamics'))
    assert words[:5] == [
        'ros2', 'service', 'call', '/left/robot_dynamics/set_payload',
        'robot_dynamics_interfaces/srv/SetPayload',
    ]  # fmt: skip
    request = yaml.safe_load(words[5])
    inertia = request['inertia']
    assert request['frame'] == 'tool0'
    assert inertia['m'] == 1.3
    assert [inertia['com'][axis] for axis in 'xyz'] == [0.04, 0.05, -0.02]
    np.testing.assert_allclose([inertia[name] for name in MOMENTS], THETA[4:], rtol=1e-5)
    payload = estimate.payload
    np.testing.assert_allclose(payload.inertia, tensor(THETA[4:]))
    assert (payload.frame, payload.mass, payload.com) == ('tool0', 1.3, (0.04, 0.05, -0.02))


@pytest.mark.parametrize(
    ('deviations', 'determined'),
    [
        ({}, 'mass, centre and inertia'),
        ({'moment': 0.01}, 'mass and centre'),
        ({'moment': 0.01, 'center': 0.05}, 'mass'),
        ({'moment': 0.01, 'center': 0.05, 'mass': 0.2}, ''),
    ],
)
def test_what_is_told_is_decided_by_the_intervals(deviations, determined):
    estimate = estimate_of(**deviations)
    assert estimate.determined == determined
    assert bool(estimate.refusal) == ('centre' not in determined)
    assert bool(estimate.service_call()) == ('centre' in determined)
    assert estimate.mass == 1.3
    if determined:
        assert estimate.sentence().startswith('1.3 +- 0.002')
    if 'centre' in determined:
        moments = THETA[4:] if 'inertia' in determined else np.zeros(6)
        np.testing.assert_array_equal(estimate.inertia, moments)
        assert estimate.payload.mass == 1.3
    else:
        check_nothing_to_load(estimate)


def check_nothing_to_load(estimate):
    """No number that looks like a payload: neither a centre nor the inertia of a point mass."""
    assert np.isnan([*estimate.com, *estimate.inertia]).all()
    with pytest.raises(ParameterError):
        _ = estimate.payload


@pytest.mark.parametrize('refused', [{'blocks': 2}, {'error': 2.0}, {'counts': (0, 0)}])
def test_nothing_is_determined_where_the_mass_is_refused(refused):
    """However narrow the intervals are."""
    estimate = estimate_of(**refused)
    assert estimate.refusal
    assert estimate.determined == ''
    check_nothing_to_load(estimate)


def test_a_mass_without_its_centre_is_not_to_be_loaded():
    """The centre found is that of the prior: its weight would act there."""
    estimate = estimate_of(center=0.05)
    assert estimate.determined == 'mass'
    assert '1.3 +- 0.002 kg on tool0' in estimate.refusal
    assert '(40, 50, -20) +- (98, 98, 98) mm, +- 20 mm' in estimate.refusal
    assert estimate.sentence() == estimate.refusal
    assert estimate.as_json()['set_payload'] == ''
    assert estimate.as_json()['mass'] == 1.3


def test_refusals_name_values_and_advice():
    assert '+- 10 % is needed' in estimate_of(mass=0.2).refusal
    assert 'swing' in estimate_of(mass=0.2, counts=(90, 0)).refusal
    assert 'its description' in estimate_of(theta=-THETA).refusal
    assert re.search('no joint.*lift, swing', estimate_of(counts=(0, 0)).refusal)
    assert re.search('too short.* 2 s.* 4 s', estimate_of(blocks=2).refusal)
    # Behind poor motion there may be a payload: how heavy, is said in kg.
    poor = estimate_of(mass=90.0).refusal
    assert 'mass is 1.3 +- 180 kg' in poor
    assert 'move longer' in poor
    # 30 times as much, in a robot of 20 kg.
    heavy = estimate_of(theta=30.0 * THETA, mass=5.0, error=0.02).refusal
    assert '39 +- 9.8 kg' in heavy
    assert '20 kg' in heavy


def test_a_mass_above_that_of_the_robot_is_asked_about():
    """As by set_payload, which takes it; a lighter one is not."""
    asked = estimate_of(theta=30.0 * THETA, error=0.02)
    assert not asked.refusal
    assert 'itself has, 20 kg' in asked.sentence()
    assert 'the robot itself' not in estimate_of(theta=10.0 * THETA, error=0.02).sentence()


@pytest.mark.parametrize(
    ('lacking', 'words'),
    [
        (0.6, 'lack 60 +- 4'),
        (1.0, 'lack 100 +- 4'),
        (1.84, 'lack all of'),
        (-9.0, 'contain 10 times'),
        (0.3, ''),
    ],
)
def test_efforts_without_the_gravity_of_the_robot(lacking, words):
    refusal = estimate_of(lacking=lacking).refusal
    assert words in refusal
    assert bool(refusal) == bool(words)


def test_less_than_without_the_payload_is_said_of_recordings():
    """What the description has does not matter there."""
    refusal = estimate_of(theta=-THETA, compared=True).refusal
    assert 'without the payload' in refusal
    assert 'its description' not in refusal


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_what_the_error_of_the_model_may_be_is_no_payload(sign):
    """8 g of a robot of 10 kg, however certain; 12 g are told, and less than nothing is."""
    theta = sign * np.array([0.008, *[0.0] * 9])
    nothing = estimate_of(mass=1e-4, theta=theta, error=0.01).refusal
    assert 'no payload' in nothing
    assert '0.01 kg' in nothing
    more = estimate_of(mass=1e-4, theta=1.5 * theta, error=0.01)
    assert 'no payload' not in more.refusal
    assert ('its description' in more.refusal) == (sign < 0.0)


def test_the_json_holds_all_of_it():
    written = estimate_of().as_json()
    assert written['mass'] == 1.3
    assert written['refusal'] == ''
    assert list(written['inertia']) == list(MOMENTS)
    assert written['set_payload'] == estimate_of().service_call()


@pytest.mark.parametrize(
    ('freedom', 'quantile'), [(3, 3.1824), (5, 2.5706), (10, 2.2281), (100, 1.98397), (1e9, 1.96)]
)
def test_the_quantile_is_that_of_the_tables(freedom, quantile):
    """Abramowitz, Stegun, table 26.10."""
    assert student(freedom) == pytest.approx(quantile, rel=0.02)
