"""The judgement: its figures are those of the samples, and a worse model is called worse."""

import json
import re

import numpy as np
import pytest
from simulated_recordings import JOINTS, urdf
from torques_of_arrays import CUTOFF, RATE, filtered_noise, torques

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.judgement import JudgedRecording
from robot_dynamics_ros.identification.judgement.conclude import judge
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence
from robot_dynamics_ros.identification.judgement.survey import Survey

COUNT = 1200
# All joints but the fourth.
OTHERS = np.arange(6) != 3


@pytest.fixture(scope='module')
def model():
    return parse_urdf(urdf())


@pytest.fixture(scope='module')
def drawn():
    """Measured torques (N, 6), and noise of the same shape."""
    random = np.random.default_rng(1)
    times = np.arange(COUNT) / RATE
    measured = 10.0 * np.sin(np.outer(times, np.linspace(0.3, 0.8, 6)))
    return times, measured, 0.1 * filtered_noise(random, COUNT, 6)


def survey():
    still = np.stack([np.full(6, -0.7), np.full(6, 0.7)])
    efforts = np.stack([np.full(6, -20.0), np.full(6, 20.0)])
    return Survey(30.0, COUNT, still, efforts, np.ones((2, 6)), np.ones((2, 6)), np.ones(6))


def judged(
    model,
    drawn,
    nominal_error,
    identified_error,
    *,
    pushed=(0.0, 0.0),
    rests=False,
    seen=None,
    **options,
):
    """The judgement of errors of both models (times a cosine), a push and rest of the robot.

    Args:
        model: of the joints.
        drawn: torques and noise.
        nominal_error: amplitude [N m].
        identified_error: amplitude [N m].
        pushed: torque that the fitted and the held-out part have beside [N m].
        rests: (N, 6) where joints rest.
        seen: survey of the raw samples.
        options: of `judge`.
    """
    times, measured, noise = drawn
    rests = np.broadcast_to(rests, measured.shape)
    push = np.where(np.arange(COUNT) < COUNT // 2, *pushed)[:, None]
    evidence = Evidence.of_nothing('bag', 6)
    identified = measured - noise - identified_error * np.cos(times)[:, None]
    nominal = measured - noise - nominal_error * np.cos(times)[:, None]
    measured = measured + push * np.sign(np.cos(2.0 * times))[:, None]
    fitted, held_out = slice(600), slice(600, None)
    evidence.add_fitted(
        torques(
            times[fitted],
            measured[fitted],
            nominal=nominal[fitted],
            identified=identified[fitted],
            rests=rests[fitted],
        )
    )
    evidence.add_held_out(
        torques(
            times[held_out],
            measured[held_out],
            nominal=nominal[held_out],
            identified=identified[held_out],
            rests=rests[held_out],
        ),
        CUTOFF,
    )
    recordings = [JudgedRecording('bag', split=30.0)]
    return judge(model, seen or survey(), [evidence], recordings, interval=0.005, **options)


def test_figures_are_those_of_the_held_out_samples(model, drawn):
    judgement = judged(model, drawn, 2.0, 0.0)
    _, measured, noise = drawn
    for column, name in enumerate(JOINTS):
        joint = judgement.joints[name]
        assert joint.rms_measured == pytest.approx(np.sqrt(np.mean(measured[600:, column] ** 2)))
        assert joint.rms_identified == pytest.approx(np.sqrt(np.mean(noise[600:, column] ** 2)))
        assert joint.gain == pytest.approx(joint.rms_identified / joint.rms_nominal)
    assert not judgement.worse
    assert judgement.verdict[-1].endswith('can be loaded.')
    np.testing.assert_allclose(judgement.samples.measured, measured[600:], rtol=1e-6)


def test_a_worse_model_is_called_worse(model, drawn):
    judgement = judged(model, drawn, 0.0, 1.0)
    assert judgement.worse == JOINTS
    assert any(sentence.startswith('It is worse') for sentence in judgement.verdict)
    assert not any('can be loaded' in sentence for sentence in judgement.verdict)
    assert all(joint.verdict.startswith('Worse') for joint in judgement.joints.values())


def test_what_is_left_is_told_from_noise(model, drawn):
    white = judged(model, drawn, 2.0, 0.0).joints.values()
    assert sum(joint.is_noise for joint in white) >= 5
    assert not any(joint.is_noise for joint in judged(model, drawn, 2.0, 0.5).joints.values())


def test_findings_of_the_comparison_about_data_stay_and_those_of_the_model_go(model, drawn):
    listed = [Finding(code, JOINTS, 1.0, code) for code in ('payload', 'friction', 'exchanged')]
    judgement = judged(model, drawn, 2.0, 0.0, compared=listed)
    assert [finding.code for finding in judgement.findings] == ['exchanged']
    assert any('exchanged' in sentence for sentence in judgement.verdict)
    assert not any('can be loaded' in sentence for sentence in judgement.verdict)


def test_the_json_has_every_joint_and_finding(model, drawn):
    judgement = judged(model, drawn, 2.0, 0.0)
    written = json.loads(json.dumps(judgement.as_json()))
    assert list(written['held_out']) == list(JOINTS)
    assert written['verdict'] == list(judgement.verdict)


def rest_of(count, joints=slice(None)):
    """Where joints rest: the last samples."""
    rests = np.zeros((COUNT, 6), bool)
    rests[COUNT - count :, joints] = True
    return rests


def test_rest_is_not_judged(model, drawn):
    """What holds a robot at rest is stiction, which no model knows: here 5 N m."""
    times, measured, noise = drawn
    stuck = measured.copy()
    stuck[900:] += 5.0
    judgement = judged(model, (times, stuck, noise), 2.0, 0.0, rests=rest_of(300))
    assert [one.code for one in judgement.findings] == []
    for column, name in enumerate(JOINTS):
        joint = judgement.joints[name]
        assert joint.samples == 300
        expected = np.sqrt(np.mean(noise[600:900, column] ** 2))
        assert joint.rms_identified == pytest.approx(expected)


def test_a_joint_that_rests_on_the_held_out_part_is_not_judged(model, drawn):
    judgement = judged(model, drawn, 2.0, 0.0, rests=rest_of(595, 2))
    (finding,) = judgement.findings
    assert (finding.code, finding.joints) == ('held_out_rest', (JOINTS[2],))
    joint = judgement.joints[JOINTS[2]]
    assert (joint.samples, joint.is_noise) == (5, None)
    assert np.isnan(joint.rms_identified)
    assert re.match('Not judged.* 20 samples', joint.verdict)
    assert judgement.unjudged == (JOINTS[2],)
    assert judgement.verdict[-1].startswith('It is better')


def test_a_joint_that_was_fitted_and_moved_shortly_does_not_stand_still(model, drawn):
    """Ten samples of one joint change its parameters: they are to be judged too."""
    rests = rest_of(COUNT - 10, 2)
    judgement = judged(model, drawn, 2.0, 0.0, rests=rests)
    assert [one.code for one in judgement.findings] == ['held_out_rest']
    assert judgement.unjudged == (JOINTS[2],)
    seen = survey()
    seen.span[:, 2] = 0.3
    judgement = judged(model, drawn, 2.0, 0.0, rests=rests, seen=seen)
    assert [one.code for one in judgement.findings] == ['still']
    assert judgement.unjudged == ()


def test_a_model_of_a_motion_too_short_to_be_judged_is_not_called_good(model, drawn):
    judgement = judged(model, drawn, 2.0, 0.0, rests=rest_of(COUNT - 10))
    assert judgement.unjudged == JOINTS
    assert judgement.verdict[-1].startswith('The model')


def test_what_happened_on_the_held_out_part_makes_no_other_robot(model, drawn):
    """A wrong robot is not explained where it was fitted."""
    held_out = judged(model, drawn, 2.0, 0.0, pushed=(0.0, 20.0))
    fitted = judged(model, drawn, 2.0, 0.0, pushed=(20.0, 20.0))
    said = [[one.code for one in judgement.findings] for judgement in (held_out, fitted)]
    assert 'wrong_robot' not in said[0]
    assert 'wrong_robot' in said[1]


def test_in_another_unit_nothing_else_is_said_of_the_robot(model, drawn):
    units = Finding('units', JOINTS, 57.3, 'degrees?')
    judgement = judged(model, drawn, 2.0, 0.0, pushed=(20.0, 20.0), compared=[units])
    assert [one.code for one in judgement.findings if one.code != 'contact'] == ['units']


@pytest.mark.parametrize('code', ['negative_term', 'assumed_noise', 'other_masses'])
def test_what_follows_from_a_turned_sign_is_not_said_beside_it(model, drawn, code):
    sign, other = Finding('sign', JOINTS, -1.0, 'sign'), Finding(code, (), 1.0, code)
    alone = judged(model, drawn, 2.0, 0.0, poor=[other])
    assert [one.code for one in alone.findings] == [code]
    both = judged(model, drawn, 2.0, 0.0, compared=[sign], poor=[other])
    assert [one.code for one in both.findings] == ['sign']


def test_a_model_that_cannot_be_trusted_is_not_to_be_loaded_and_nothing_else_is_said(model, drawn):
    found = [Finding('sign', JOINTS[:1], -1.0, 'sign'), Finding('exchanged', JOINTS, None, 'two')]
    said = judged(model, drawn, 2.0, 0.5, compared=found).verdict
    (forbidden,) = said[1:]
    assert 'not load' in forbidden
    assert 'exchanged and sign' in forbidden
    assert 'joints' in judged(model, drawn, 2.0, 0.5).verdict[1]


def test_what_the_data_hardly_tell_limits_what_the_model_is_good_for(model, drawn):
    poor = [Finding('ill_conditioned', (), 1e3, 'uncertain')]
    last = judged(model, drawn, 2.0, 0.0, poor=poor).verdict[-1]
    assert last.startswith('It can')
    assert 'ill_conditioned' in last


@pytest.mark.parametrize(
    'code', ['delay', 'missing', 'wrong_load', 'recordings_differ', 'assumed_noise']
)
def test_a_doubtful_model_is_not_called_good(model, drawn, code):
    finding = Finding(code, (), 1.0, 'told')
    options = {'compared': [finding]} if code in ('delay', 'missing') else {'poor': [finding]}
    judgement = judged(model, drawn, 2.0, 0.0, **options)
    assert judgement.verdict[-1].startswith('It is better')


def test_a_joint_that_stood_still_weakens_the_verdict(model, drawn):
    rests = np.zeros((COUNT, 6), bool)
    rests[:, 1] = True
    last = judged(model, drawn, 2.0, 0.0, rests=rests).verdict[-1]
    assert last.startswith('It is better')


def test_a_joint_whose_efforts_are_mostly_saturated_weakens_the_verdict(model, drawn):
    seen = survey()
    seen.at_limit[:, 2], seen.longest[:, 2] = 0.3 * COUNT, 100.0
    judgement = judged(model, drawn, 2.0, 0.0, seen=seen)
    assert judgement.joints['elbow'].saturated == pytest.approx(0.6)
    assert 'elbow are saturated' in judgement.verdict[-1]
    seen.at_limit[:, 2] = 0.1 * COUNT
    assert judged(model, drawn, 2.0, 0.0, seen=seen).verdict[-1].endswith('can be loaded.')


def test_a_model_that_is_hardly_better_is_not_called_good(model, drawn):
    last = judged(model, drawn, 0.3, 0.2).verdict[-1]
    assert 'more than half' in last


def test_a_joint_whose_effort_nothing_explains_weakens_the_verdict(model, drawn):
    """The others are much better than the description, and their mean is good."""
    times, measured, noise = drawn
    turned = measured.copy()
    turned[:, 3] *= -1.0
    evidence = Evidence.of_nothing('bag', 6)
    nominal = np.where(OTHERS, 0.1, 0.0) * np.ones((COUNT, 6))
    parts = [slice(600), slice(600, None)]
    pieces = [
        torques(times[p], turned[p], nominal=nominal[p], identified=(measured - noise)[p] * OTHERS)
        for p in parts
    ]
    evidence.add_fitted(pieces[0])
    evidence.add_held_out(pieces[1], CUTOFF)
    judgement = judge(
        model, survey(), [evidence], [JudgedRecording('bag', split=30.0)], interval=0.005
    )
    assert judgement.joints[JOINTS[3]].gain == pytest.approx(1.0, abs=1e-3)
    last = judgement.verdict[-1]
    assert f'100 % at {JOINTS[3]}' in last
    assert 'sign' in last


@pytest.mark.parametrize('code', ['beyond_limit', 'impossible_masses'])
def test_efforts_beyond_limits_and_impossible_masses_forbid_to_load_the_model(model, drawn, code):
    if code == 'beyond_limit':
        times, measured, noise = drawn
        judgement = judged(model, (times, 100.0 * measured, noise), 200.0, 0.5)
        assert judgement.findings[0].joints == JOINTS[3:]
    else:
        judgement = judged(model, drawn, 2.0, 0.5, poor=[Finding(code, (), 0.001, 'no body')])
    assert re.search(f'{code}.*not load', judgement.verdict[-1])
