"""The torque to command: which terms, evaluated where, for which joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .checks import Array
from .dynamics import RobotDynamics
from .errors import ParameterError, StateError

# The rows of `RobotDynamics.torque_terms`.
TERMS = ('gravity', 'coriolis', 'inertial')
EVALUATION_POINTS = ('reference', 'state')


class Feedforward:
    """Computes tau = M(q) a + C(q, v) v + g(q) in place, for some joints of a robot.

    Joints that are not commanded take their measured position and are taken to be at rest.
    Everything it needs is allocated when it is made.

    Attributes:
        joints: names of the commanded joints, k of them.
        indices: (k,) theirs among the independent joints of the model.
        parts: (3, k) gravity, Coriolis and inertial torque of the last call [N m or N].
        effort: (k,) the sum of the chosen terms of the last call [N m or N].
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        joints: Sequence[str] = (),
        *,
        terms: Sequence[str] = TERMS,
        evaluate_at: str = 'reference',
    ) -> None:
        """Choose.

        Args:
            dynamics: of the robot.
            joints: to command, in this order; all if empty.
            terms: to sum, of gravity, coriolis and inertial.
            evaluate_at: 'reference': M(qr) ar + C(qr, vr) vr + g(qr); 'state': at the measured
                q and v, with the acceleration of the reference.

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
        self._q, self._v, self._a = np.zeros((3, model.size))
        self._all_parts = np.zeros((len(TERMS), model.size))
        self._step = dynamics.bind('torque_terms', self._q, self._v, self._a, out=self._all_parts)
        self.parts = np.zeros((len(TERMS), len(self.joints)))
        self.effort = np.zeros(len(self.joints))

    def choose(self, *, terms: Sequence[str], evaluate_at: str) -> None:
        """Change what is summed and where it is evaluated, from the next call on.

        Raises:
            ParameterError: a term is named twice, or a term or evaluation point does not exist.
        """
        check_choices('terms', terms, TERMS)
        check_choices('evaluate_at', [evaluate_at], EVALUATION_POINTS)
        self._weights = np.array([float(term in terms) for term in TERMS])
        self._at_reference = evaluate_at == 'reference'

    def compute(self, q: Array, v: Array, reference: Array | None = None) -> None:
        """Fill `parts` and `effort`.

        Args:
            q: (n,) measured positions of all independent joints [rad or m].
            v: (n,) measured velocities [rad/s or m/s].
            reference: (3, k) rows q, v, a of the commanded joints; None for bias torques at the
                measured state.

        Raises:
            StateError: a value is not finite, and `parts` and `effort` are as they were; or the
                torque itself is not finite.
        """
        commanded = self.indices
        self._q[:] = q
        if reference is None:
            self._v[commanded] = v[commanded]
            self._a[commanded] = 0.0
        else:
            if self._at_reference:
                self._q[commanded], self._v[commanded] = reference[0], reference[1]
            else:
                self._v[commanded] = v[commanded]
            self._a[commanded] = reference[2]
        self._step()
        np.take(self._all_parts, commanded, axis=1, out=self.parts)
        np.dot(self._weights, self.parts, out=self.effort)
        if not np.isfinite(self.effort).all():
            raise StateError('the torque is not finite at this state and reference')


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
