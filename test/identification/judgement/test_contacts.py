"""Contacts: planted pushes are found with their times and joints, and noise is none."""

from dataclasses import replace

import numpy as np
import pytest
from torques_of_arrays import RATE, torques

from robot_dynamics_ros.identification.judgement.contacts import contact_findings, contacts
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence

NAMES = ('one', 'two', 'three')


def evidence(push, velocities=None, friction=0.0, rests=False):
    """Of 60 s with noise, and a push (N, 3) by the time.

    Args:
        push: from times (N,) to torques (N, 3) [N m].
        velocities: the same to velocities [rad/s]; None: 1.
        friction: that the model lacks, within 0.1 s of a reversal [N m].
        rests: (N, 3) where joints rest.
    """
    times = np.arange(0.0, 60.0, 1.0 / RATE)
    noise = np.random.default_rng(1).normal(0.0, 0.1, (len(times), 3))
    v = np.ones_like(noise) if velocities is None else velocities(times)
    missed = friction * (np.abs(v) < 0.1 * np.abs(np.gradient(v, 1.0 / RATE, axis=0)))
    one = Evidence.of_nothing('bag', 3)
    whole = torques(times, noise + missed + push(times), rests=rests)
    one.add_fitted(replace(whole, velocities=v))
    return one


def turning(times):
    """Of joints that turn each 0.5 s: no window of 0.2 s is far from a reversal."""
    return np.repeat(np.sin(2.0 * np.pi * times)[:, None], 3, axis=1)


def pushed(*periods, joints=(1, 2), size=3.0):
    def push(times):
        during = np.any([(times > a) & (times < b) for a, b in periods], axis=0)
        return size * during[:, None] * np.isin(np.arange(3), joints)

    return push


def test_a_push_is_found_with_its_time_and_joints():
    found = contacts(evidence(pushed((20.0, 21.5), (40.0, 41.0))), 3)
    assert [each.joints for each in found] == [(1, 2), (1, 2)]
    for each, (begin, end) in zip(found, [(20.0, 21.5), (40.0, 41.0)], strict=True):
        assert each.begin == pytest.approx(begin, abs=0.21)
        assert each.end == pytest.approx(end, abs=0.21)


def test_the_finding_names_joints_and_times():
    (finding,) = contact_findings(NAMES, [evidence(pushed((20.0, 21.5)))])
    assert (finding.code, finding.joints) == ('contact', ('two', 'three'))
    assert finding.value == pytest.approx(1.5, abs=0.41)
    assert 'bag: ' in finding.message
    assert ', '.join(finding.joints) in finding.message
    assert '20.0 s to 21.' in finding.message


@pytest.mark.parametrize(
    'push',
    [pushed((0.0, 0.0)), pushed((20.0, 20.05)), pushed((5.0, 55.0))],
    ids=['nothing', 'one spike', 'a model that is wrong'],
)
def test_what_is_no_contact(push):
    assert not contacts(evidence(push), 3)


@pytest.mark.parametrize('pushes', [[], [(20.0, 21.5)]], ids=['none', 'one'])
def test_pushes_while_joints_turn_all_the_time(pushes):
    """Near reversals friction is far off too: windows there are compared with one another."""
    push = pushed(*pushes, size=30.0) if pushes else pushed((0.0, 0.0))
    found = contacts(evidence(push, turning, friction=1.0), 3)
    assert len(found) == len(pushes)
    for each, (begin, end) in zip(found, pushes, strict=True):
        assert (each.begin, each.end) == pytest.approx((begin, end), abs=0.41)


def test_rest_is_not_what_is_usual():
    """Four fifths of the recording are rest, of which nothing is known."""
    rests = np.arange(0.0, 60.0, 1.0 / RATE)[:, None] * np.ones(3) < 48.0
    (found,) = contacts(evidence(pushed((52.0, 53.0)), rests=rests), 3)
    assert found.begin == pytest.approx(52.0, abs=0.21)
    assert not contacts(evidence(pushed((0.0, 0.0)), rests=rests), 3)
