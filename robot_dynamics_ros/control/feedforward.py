"""The torque to command: which terms, evaluated where, for which joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import ParameterError, StateError
from robot_dynamics_ros.core.model.friction import JointFriction

# The rows of `RobotDynamics.torque_terms`, and the friction that we add.
TERMS = ('gravity', 'coriolis', 'inertial', 'friction')
# Friction is rarely known, and added wrongly it drives a joint: it must be asked for.
DEFAULT_TERMS = TERMS[:3]
GRAVITY = TERMS.index('gravity')
FRICTION = TERMS.index('friction')
EVALUATION_POINTS = ('reference', 'state')


class Feedforward:
    """Computes tau = M(q) a + C(q, v) v + g(q) + f(v) in place, for some joints of a robot.

    Joints that are not commanded take their measured position and are taken to be at rest.
    Everything it needs is allocated when it is made.

    Attributes:
        dynamics: of the robot.
        joints: names of the commanded joints, k of them.
        indices: (k,) theirs among the independent joints of the model.
        chosen: the terms that are summed.
        friction: what makes up for friction; may be replaced at any time.
        q: (n,) positions at which the last call evaluated [rad or m].
        v: (n,) velocities of the same [rad/s or m/s].
        a: (n,) accelerations of the same [rad/s^2 or m/s^2].
        terms: (3, n) what `RobotDynamics.torque_terms` gave there [N m or N].
        parts: (4, k) of the last call, in the order of `TERMS` [N m or N].
        effort: (k,) the sum of the chosen terms of the last call [N m or N].
        current: whether `terms` belongs to q, v, a and the gravity of the dynamics. Not before
            the first call, nor after one that failed; who changes gravity says that it does not.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        joints: Sequence[str] = (),
        *,
        terms: Sequence[str] = DEFAULT_TERMS,
        evaluate_at: str = 'reference',
        friction: JointFriction | None = None,
    ) -> None:
        """Choose.

        Args:
            dynamics: of the robot.
            joints: to command, in this order; all if empty.
            terms: to sum, of `TERMS`.
            evaluate_at: 'reference': M(qr) ar + C(qr, vr) vr + g(qr) + f(vr); 'state': at the
                measured q and v, with the acceleration of the reference.
            friction: of the joints; that of the URDF if None.

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: a joint or term is named twice, or a term or evaluation point does
                not exist.
        """
        model = dynamics.model
        self.joints = tuple(joints) or model.joint_names
        check_choices('joints', self.joints)
        self.indices = np.array([model.index_of(name) for name in self.joints])
        self.choose(terms=terms, evaluate_at=evaluate_at)
        self.dynamics = dynamics
        self.friction = friction or JointFriction(model)
        self.q, self.v, self.a = np.zeros((3, model.size))
        self._rest = np.zeros(model.size)
        self.terms = np.zeros((FRICTION, model.size))
        self._step = dynamics.bind('torque_terms', self.q, self.v, self.a, out=self.terms)
        self.parts = np.zeros((len(TERMS), len(self.joints)))
        self.effort = np.zeros(len(self.joints))
        self.current = False

    def choose(self, *, terms: Sequence[str], evaluate_at: str) -> None:
        """Change what is summed and where it is evaluated, from the next call on.

        Raises:
            ParameterError: a term is named twice, or a term or evaluation point does not exist.
        """
        check_choices('terms', terms, TERMS)
        check_choices('evaluate_at', [evaluate_at], EVALUATION_POINTS)
        self.chosen = tuple(terms)
        self._weights = np.array([float(term in terms) for term in TERMS])
        self._at_reference = evaluate_at == 'reference'

    def terms_of_measured_velocity(
        self, reference: object | None, *, estimates: bool = False
    ) -> list[str]:
        """Those of the chosen terms that need it, with that reference or with none (None).

        The inertial one does where it takes `estimates` of the acceleration.
        """
        needing = []
        if reference is None or not self._at_reference:
            needing += ['coriolis', 'friction']
        if reference is None and estimates:
            needing += ['inertial']
        return [term for term in needing if term in self.chosen]

    def compute(
        self, q: Array, v: Array, reference: Array | None = None, a: Array | None = None
    ) -> None:
        """Fill `parts` and `effort`.

        Args:
            q: (n,) measured positions of all independent joints [rad or m].
            v: (n,) measured velocities [rad/s or m/s].
            reference: (3, k) rows q, v, a of the commanded joints; None for the measured state.
            a: (n,) measured accelerations [rad/s^2 or m/s^2], where there is no reference; zero
                if None.

        Raises:
            StateError: a value is not finite, and `parts` and `effort` are as they were; or the
                torque itself is not finite.
        """
        commanded = self.indices
        self.current = False
        self.q[:] = q
        if reference is None:
            self.v[commanded] = v[commanded]
            self.a[commanded] = 0.0 if a is None else a[commanded]
        else:
            if self._at_reference:
                self.q[commanded], self.v[commanded] = reference[0], reference[1]
            else:
                self.v[commanded] = v[commanded]
            self.a[commanded] = reference[2]
        self._step()
        self.current = True
        np.take(self.terms, commanded, axis=1, out=self.parts[:FRICTION])
        if self.friction.exists:
            self.parts[FRICTION] = self.friction.torque(self.v)[commanded]
        else:
            self.parts[FRICTION] = 0.0
        np.dot(self._weights, self.parts, out=self.effort)
        if not np.isfinite(self.effort).all():
            raise StateError('the torque is not finite at this state and reference')

    def hold(self, q: Array) -> None:
        """Fill `parts` and `effort` with what holds the robot at rest at q (n,) [rad or m].

        That is the gravity torque, if gravity is among the terms.
        """
        self.compute(q, self._rest)


def check_choices(name: str, chosen: Sequence[str], allowed: Sequence[str] | None = None) -> None:
    """Whether each choice is made once, and is one of those allowed.

    Raises:
        ParameterError: it is not.
    """
    for choice in chosen:
        if allowed is not None and choice not in allowed:
            known = ', '.join(allowed)
            raise ParameterError(f'{name}: {choice!r} is unknown, allowed are {known}')
        if list(chosen).count(choice) > 1:
            raise ParameterError(f'{name}: {choice!r} is named twice')
