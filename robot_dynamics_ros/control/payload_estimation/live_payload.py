"""A payload from the live states of a moving arm."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.friction import JointFriction
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.robot import RobotModel

from .joint_sums import JointSums
from .payload_equations import FRICTION, FilteredMotion, PayloadEquations
from .payload_estimate import PayloadEstimate, model_error, payload_estimate
from .payload_fit import PAYLOAD, SHARE_PRECISION, PayloadFit, fit_payload
from .payload_regressor import PayloadRegressor
from .state_window import StateWindows


class LivePayload:
    """Estimates what a link carries, payloads that the model has already included.

    Attributes:
        seconds: between the first and the last state that were used.
        samples: filtered samples.
        unmeasured: filtered samples in which no joint had an effort.
    """

    def __init__(self, model: RobotModel, frame: str) -> None:
        """Begin.

        Args:
            model: of the robot.
            frame: name of the link.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link, or the model has no mass.
        """
        self.frame = frame
        self._equations = PayloadEquations(model, frame)
        self._error = model_error(model)
        self._windows = StateWindows(model.size)
        rows = len(self._equations.rows)
        self._sums = JointSums(rows, PAYLOAD + 1, FRICTION)
        self._fit: PayloadFit | None = None
        self._share: PayloadFit | None = None
        self._first = self._last = math.nan
        self.samples = self.unmeasured = 0

    @property
    def seconds(self) -> float:
        """See the attributes of the class; 0 before the second sample."""
        return 0.0 if math.isnan(self._first) else self._last - self._first

    def push(self, new: Array, dynamics: RobotDynamics, friction: JointFriction) -> None:
        """Take states.

        Args:
            new: (N, 1 + 3 n) rows of stamp [s], positions, velocities and efforts.
            dynamics: of the robot, with the payloads that it has now.
            friction: of its joints.
        """
        windows = list(self._windows.push(new))
        self.samples += len(windows)
        rows = self._equations.rows
        useful = [one for one in windows if np.isfinite(one[1].efforts[:, rows]).any()]
        self.unmeasured += len(windows) - len(useful)
        if not useful:
            return
        motion = FilteredMotion.joined([motion for _, motion in useful])
        # One after the other: for few samples a batch is not worth its compilation.
        states = zip(motion.q, motion.v, motion.a, strict=True)
        terms = np.array([dynamics.torque_terms(*state) for state in states])
        carried, carried_gravity = _payload_torques(dynamics, motion)
        reference = terms.sum(axis=1) - carried + friction.torque(motion.v)
        bare_gravity = terms[:, 0] - carried_gravity
        equations = self._equations.of(motion, reference, bare_gravity, dynamics.gravity)
        self._sums.add(np.array([time for time, _ in useful]), equations)
        if math.isnan(self._first):
            self._first = useful[0][0]
        self._last = useful[-1][0]

    def estimate(self) -> PayloadEstimate:
        """What the states up to now determine."""
        if self.samples and self.unmeasured == self.samples:
            raise StateError(
                'no effort is measured: the joint states need field effort, in N m, of '
                f'{", ".join(self._equations.joints)}'
            )
        self._fit = fit_payload(self._sums, np.array([math.inf]), self._fit)
        self._share = fit_payload(self._sums, np.array([SHARE_PRECISION]), self._share)
        return payload_estimate(
            self.frame,
            self._equations.joints,
            self._fit,
            self._sums.counts,
            self._share,
            self._error,
        )


def _payload_torques(dynamics: RobotDynamics, motion: FilteredMotion) -> tuple[Array, Array]:
    """Torque and gravity torque (N, n) of the payloads that a model has already."""
    model = dynamics.model
    torques = np.zeros((2, *motion.q.shape))
    zero = np.zeros_like(motion.q)
    for payload in model.payloads:
        regressor = PayloadRegressor(model, payload.frame)
        parameters = np.array(parameters_of(payload.moments))
        for torque, v, a in ((torques[0], motion.v, motion.a), (torques[1], zero, zero)):
            columns = regressor(motion.q, v, a, dynamics.gravity)
            torque[:, regressor.rows] += columns @ parameters
    return torques[0], torques[1]
