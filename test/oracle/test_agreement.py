"""Pinocchio agrees on all that it computes: on real robots, hand-written ones, random trees.

What else there is are definitions of these, which `mechanics.kinetics_laws` states. The algorithms
are evaluated on floats, where nothing has to be compiled; that the back ends compute the same is
tested by `core/test_batches.py`.
"""

import numpy as np
import pytest
from mechanics.batches import axes_of, call, inputs_of
from mechanics.closeness import assert_close
from mechanics.examples import EXAMPLES, MOVING_EXAMPLES, needs_examples
from mechanics.float_dynamics import FloatDynamics
from mechanics.random_trees import COUNT, random_robot
from mechanics.robots import HAND_WRITTEN
from property_settings import ALL

from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import QUANTITIES

pinocchio = pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference, text_for_pinocchio

pytestmark = pytest.mark.contract

TREES = [random_robot(number) for number in range(0, COUNT, 1 if ALL else 16)]
ROBOTS = HAND_WRITTEN + MOVING_EXAMPLES + TREES
# Solutions of M x = b: M x is compared, as rounding changes x by what the condition of M says
# (Higham, "Accuracy and stability of numerical algorithms", 2002, section 7.1).
SOLVED = ('forward_dynamics', 'forward_dynamics_derivatives')
# Where nothing has mass there is no centre; Pinocchio divides by the mass for the momentum too.
CENTRAL = {'momentum', 'center_of_mass', 'center_of_mass_jacobian'}
# Condition number of M beyond which it is singular; that of iCub's hands is 6e7.
SINGULAR = 1e12


class PinocchioKinetics(PinocchioReference):
    """The other methods of `RobotDynamics`, with the same arguments."""

    def __init__(self, text, model):
        super().__init__(text, model)
        # With the base where the text has it.
        self._model = pinocchio.buildModelFromXML(text_for_pinocchio(text))
        self._data, self.model = self._model.createData(), model
        self._names = [frame.name for frame in model.frames]
        # Bodies, in our order, among Pinocchio's; its joint 0 is the base.
        self._bodies = [self._model.getJointId(joint.name) - 1 for joint in model.joints]

    def _pinocchio(self, function, q, *vectors):
        """A function at q and others that are spread to the joints of the free tree."""
        joints = [self._G @ vector for vector in vectors]
        return function(self._model, self._data, self._positions(q), *joints)

    def _gathered(self, *matrices):
        return np.array([self._G.T @ matrix @ self._G for matrix in matrices])

    def forward_dynamics(self, q, v, tau):
        return self._G.T @ self._pinocchio(pinocchio.aba, q, v, tau)

    def inverse_dynamics_derivatives(self, q, v, a):
        in_q, in_v, in_a = self._pinocchio(pinocchio.computeRNEADerivatives, q, v, a)
        return self._gathered(in_q, in_v, np.triu(in_a) + np.triu(in_a, 1).T)

    def forward_dynamics_derivatives(self, q, v, tau):
        in_q, in_v, inverse = self._pinocchio(pinocchio.computeABADerivatives, q, v, tau)
        return self._gathered(in_q, in_v, np.triu(inverse) + np.triu(inverse, 1).T)

    def center_of_mass(self, q):
        return self._pinocchio(pinocchio.centerOfMass, q).copy()

    def center_of_mass_jacobian(self, q):
        return self._pinocchio(pinocchio.jacobianCenterOfMass, q).reshape(3, -1) @ self._G

    def kinetic_energy(self, q, v):
        return self._pinocchio(pinocchio.computeKineticEnergy, q, v)

    def potential_energy(self, q):
        return self._pinocchio(pinocchio.computePotentialEnergy, q)

    def momentum(self, q, v):
        """About the base origin, from the one about the centre of mass."""
        self._pinocchio(pinocchio.computeCentroidalMomentum, q, v)
        linear, angular = self._data.hg.linear, self._data.hg.angular
        return np.concatenate([linear, angular + np.cross(self._data.com[0], linear)])

    def regressor(self, q, v, a):
        matrix = self._pinocchio(pinocchio.computeJointTorqueRegressor, q, v, a)
        # The matrices of one joint come as vectors.
        rows = self._G.T @ matrix.reshape(len(self._G), -1)
        return rows.reshape(len(rows), -1, 10)[:, self._bodies].reshape(len(rows), -1)

    def _frame(self, name, axes):
        index = self._model.getFrameId(name, pinocchio.FrameType.BODY)
        return int(index), getattr(pinocchio.ReferenceFrame, axes)

    def jacobian(self, q, frame, axes):
        J = pinocchio.computeFrameJacobian(
            self._model, self._data, self._positions(q), *self._frame(frame, axes)
        )
        return J.reshape(6, -1) @ self._G

    def jacobian_derivative(self, q, v, frame, axes):
        self._pinocchio(pinocchio.computeJointJacobiansTimeVariation, q, v)
        pinocchio.updateFramePlacements(self._model, self._data)
        J_dot = pinocchio.getFrameJacobianTimeVariation(
            self._model, self._data, *self._frame(frame, axes)
        )
        return J_dot.reshape(6, -1) @ self._G

    def frame_poses(self, q):
        self._pinocchio(pinocchio.framesForwardKinematics, q)
        poses = [self._data.oMf[self._frame(name, 'LOCAL')[0]] for name in self._names]
        return np.array([pose.homogeneous[:3] for pose in poses])

    def frame_pose(self, q, frame):
        pose = self.frame_poses(q)[self._names.index(frame)]
        return pose[:, :3], pose[:, 3]


OTHERS = [name for name in vars(PinocchioKinetics) if name in QUANTITIES and name not in SOLVED]


@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_pinocchio_agrees_on_the_torques(robot):
    states = random_states(robot.model, 5, seed=3)
    report = PinocchioReference(robot.text, robot.model).compare(
        FloatDynamics(robot.model), states
    )
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


FREE = [r for r in ROBOTS if all(joint.mimicked is None for joint in r.model.joints)]


@pytest.mark.parametrize('robot', FREE, ids=str)
def test_pinocchio_agrees_on_forward_dynamics(robot):
    """Of the free tree; with mimic joints, the inverse dynamics returns the torque."""
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
