"""Pinocchio as an independent reference: its own URDF parser, its own algorithms.

`collisions` imports Pinocchio too; nothing else does.
"""

from __future__ import annotations

import copy
import os
import re
import tempfile
from collections.abc import Iterable
from xml.etree.ElementTree import tostring

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import OracleUnavailable
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import State, random_states
from robot_dynamics_ros.core.urdf import checked_robot
from robot_dynamics_ros.core.urdf_xml import read_xml

from .report import TOLERANCE, Comparison, Report

try:
    import pinocchio
except ImportError:  # optional: not needed where parameter cross_check is false
    pinocchio = None

# Smallest divisor: without gravity all terms are zero, and two zeros agree.
SMALLEST = float(np.finfo(np.float64).tiny)


class PinocchioReference:
    """Pinocchio's dynamics of a URDF, in the order of a model's joint names.

    Mimic joints: Pinocchio computes the tree with all joints free, x = G q + o, and the results
    are G^T tau and G^T M G. (Its own mimic joints must come after the joint that they mimic.)
    """

    def __init__(self, text: str, model: RobotModel) -> None:
        """Let Pinocchio parse the URDF.

        Args:
            text: of the URDF.
            model: gives names and order of the joints, payloads and rotor inertias.

        Raises:
            OracleUnavailable: Pinocchio is missing, refuses the text, or finds other joints.
        """
        if pinocchio is None:
            raise OracleUnavailable(
                'Pinocchio is not installed: pip install pin, or set parameter cross_check: false'
            )
        try:
            self._bare = pinocchio.buildModelFromXML(text_for_pinocchio(text))
        except (ValueError, RuntimeError) as error:
            raise OracleUnavailable(f'Pinocchio refuses the URDF: {error}') from None
        # As `RobotModel.at_origin`: the same dynamics, and none of its digits lost.
        for joint in range(1, self._bare.njoints):
            if self._bare.parents[joint] == 0:
                self._bare.jointPlacements[joint].translation = np.zeros(3)
        self._take(model)
        self._neutral = pinocchio.neutral(self._model)
        self._G, self._offset = _couplings(text, self._model, model.joint_names)

    def with_model(self, model: RobotModel) -> PinocchioReference:
        """The same robot with the payloads and rotor inertias of another model.

        Args:
            model: differs from the one before in these alone.
        """
        other = copy.copy(self)
        other._take(model)
        return other

    def _take(self, model: RobotModel) -> None:
        self._model = self._bare.copy()
        _load(self._model, model)
        self._data = self._model.createData()
        # Without what is fixed to the base.
        self._moving = list(self._model.inertias)[1:]
        self._below_diagonal = np.tri(self._model.nv, k=-1, dtype=bool)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """tau (n,) [N m or N]."""
        G = self._G
        tau = pinocchio.rnea(self._model, self._data, self._positions(q), G @ v, G @ a)
        return self._G.T @ tau

    def gravity_torque(self, q: Array) -> Array:
        """g (n,) [N m or N]."""
        tau = pinocchio.computeGeneralizedGravity(self._model, self._data, self._positions(q))
        return self._G.T @ tau

    def bias_torque(self, q: Array, v: Array) -> Array:
        """C v + g (n,) [N m or N]."""
        rates = self._G @ v
        tau = pinocchio.nonLinearEffects(self._model, self._data, self._positions(q), rates)
        return self._G.T @ tau

    def mass_matrix(self, q: Array) -> Array:
        """M (n, n), symmetric; Pinocchio fills the upper triangle."""
        upper = pinocchio.crba(self._model, self._data, self._positions(q))
        full = np.where(self._below_diagonal, upper.T, upper)
        return self._G.T @ full @ self._G

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        """C (n, n)."""
        matrix = pinocchio.computeCoriolisMatrix(
            self._model, self._data, self._positions(q), self._G @ v
        )
        return self._G.T @ matrix @ self._G

    def compare(
        self,
        dynamics: RobotDynamics,
        states: Iterable[State] | None = None,
    ) -> Report:
        """Compare tau, g, bias, M and C of other dynamics with those of Pinocchio.

        Args:
            dynamics: of the same robot; gives gravity.
            states: at which to compare; 100 random ones within the limits if None.
        """
        self._model.gravity.linear = dynamics.gravity
        worst: dict[str, list[float]] = {}
        states = list(random_states(dynamics.model, 100) if states is None else states)
        # Overflow shows in the report, as an error that is not finite.
        with np.errstate(over='ignore', invalid='ignore'):
            for state in states:
                for quantity, (computed, expected, terms) in self._pairs(dynamics, state).items():
                    absolute = float(np.abs(computed - expected).max())
                    relative = absolute / max(float(np.abs(expected).max()), terms, SMALLEST)
                    kept = worst.setdefault(quantity, [0.0, 0.0])
                    # np.maximum keeps a NaN, max would lose it.
                    kept[0] = float(np.maximum(kept[0], absolute))
                    kept[1] = float(np.maximum(kept[1], relative))
        comparisons = tuple(Comparison(quantity, *errors) for quantity, errors in worst.items())
        return Report(len(states), TOLERANCE, comparisons)

    def _terms(self, state: State, mass_matrix: Array) -> tuple[float, float, float, float]:
        """Of mass matrix, gravity, bias and torque: the size of the terms that cancel in them.

        Their moments are about the origin of the base: rounding is relative to these.
        """
        pinocchio.forwardKinematics(self._model, self._data, self._positions(state.q))
        bodies = zip(list(self._data.oMi)[1:], self._moving, strict=True)
        lever = max(float(np.linalg.norm(place.act(body.lever))) for place, body in bodies)
        mass, fall = sum(body.mass for body in self._moving), self._model.gravity.linear
        speed, acceleration = float(np.abs(state.v).max()), float(np.abs(state.a).max())
        inertia = max(float(np.abs(mass_matrix).max()), mass * lever**2)
        weight = mass * float(np.linalg.norm(fall)) * lever
        bias = weight + inertia * speed**2
        return inertia, weight, bias, bias + inertia * acceleration

    def _pairs(
        self, dynamics: RobotDynamics, state: State
    ) -> dict[str, tuple[Array, Array, float]]:
        """By quantity: the other result, that of Pinocchio, and the terms that cancel."""
        q, v, a = state.q, state.v, state.a
        mass_matrix = self.mass_matrix(q)
        inertia, weight, bias_terms, tau_terms = self._terms(state, mass_matrix)
        tau, gravity = self.inverse_dynamics(q, v, a), self.gravity_torque(q)
        bias = self.bias_torque(q, v)
        return {
            'inverse_dynamics': (dynamics.inverse_dynamics(q, v, a), tau, tau_terms),
            'gravity_torque': (dynamics.gravity_torque(q), gravity, weight),
            'bias_torque': (dynamics.bias_torque(q, v), bias, bias_terms),
            'torque_terms': (
                dynamics.torque_terms(q, v, a),
                np.array([gravity, bias - gravity, tau - bias]),
                tau_terms,
            ),
            'mass_matrix': (dynamics.mass_matrix(q), mass_matrix, inertia),
            'coriolis_matrix': (
                dynamics.coriolis_matrix(q, v),
                self.coriolis_matrix(q, v),
                inertia * float(np.abs(v).max()),
            ),
        }

    def _positions(self, q: Array) -> Array:
        """Pinocchio's configuration vector: a continuous joint is a cosine and a sine."""
        return pinocchio.integrate(self._model, self._neutral, self._G @ q + self._offset)


def text_for_pinocchio(text: str, *, shapes: bool = False) -> str:
    """What `parse_urdf` reads of a URDF: Pinocchio's parser would refuse or drop some of it.

    The dynamics do not depend on limits; Pinocchio needs them, and gets zeros.

    Args:
        text: of a URDF that `parse_urdf` accepts.
        shapes: with the <collision> elements.
    """
    robot = read_xml(text)
    checked = checked_robot(robot)
    for limit in checked.iterfind('joint/limit'):
        limit.attrib = dict.fromkeys(limit.attrib, '0')
    if shapes:
        # Capsules are of version 1.2.
        checked.set('version', robot.get('version', '1.0'))
        for link, raw in zip(checked.iterfind('link'), robot.iterfind('link'), strict=True):
            link.extend(raw.findall('collision'))
    return tostring(checked, encoding='unicode')


def other_reading(text: str) -> str:
    """What urdfdom says of a URDF of which it reads another robot than we do; else nothing.

    Robot_state_publisher and others read with urdfdom, Pinocchio too.

    Args:
        text: of a URDF that `parse_urdf` accepts.
    """
    read = pinocchio.buildModelFromXML(text_for_pinocchio(text))
    refused = 'nothing'
    with tempfile.TemporaryFile() as said:
        # It writes to the file descriptor.
        kept = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            raw = pinocchio.buildModelFromXML(text)
        except (ValueError, RuntimeError) as error:
            raw, refused = pinocchio.Model(), str(error)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        said.seek(0)
        words = ' '.join(said.read().decode(errors='replace').split())
    parts = ('names', 'parents', 'inertias', 'jointPlacements')
    if all(list(getattr(raw, part)) == list(getattr(read, part)) for part in parts):
        return ''
    return '; '.join(re.findall('Error: (.*?) at line ', words)) or refused


def _load(pinocchio_model: pinocchio.Model, model: RobotModel) -> None:
    """Add the payloads and rotor inertias of a model to Pinocchio's model."""
    for payload in model.payloads:
        inertia = pinocchio.Inertia(payload.mass, np.array(payload.com), np.array(payload.inertia))
        if pinocchio_model.existFrame(payload.frame, pinocchio.FrameType.BODY):
            index = pinocchio_model.getFrameId(payload.frame, pinocchio.FrameType.BODY)
            frame = pinocchio_model.frames[index]
            parent, placement = frame.parentJoint, frame.placement
        else:
            # Of `RobotModel.with_frame`: the text does not have it.
            added = model.frame(payload.frame)
            parent = pinocchio_model.getJointId(model.joints[added.body].name)
            rotation, translation = added.placement.rotation, added.placement.translation
            placement = pinocchio.SE3(np.array(rotation), np.array(translation))
        pinocchio_model.appendBodyToJoint(parent, inertia, placement)
    armature = np.zeros(pinocchio_model.nv)
    for joint in model.joints:
        if joint.armature:
            armature[_velocity_index(pinocchio_model, joint.name)] = joint.armature
    pinocchio_model.armature = armature


def _couplings(text: str, model: pinocchio.Model, names: tuple[str, ...]) -> tuple[Array, Array]:
    """G and o of x = G q + o, with x the positions of all joints in Pinocchio's order.

    Each joint is x_i = q_k, or x_i = m x_j + o where it mimics joint j. This linear system is
    solved as a whole, so that chains of mimic joints may be in any order.
    """
    moving = set(model.names) - {'universe'}
    mimic_matrix, offset = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    mimicking = set()
    for joint in read_xml(text).iterfind('joint'):
        name, mimic = joint.get('name', ''), joint.find('mimic')
        if name in moving and mimic is not None and mimic.get('joint') in moving:
            mimicked = mimic.get('joint', '')
            row, column = _velocity_index(model, name), _velocity_index(model, mimicked)
            mimic_matrix[row, column] = float(mimic.get('multiplier', 1.0))
            offset[row] = float(mimic.get('offset', 0.0))
            mimicking.add(name)
    if moving - mimicking != set(names):
        differing = ', '.join(sorted((moving - mimicking) ^ set(names)))
        raise OracleUnavailable(
            f'Pinocchio finds other independent joints: the lists differ in {differing}'
        )
    free = np.zeros((model.nv, len(names)))
    for column, name in enumerate(names):
        free[_velocity_index(model, name), column] = 1.0
    solved = np.linalg.solve(np.eye(model.nv) - mimic_matrix, np.column_stack([free, offset]))
    return solved[:, :-1], solved[:, -1]


def _velocity_index(model: pinocchio.Model, name: str) -> int:
    return int(model.joints[model.getJointId(name)].idx_v)
