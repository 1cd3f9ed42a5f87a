"""Pinocchio agrees on every quantity: on real robots, on odd ones and on random trees.

The algorithms are evaluated on floats, where nothing has to be compiled; that the back ends
compute the same is tested by `core/compiler/test_backends.py`.
"""

import numpy as np
import pytest
from mechanics.batches import MAIN_QUANTITIES, axes_of, call, inputs_of
from mechanics.closeness import assert_close
from mechanics.examples import EXAMPLES, MOVING_EXAMPLES, needs_examples
from mechanics.float_dynamics import FloatDynamics
from mechanics.odd_robots import ODD
from mechanics.random_trees import COUNT, random_robot
from mechanics.robots import HAND_WRITTEN
from property_settings import ALL

from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import QUANTITIES

pinocchio = pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from mechanics.pinocchio_kinetics import PinocchioKinetics

from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

pytestmark = pytest.mark.contract

TREES = [random_robot(number) for number in range(0, COUNT, 1 if ALL else 8)]


ROBOTS = HAND_WRITTEN + MOVING_EXAMPLES + ODD + TREES
# Solutions of M x = b: M x is compared, as rounding changes x by what the condition of M says
# (Higham, "Accuracy and stability of numerical algorithms", 2002, section 7.1).
SOLVED = ('forward_dynamics', 'mass_matrix_inverse', 'forward_dynamics_derivatives')
OTHERS = [name for name in QUANTITIES if name not in (*MAIN_QUANTITIES, *SOLVED)]
# Where nothing has mass there is no centre; Pinocchio divides by the mass for the momentum too.
CENTRAL = {'momentum', 'center_of_mass', 'center_of_mass_jacobian'}
# Condition number of M beyond which it is singular; that of iCub's hands is 6e7.
SINGULAR = 1e12


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_pinocchio_agrees_on_the_torques(robot):
    """Relative to the largest entry; the worst is 2e-12, of Coriolis terms that nearly balance."""
    states = random_states(robot.model, 5, seed=3)
    oracle = PinocchioReference(robot.text, robot.model)
    report = oracle.compare(FloatDynamics(robot.model), states, tolerance=1e-11)
    assert report.agrees, report


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_pinocchio_agrees_on_the_rest(robot):
    ours, theirs = FloatDynamics(robot.model), PinocchioKinetics(robot.text, robot.model)
    massless = not any(joint.inertia.mass for joint in robot.model.joints)
    for quantity in OTHERS if not massless else set(OTHERS) - CENTRAL:
        for inputs in zip(*inputs_of(robot.model, quantity, 2), strict=True):
            for axes in axes_of(quantity):
                expected = call(theirs, quantity, *inputs, axes=axes)
                scale = 10.0 * np.abs(expected).max() + 1.0
                assert_close(call(ours, quantity, *inputs, axes=axes), expected, scale)


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_pinocchio_agrees_on_forward_dynamics(robot):
    ours, theirs = FloatDynamics(robot.model), PinocchioKinetics(robot.text, robot.model)
    for quantity in SOLVED:
        for inputs in zip(*inputs_of(robot.model, quantity, 2), strict=True):
            M = theirs.mass_matrix(inputs[0])
            if M.any() and np.linalg.cond(M) < SINGULAR:
                expected = call(theirs, quantity, *inputs)
                scale = 100.0 * (np.abs(M).sum(axis=1).max() * np.abs(expected).max() + 1.0)
                assert_close(M @ call(ours, quantity, *inputs), M @ expected, scale)


@needs_examples
@pytest.mark.parametrize('name', ['panda', 'baxter', 'pr2', 'tiago_pro', 'talos_left_arm'])
def test_as_pinocchio_supports_mimic_joints_itself(name):
    """Not by G^T M G of the free tree, as the oracle does, but by Pinocchio's own mimic joints."""
    robot = next(r for r in EXAMPLES if r.path.stem == name)
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
