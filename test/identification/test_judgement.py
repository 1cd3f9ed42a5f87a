"""The judgement: its figures are those of the samples, and a worse model is called worse."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('scipy')

from simulated_recordings import JOINTS, urdf
from torques_of_arrays import CUTOFF, RATE, filtered_noise, torques

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.judgement import JointJudgement, judge
from robot_dynamics_ros.identification.recorded_data import JudgedRecording, Survey

COUNT = 1200
# The second half is held out.
HELD = np.arange(COUNT) >= 600


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
    span, efforts = (np.stack([np.full(6, -one), np.full(6, one)]) for one in (0.7, 20.0))
    few, runs = np.ones((2, 2, 6))
    return Survey(COUNT, 0.005, span, efforts, few, runs, np.ones(6))


def judged(
    model, drawn, nominal, identified, *, pushed=(0.0, 0.0), rests=False, seen=None, **options
):
    """The judgement of errors of both models (times a cosine), a push and rest of the robot.

    Args:
        model: of the joints.
        drawn: torques and noise.
        nominal: amplitude of the error of the URDF [N m].
        identified: of that of the identified model [N m].
        pushed: torque that the fitted and the held-out part have beside [N m].
        rests: (N, 6) where joints rest.
        seen: survey of the raw samples.
        options: of `judge`.
    """
    times, measured, noise = drawn
    wave = np.cos(times)[:, None]
    push = np.where(HELD, pushed[1], pushed[0])[:, None] * np.sign(np.cos(2.0 * times))[:, None]
    one = torques(
        times, measured + push, nominal=measured - noise - nominal * wave,
        identified=measured - noise - identified * wave, rests=rests, held_out=HELD,
    )  # fmt: skip
    recordings = [JudgedRecording('bag', split=30.0, cutoff=CUTOFF)]
    data = SimpleNamespace(
        model=model, survey=seen or survey(), terms=(), still=(), empty_names=list,
        judged_recordings=lambda torques: recordings,
    )  # fmt: skip
    return judge(data, [one], **options)


def codes(judgement):
    return [one.code for one in judgement.findings]


def test_figures_are_those_of_the_held_out_samples(model, drawn):
    judgement = judged(model, drawn, 2.0, 0.0)
    _, measured, noise = drawn
    for column, name in enumerate(JOINTS):
        joint = judgement.joints[name]
        assert joint.rms_measured == pytest.approx(np.sqrt(np.mean(measured[HELD, column] ** 2)))
        assert joint.rms_identified == pytest.approx(np.sqrt(np.mean(noise[HELD, column] ** 2)))
        assert joint.rms_low < joint.rms_identified < joint.rms_high
        assert joint.gain_low < joint.gain < joint.gain_high < 1.0
        assert joint.standing == 'better'
    assert (judgement.worse, judgement.unjudged, codes(judgement)) == ((), (), [])
    np.testing.assert_allclose(judgement.samples[0].measured, measured[HELD])
    written = json.loads(json.dumps(judgement.as_json()))
    assert list(written['held_out']) == list(JOINTS)
    assert written['verdict'] == list(judgement.verdict)


@pytest.mark.parametrize(
    ('gain', 'low', 'high', 'standing'),
    [
        (0.09, 0.07, 0.12, 'better'), (0.99, 0.97, 1.01, 'same'), (0.99, 0.98, 0.995, 'same'),
        (0.6, 0.3, 1.2, 'same'), (1.5, 0.9, 2.2, 'same'), (1.5, 1.2, 1.9, 'worse'),
        (1.04, 1.02, 1.06, 'same'), (1.5, np.nan, np.nan, 'worse'),
        (0.5, np.nan, np.nan, 'better'),
        (np.nan, np.nan, np.nan, 'unjudged'),
    ],
)  # fmt: skip
def test_a_difference_inside_the_interval_is_none(gain, low, high, standing):
    joint = JointJudgement('N m', True, 5.0, 1.0, gain, True, 0.0)
    assert replace(joint, gain_low=low, gain_high=high).standing == standing


def test_a_joint_that_rests_on_the_held_out_part_is_not_judged(model, drawn):
    """Ten fitted samples of it change its parameters: they are to be judged, unless it stands."""
    rests = (np.arange(COUNT)[:, None] >= 10) & (np.arange(6) == 2)
    judgement = judged(model, drawn, 2.0, 0.0, rests=rests)
    (finding,) = judgement.findings
    assert (finding.code, finding.joints) == ('still', (JOINTS[2],))
    joint = judgement.joints[JOINTS[2]]
    assert (joint.samples, joint.is_noise, joint.standing) == (0, None, 'unjudged')
    assert judgement.unjudged == (JOINTS[2],)
    seen = survey()
    seen.span[:, 2] = 0.3
    judgement = judged(model, drawn, 2.0, 0.0, rests=rests, seen=seen)
    assert (codes(judgement), judgement.unjudged) == (['still'], ())


def test_a_worse_model_is_called_worse(model, drawn):
    assert judged(model, drawn, 0.0, 1.0).worse == JOINTS


def test_what_happened_on_the_held_out_part_makes_no_other_robot(model, drawn):
    """A wrong robot is not explained where it was fitted."""
    assert 'unexplained' not in codes(judged(model, drawn, 2.0, 0.0, pushed=(0.0, 20.0)))
    fitted = judged(model, drawn, 2.0, 0.0, pushed=(20.0, 20.0))
    assert codes(fitted)[0] == 'unexplained'
    assert 'unexplained' in fitted.fatal


LOAD = 'can be loaded.'


@pytest.mark.parametrize(
    'code', ['delay', 'missing', 'payload', 'recordings_differ', 'excitation']
)
def test_a_warning_is_to_be_read_before_the_model_is_loaded(model, drawn, code):
    assert judged(model, drawn, 2.0, 0.0).verdict[-1].endswith(LOAD)
    last = judged(model, drawn, 2.0, 0.0, found=[Finding(code, (), 1.0, 'told')]).verdict[-1]
    assert code in last
    assert not last.endswith(LOAD)


@pytest.mark.parametrize('code', ['scale', 'swapped'])
def test_with_an_error_the_model_is_not_to_be_loaded(model, drawn, code):
    judgement = judged(model, drawn, 2.0, 0.0, found=[Finding(code, JOINTS, 0.01, 'no torque')])
    assert code in judgement.fatal
    assert code in judgement.verdict[-1]
    assert not judgement.verdict[-1].endswith(LOAD)
