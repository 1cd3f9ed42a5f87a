"""Mimic joints: every combination of kinds, multipliers, offsets and chains, by Pinocchio."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES, needs_examples
from mechanics.float_dynamics import FloatDynamics

from robot_dynamics_ros.core import RobotDynamics, TopologyError, parse_urdf
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

pytestmark = pytest.mark.contract

pytest.importorskip('pinocchio')

INERTIAL = (
    '<inertial><origin xyz="0.03 0.01 0.05" rpy="0.3 -0.2 0.5"/><mass value="{}"/>'
    '<inertia ixx="0.003" iyy="0.004" izz="0.005" ixy="0.0002" ixz="0.0001" iyz="-0.0003"/>'
    '</inertial>'
)
LIMIT = '<limit lower="-1" upper="1" effort="9" velocity="2"/>'
KINDS = ('revolute', 'prismatic', 'continuous')


def gripper(kinds, mimics, parents=(0, 1, 2, 3)):
    """Joints j1, j2, ...; `mimics` gives the <mimic> of some of them."""
    parts = ['<link name="l0"/>']
    for number, (kind, parent) in enumerate(zip(kinds, parents, strict=False), start=1):
        parts.append(f'<link name="l{number}">{INERTIAL.format(number)}</link>')
        parts.append(
            f'<joint name="j{number}" type="{kind}"><parent link="l{parent}"/>'
            f'<child link="l{number}"/><origin xyz="0.1 0 0.2" rpy="0.4 0 {number}"/>'
            f'<axis xyz="0 0.6 0.8"/>{LIMIT}{mimics.get(number, "")}</joint>'
        )
    return f'<robot name="gripper">{"".join(parts)}</robot>'


def mimic(mimicked, multiplier, offset):
    return f'<mimic joint="j{mimicked}" multiplier="{multiplier}" offset="{offset}"/>'


def agrees(text):
    model = parse_urdf(text)
    report = PinocchioReference(text, model).compare(RobotDynamics(model))
    assert report.agrees, str(report)
    return model


@pytest.mark.parametrize(('mimicked', 'mimicking'), list(itertools.product(KINDS, KINDS)))
def test_of_every_kind(mimicked, mimicking):
    agrees(gripper(('revolute', mimicked, mimicking), {3: mimic(2, -0.7, 0.3)}))


@pytest.mark.parametrize(('multiplier', 'offset'), [(1, 0), (-2.5, 0.4), (0, 0.3), (1e-3, -1)])
def test_multiplier_and_offset(multiplier, offset):
    model = agrees(gripper(('revolute', 'prismatic'), {2: mimic(1, multiplier, offset)}))
    assert model.joints[1].coordinate.multiplier == multiplier
    assert model.joints[1].coordinate.offset == offset


def test_chain():
    """x2 = 2 x1 + 0.1, x3 = -0.5 x2 + 0.2, x4 = 3 x3: laws are applied from the inside out."""
    laws = {2: mimic(1, 2.0, 0.1), 3: mimic(2, -0.5, 0.2), 4: mimic(3, 3.0, 0.0)}
    model = agrees(gripper(('revolute', 'prismatic', 'revolute', 'revolute'), laws))
    assert model.size == 1
    last = model.joints[3].coordinate
    assert (last.multiplier, last.offset) == (pytest.approx(-3.0), pytest.approx(0.45))


@pytest.mark.parametrize('parents', [(0, 1, 2, 3), (0, 1, 1, 1), (0, 0, 0, 0), (0, 1, 2, 1)])
def test_a_mimicked_joint_may_come_later(parents):
    kinds = ('prismatic', 'revolute', 'revolute', 'continuous')
    laws = {1: mimic(4, 0.2, 0.0), 2: mimic(3, -1.0, 0.5)}
    assert agrees(gripper(kinds, laws, parents)).joint_names == ('j3', 'j4')


def test_without_attributes_it_copies():
    model = agrees(gripper(('revolute', 'revolute'), {2: '<mimic joint="j1"/>'}))
    assert model.joints[1].coordinate == model.joints[0].coordinate
    assert model.joints[1].mimicked == 'j1'


def test_loop_is_refused():
    laws = {1: mimic(2, 1, 0), 2: mimic(1, 1, 0)}
    with pytest.raises(TopologyError, match="'j1' mimics itself"):
        parse_urdf(gripper(('revolute', 'revolute'), laws))


@needs_examples
@pytest.mark.parametrize('name', ['panda', 'baxter', 'pr2', 'tiago_pro', 'talos_left_arm'])
def test_as_pinocchio_supports_mimic_joints_itself(name):
    """Not by G^T M G of the free tree, as the oracle does, but by Pinocchio's own mimic joints."""
    import pinocchio

    robot = next(r for r in MOVING_EXAMPLES if r.name.endswith(f'/{name}.urdf'))
    theirs = pinocchio.buildModelFromXML(robot.text, mimic=True)
    assert theirs.nv == robot.model.size
    data = theirs.createData()
    order = [theirs.joints[theirs.getJointId(joint)].idx_v for joint in robot.model.joint_names]
    ours = FloatDynamics(robot.model)
    for state in robot.states(2):
        x, v, a = np.zeros((3, theirs.nv))
        x[order], v[order], a[order] = state.q, state.v, state.a
        q = pinocchio.integrate(theirs, pinocchio.neutral(theirs), x)
        tau = pinocchio.rnea(theirs, data, q, v, a)[order]
        assert_close(ours.inverse_dynamics(state.q, state.v, state.a), tau)
        upper = np.triu(pinocchio.crba(theirs, data, q))
        M = (upper + np.triu(upper, 1).T)[np.ix_(order, order)]
        assert_close(ours.mass_matrix(state.q), M)
