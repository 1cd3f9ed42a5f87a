"""Joints that were not recorded: no finding depends on where they may have been."""

from dataclasses import replace

import pytest

pytest.importorskip('mujoco')

from simulated_recordings import JOINTS, simulated, urdf

from robot_dynamics_ros.comparison.recorded_joints import joints_that_matter
from robot_dynamics_ros.core import parse_urdf


def part(recorded, *joints):
    """The recording of these joints alone."""
    columns = [JOINTS.index(joint) for joint in joints]
    names = ('positions', 'velocities', 'efforts', 'gravity')
    arrays = {name: getattr(recorded, name)[:, columns] for name in names}
    return replace(recorded, joints=joints, **arrays)


@pytest.mark.parametrize('joints', [('base', 'shoulder'), ('shoulder',)])
def test_joints_that_the_recorded_ones_carry_are_missing(compared, joints):
    comparison = compared(part(simulated(), *joints))
    others = [name for name in JOINTS if name not in joints]
    (found,) = [one for one in comparison.findings if one.code == 'missing']
    assert [*comparison.locked] == others
    assert {*others} <= {*found.joints}


def test_a_light_body_that_the_recorded_joints_carry_is_not_missing():
    model = parse_urdf(urdf())
    bodies = model.inertial_parameters()
    bodies[-10:] *= 0.1
    assert joints_that_matter(model, JOINTS[:5]) == JOINTS[5:]
    assert joints_that_matter(model.with_inertial_parameters(bodies), JOINTS[:5]) == ()


def test_no_finding_depends_on_the_pose_of_missing_joints(codes):
    recorded = simulated(tool=True)
    for efforts in (recorded.efforts, recorded.efforts - recorded.gravity):
        found = codes(part(replace(recorded, efforts=efforts), 'base', 'shoulder', 'bend'))
        assert 'missing' in found
        assert not {*found} & {'gravity_compensated', 'payload', 'scale'}
    # A payload behind a joint that was not recorded cannot be looked for.
    assert codes(part(recorded, *JOINTS[:5])) == ['missing']


@pytest.mark.parametrize(('factor', 'code'), [(-1.0, 'sign'), (0.5, 'scale'), (1.0, 'payload')])
def test_what_does_not_depend_on_missing_joints_is_judged(compared, factor, code):
    recorded = simulated(tool=code == 'payload')
    recorded = recorded.with_efforts(lambda effort: factor * effort, 'elbow')
    found = {one.code: one.joints for one in compared(part(recorded, *JOINTS[1:])).findings}
    assert found.keys() == {'missing', code}
    assert found['missing'] == ('base',)
    assert code == 'payload' or found[code] == ('elbow',)


@pytest.mark.parametrize(('factor', 'friction'), [(1.0, False), (-1.0, True), (0.5, True)])
def test_what_depends_on_missing_joints_is_not_judged(compared, factor, friction):
    """The elbow at zero instead of 0.9 rad: every finding about the shoulder would be chance."""
    recorded = simulated().with_efforts(lambda effort: factor * effort, 'shoulder')
    comparison = compared(part(recorded, 'base', 'shoulder'), friction=friction)
    assert [one.code for one in comparison.findings] == ['missing']
    for joint in comparison.joints.values():
        assert (joint.result, joint.friction) == ('missing', None)
