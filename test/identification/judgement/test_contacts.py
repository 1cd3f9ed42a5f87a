"""Contacts: planted pushes are found with their times and joints, and noise is none."""

import numpy as np
import pytest
from torques_of_arrays import RATE, torques

from robot_dynamics_ros.identification.judgement.contacts import contact_findings, contacts
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence

NAMES = ('one', 'two', 'three')


def evidence(push):
    """Of 60 s with noise, and a push (N, 3) by the time."""
    times = np.arange(0.0, 60.0, 1.0 / RATE)
    noise = np.random.default_rng(1).normal(0.0, 0.1, (len(times), 3))
    one = Evidence.of_nothing('bag', 3)
    one.add_fitted(torques(times, noise + push(times)))
    return one


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
    assert '20.0 s to 21.' in finding.message


@pytest.mark.parametrize(
    'push',
    [pushed((0.0, 0.0)), pushed((20.0, 20.05)), pushed((5.0, 55.0))],
    ids=['nothing', 'one spike', 'a model that is wrong'],
)
def test_what_is_no_contact(push):
    assert not contacts(evidence(push), 3)
