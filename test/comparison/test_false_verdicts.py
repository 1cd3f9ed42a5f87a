"""Recordings that no verdict fits get none that gives an instruction."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, TOOL_MASS, simulated

from robot_dynamics_ros.comparison import Finding, FrictionFit, JointComparison
from robot_dynamics_ros.comparison.unexplained import (
    joined_unexplained,
    unexplained_alone,
    with_unexplained,
)

INSTRUCTIONS = {'gravity_compensated', 'sign', 'delay', 'factor', 'payload', 'friction'}
SIGNALS = ('positions', 'velocities', 'efforts')


def codes(comparison):
    return {finding.code for finding in comparison.findings}


def reordered(recorded, order):
    return replace(recorded, **{one: getattr(recorded, one)[:, order] for one in SIGNALS})


@pytest.mark.parametrize('friction', [True, False])
@pytest.mark.parametrize('order', [[1, 2, 3, 4, 5, 0], [5, 4, 3, 2, 1, 0], [1, 2, 0, 3, 4, 5]])
def test_names_that_are_shifted_or_reversed(compared, order, friction):
    """Under the name of joint k the state of joint order[k] is recorded."""
    comparison = compared(reordered(simulated(), order), friction=friction)
    found = [one for one in comparison.findings if one.code == 'exchanged']
    assert codes(comparison) == {'exchanged'} | (set() if friction else {'friction'})
    for column, joint in enumerate(order):
        if column != joint:
            pair = f'that of {JOINTS[joint]} under {JOINTS[column]}'
            assert any(pair in one.message for one in found)


def test_an_order_that_is_not_tried_is_unexplained(compared):
    """Positions in one order, efforts in another, which drifts: no exchange fits."""
    recorded = reordered(simulated(), [1, 2, 3, 4, 5, 0])
    comparison = compared(replace(recorded, efforts=recorded.efforts[::-1, [3, 2, 5, 0, 1, 4]]))
    assert not codes(comparison) & INSTRUCTIONS
    found = [one.message for one in comparison.findings if one.code == 'unexplained']
    assert any('order of the joints' in message for message in found)
    assert 'gravity' not in found[0].partition('Check the names')[2]


def test_what_nothing_explains_may_lack_gravity(compared):
    """The driver compensates gravity, and most of the rest are vibrations."""
    recorded = simulated()
    rates = 2.0 * np.pi * np.array([2.1, 2.9, 3.3, 2.3, 3.7, 2.7])
    vibrations = np.sin(np.outer(recorded.times, rates)) * [20.0, 8.0, 5.0, 3.0, 3.0, 2.0]
    comparison = compared(
        replace(recorded, efforts=recorded.efforts - recorded.gravity + vibrations)
    )
    assert codes(comparison) == {'unexplained'}
    (found,) = comparison.findings
    assert 'order of the joints' in found.message
    assert 'driver may compensate' in found.message
    with_gravity = compared(replace(recorded, efforts=recorded.efforts + 3.0 * vibrations))
    assert codes(with_gravity) == {'unexplained'}
    assert 'may compensate' not in with_gravity.findings[0].message


def test_one_recording_has_one_finding_about_what_is_unexplained():
    first = Finding('unexplained', ('elbow',), 0.6, 'The model does not explain elbow.')
    other = Finding('friction', ('base',), 2.0, 'Friction of base.')
    last = Finding('unexplained', ('base', 'bend'), 0.7, 'The effort is not explained.')
    assert joined_unexplained([other, last], JOINTS) == [other, last]
    joined = joined_unexplained([first, other, last], JOINTS)
    assert [finding.code for finding in joined] == ['unexplained', 'friction']
    assert joined[0].joints == ('base', 'elbow', 'bend')
    assert joined[0].value == 0.7
    assert joined[0].message == f'{first.message} {last.message}'


def drifting_load(recorded):
    """The arm with a load that the description lacks from the first quarter on."""
    loaded = simulated(tool=True).efforts
    later = recorded.times > np.quantile(recorded.times, 0.25)
    return replace(recorded, efforts=np.where(later[:, None], loaded, recorded.efforts))


def test_no_payload_where_parts_of_the_recording_disagree(compared):
    assert 'payload' not in codes(compared(drifting_load(simulated())))


def test_the_deviation_of_a_payload_counts_errors_that_last(compared):
    """A slow error of an effort moves the mass more than white noise of the same size."""
    recorded = simulated(tool=True)
    wave = 1.5 * np.sin(2.0 * np.pi * 0.11 * recorded.times)
    comparison = compared(recorded.with_efforts(lambda effort: effort + wave, 'shoulder'))
    (found,) = [one for one in comparison.findings if one.code == 'payload']
    deviation = float(found.message.partition('standard deviation ')[2].partition(' kg')[0])
    assert abs(found.value - TOOL_MASS) < 3.0 * deviation
    assert 'without errors' in found.message


def test_what_a_payload_explains_is_not_unexplained():
    """Light wrists that only the load loads: 1.8 N m of which the model has 0.1."""

    def wrist(offset, left):
        shares, fit = {}, FrictionFit(0.0, 0.0, offset)
        return JointComparison('N m', 1.8, 1.7, -1.6, 0.3, 0.0, shares, fit, rms_after_fit=left)

    joints = {'light': wrist(0.0, 0.02), 'biased': wrist(-1.6, 0.02), 'noisy': wrist(0.0, 1.7)}
    judge = SimpleNamespace(judged=np.array([True, True, True]))
    (without,) = unexplained_alone(judge, joints, [])
    assert without.joints == tuple(joints)
    payload, friction = Finding('payload', ('elbow',), 1.3, ''), Finding('friction', (), 0.1, '')
    alone = list(unexplained_alone(judge, joints, [payload]))
    assert [one.joints for one in alone] == [('biased', 'noisy')]
    assert with_unexplained([payload, friction], alone, joints) == [payload, *alone, friction]
    assert with_unexplained([friction], alone, joints) == [*alone, friction]
