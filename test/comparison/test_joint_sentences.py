"""What is said of one joint follows from its findings and contradicts none of them."""

import pytest

from robot_dynamics_ros.comparison import Finding, JointComparison
from robot_dynamics_ros.comparison.joint_sentences import joint_sentence


def figures(residual, after_fit):
    shares = {}
    return JointComparison('N m', 10.0, residual, 0.0, 0.9, 0.0, shares, rms_after_fit=after_fit)


def sentence(*codes, residual=4.0, after_fit=2.7, value=None):
    findings = [Finding(code, ('elbow',), value, '') for code in codes]
    return joint_sentence('elbow', figures(residual, after_fit), findings)


@pytest.mark.parametrize(('mass', 'word'), [(1.3, 'more'), (-0.6, 'less')])
def test_a_load_that_is_another(mass, word):
    said = sentence('payload', value=mass)
    assert said.startswith(f'The arm carries {word} than the URDF says: residual 4 of 10 N m')


def test_friction_and_a_rest_do_not_contradict_each_other():
    assert sentence('friction', 'unexplained').startswith('Friction is missing; 27')


def test_a_constant_that_is_left_is_not_called_friction():
    """A spring, the weight of a vertical slide, the zero of a sensor."""
    shares = {}
    offset = JointComparison('N', 1.3, 191.0, -189.0, 0.7, 0.0, shares, rms_after_fit=0.8)
    friction = Finding('friction', ('slide',), 0.8, '')
    said = joint_sentence('slide', offset, [friction])
    assert said.startswith('Friction is missing, an offset')
    explained = Finding('gravity_compensated', ('slide',), None, '')
    assert 'offset' not in joint_sentence('slide', offset, [friction, explained])


def test_nothing_is_found():
    assert sentence(residual=0.5).startswith('As the model says: ')
    assert sentence(residual=9.9).startswith('Not as')
    assert joint_sentence('base', figures(9.0, 1.0), []).startswith('Not as')
    payload = [Finding('payload', ('elbow',), 1.3, '')]
    said = joint_sentence('base', figures(9.0, 1.0), payload)
    assert said.startswith('As the model')
    assert joint_sentence('base', figures(9.0, 4.0), payload).startswith('Not as')


@pytest.mark.parametrize('described', [0.3, 5.0])
def test_friction_that_is_described_is_not_called_missing(described):
    """Too small or too large, both values are said."""
    shares = {}
    elbow = JointComparison('N m', 10.0, 4.0, 0.0, 0.9, 0.0, shares, friction_described=described)
    said = joint_sentence('elbow', elbow, [Finding('friction', ('elbow',), 1.2, '')])
    assert said.startswith('Friction is not')
    assert 'missing' not in said


def test_an_effort_far_below_the_weight_is_a_matter_of_unit_and_scale():
    """1.3 N do not hold 190 N: neither friction nor an offset says that."""
    shares = {}
    slide = JointComparison('N', 1.3, 191.0, -189.0, 0.7, 0.0, shares, rms_gravity=190.0)
    friction = Finding('friction', ('slide',), 0.8, '')
    said = joint_sentence('slide', slide, [friction])
    assert 'model, 190 N RMS: check' in said
    assert 'offset' not in said
    told = Finding('gravity_compensated', ('slide',), None, '')
    assert 'far below' not in joint_sentence('slide', slide, [told])
