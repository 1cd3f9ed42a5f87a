"""Joints that were not recorded: no finding depends on where they may have been."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, TOOL_MASS, simulated, urdf

from robot_dynamics_ros.comparison.recorded_joints import joints_that_matter
from robot_dynamics_ros.core import parse_urdf


def only(recorded, joints):
    """The recording of these joints alone."""
    columns = [JOINTS.index(joint) for joint in joints]
    names = ('positions', 'velocities', 'efforts', 'gravity')
    part = {name: getattr(recorded, name)[:, columns] for name in names}
    return replace(recorded, joints=tuple(joints), **part)


def codes(comparison):
    return {finding.code for finding in comparison.findings}


def missing(comparison):
    (found,) = [one for one in comparison.findings if one.code == 'missing']
    return set(found.joints)


@pytest.mark.parametrize('joints', [('base', 'shoulder'), ('shoulder',)])
def test_joints_that_the_recorded_ones_carry_are_missing(compared, joints):
    comparison = compared(only(simulated(), joints))
    assert comparison.locked == tuple(name for name in JOINTS if name not in joints)
    # What the flange turns is the last 4 % of the mass.
    assert set(comparison.locked) <= missing(comparison)
    assert comparison.as_json()['locked'] == list(comparison.locked)


def test_a_light_body_that_the_recorded_joints_carry_is_not_missing():
    model = parse_urdf(urdf())
    bodies = model.inertial_parameters()
    bodies[-10:] *= 0.1
    light = model.with_inertial_parameters(bodies)
    assert joints_that_matter(model, JOINTS[:5]) == JOINTS[5:]
    assert joints_that_matter(light, JOINTS[:5]) == ()


def test_no_finding_depends_on_the_pose_of_missing_joints(compared):
    recorded = simulated(tool=True)
    for efforts in (recorded.efforts, recorded.efforts - recorded.gravity):
        found = codes(
            compared(only(replace(recorded, efforts=efforts), ('base', 'shoulder', 'bend')))
        )
        assert 'missing' in found
        assert not found & {'gravity_compensated', 'payload', 'scale'}


@pytest.mark.parametrize(('factor', 'code'), [(-1.0, 'sign'), (0.5, 'scale'), (1.0, 'payload')])
def test_what_does_not_depend_on_missing_joints_is_judged(compared, factor, code):
    recorded = simulated(tool=code == 'payload')
    recorded = recorded.with_efforts(lambda effort: factor * effort, 'elbow')
    comparison = compared(only(recorded, JOINTS[1:]))
    assert codes(comparison) == {'missing', code}
    assert missing(comparison) == {'base'}
    (found,) = (one for one in comparison.findings if one.code == code)
    if code == 'payload':
        assert found.value == pytest.approx(TOOL_MASS, rel=0.1)
    else:
        assert found.joints == ('elbow',)


def test_a_factor_that_a_payload_could_explain_is_not_judged(compared):
    """A payload behind a joint that was not recorded cannot be looked for."""
    assert codes(compared(only(simulated(tool=True), JOINTS[:5]))) == {'missing'}


@pytest.mark.parametrize(('factor', 'friction'), [(1.0, False), (-1.0, True), (0.5, True)])
def test_what_depends_on_missing_joints_is_not_judged(compared, factor, friction):
    """The elbow at zero instead of 0.9 rad: every finding about the shoulder would be chance."""
    recorded = simulated().with_efforts(lambda effort: factor * effort, 'shoulder')
    comparison = compared(only(recorded, ('base', 'shoulder')), friction=friction)
    assert codes(comparison) == {'missing'}
    assert {'base', 'shoulder'} < missing(comparison)
    for joint in comparison.joints.values():
        assert (joint.result, joint.friction) == ('missing', None)


def test_an_effort_that_the_model_does_not_explain_is_never_good(compared):
    """Small beside the limit of the joint, and no friction: nothing else shows it."""
    recorded = simulated()
    wave = 2.0 * np.sin(2.0 * np.pi * 1.7 * recorded.times)
    comparison = compared(recorded.with_efforts(lambda effort: wave, 'base'))
    assert any('base' in one.joints for one in comparison.findings)
    assert comparison.joints['base'].result != 'as the model'
