"""A payload from motions of the robot that carries it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.friction import SLIDING_BAND, TURNING_BAND, smooth_sign
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion

from .estimate import PayloadEstimate, model_error, payload_estimate
from .fit import PAYLOAD, BlockSums, fit_payload

# Of the filtered samples so many are used for each period of the cutoff: what is left of the noise
# between neighbours is then nearly independent.
SAMPLES_OF_PERIOD = 2.0
# Time to both sides with an influence on a filtered sample, in periods of the cutoff.
REACH = 0.5
# Samples whose regressors are in memory at the same time.
ROWS = 512
# Torque offset, Coulomb friction, viscous friction and rotor inertia of each joint.
OWN = 4
# 1 / variance of the share of gravity that efforts may lack: asked for, and known to be zero.
ASKED, KNOWN = 1.0, 1e30
# Standard deviation of what a model has wrong: a share of the mass of a link and a mass [kg]; the
# distance over which that mass may be elsewhere [m].
MASS_SHARE, MASS, DISTANCE = 0.5, 0.2, 0.3


class PayloadEstimator:
    """Writes the torque that a robot leaves open as that of a payload and of friction.

    tau - tau_0 = Y pi + s g_0 + offset + F_s s(v) + F_v v + e, with tau_0 and g_0 the torque and
    the gravity torque of the robot without the payload (C. Atkeson, C. An, J. Hollerbach,
    Estimation of inertial parameters of manipulator loads and links, 1986). The share s is zero,
    unless the driver has taken gravity out of what it measures, or the unit is wrong: then it is
    -1 or nearly so. Samples of a joint around a reversal are not used: friction is not that of
    sliding there.

    With motions without the payload, errors of all inertial parameters of the robot are unknowns
    in place of s, and rotors too: both motions have the same robot, so these errors drop out.

    Attributes:
        dynamics: of the robot without the payload; its gravity may be assigned.
        seconds: between the first and the last sample.
        samples: filtered samples with the payload that were used.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        frame: str,
        friction: Callable[[Array], Array],
        *,
        compared: bool = False,
    ) -> None:
        """Begin without a sample.

        Args:
            dynamics: of the robot; payloads of its model are part of the estimate.
            frame: name of the link that carries it.
            friction: known friction torque (N, n) at velocities (N, n) [N m or N].
            compared: whether motions without the payload will be added too.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link, or the model has no mass and there are no
                motions without the payload.
        """
        # A copy, which shares the programs.
        bare = dynamics.with_gravity(dynamics.gravity)
        for payload in dynamics.model.payloads:
            bare = bare.without_payload(payload.name)
        model = bare.model
        self.dynamics, self.frame, self._friction = bare, frame, friction
        self.joints = model.joints_that_move(frame)
        self._rows = list(model.indices_of(self.joints))
        self._compared = compared
        # The recording without the payload cancels the error of the model.
        self._error = 0.0 if compared else model_error(model)
        carrier = model.frame(frame)
        placed, first = carrier.placement, PAYLOAD * carrier.body
        self._columns = slice(first, first + PAYLOAD)
        bodies = (body_of(unit) for unit in np.eye(PAYLOAD).tolist())
        moved = (placed @ body for body in bodies)
        # From `PARAMETERS` in the frame to those of its body.
        self._moved = np.array([parameters_of(one) for one in moved]).T
        kinds = [model.independent_joints[row].kind for row in self._rows]
        self._slow = np.where(np.array(kinds) == 'prismatic', SLIDING_BAND, TURNING_BAND)
        others = PAYLOAD * len(model.joints) if compared else 1
        own = OWN if compared else OWN - 1
        self._sums = BlockSums(len(self._rows), PAYLOAD + others, own)
        self._counts = np.zeros(len(self._rows))
        self._shift, self._first, self._last = 0.0, np.nan, -np.inf
        # Whether efforts were measured with the payload, and without it.
        self._measured = {True: False, False: not compared}
        self.samples = 0

    @property
    def seconds(self) -> float:
        """See the attributes of the class; 0 before the second sample."""
        return self._last - self._first if self.samples else 0.0

    def add(self, motion: Motion, *, loaded: bool = True) -> None:
        """Take a motion, with or without the payload.

        Motions follow each other in time; one whose times are earlier is of another recording.
        """
        if motion.times[0] + self._shift < self._last:
            self._shift = self._last - float(motion.times[0])
        step = max(1, round(motion.rate / (SAMPLES_OF_PERIOD * motion.cutoff)))
        for first in range(0, len(motion), step * ROWS):
            self._add(motion, slice(first, first + step * ROWS, step), loaded)

    def _add(self, motion: Motion, part: slice, loaded: bool) -> None:
        q, v, a = motion.positions[part], motion.velocities[part], motion.accelerations[part]
        rows, times = self._rows, motion.times[part] + self._shift
        terms = self.dynamics.torque_terms(q, v, a)
        torque = (motion.efforts[part] - terms.sum(axis=1) - self._friction(v))[:, rows]
        bodies = self.dynamics.regressor(q, v, a)[:, rows]
        payload = bodies[..., self._columns] @ self._moved * float(loaded)
        own = [np.ones(torque.shape), smooth_sign(v[:, rows]), v[:, rows], a[:, rows]]
        others = bodies if self._compared else terms[:, 0, rows, None]
        columns = [payload, others, np.stack(own[: OWN if self._compared else -1], axis=2)]
        moving = np.abs(v[:, rows]) > self._slow + REACH / motion.cutoff * np.abs(a[:, rows])
        used = np.isfinite(torque) & moving
        columns.append(np.where(used, torque, 0.0)[..., None])
        self._sums.add(times, np.concatenate(columns, axis=2), used)
        if loaded:
            self._counts += used.sum(axis=0)
            self.samples += len(times)
        self._measured[loaded] |= bool(np.isfinite(torque).any())
        self._first = np.fmin(self._first, times[0])
        self._last = float(times[-1])

    def estimate(self) -> PayloadEstimate:
        """What the motions up to now determine.

        Raises:
            RecordingError: no effort of a joint that carries the link was measured.
        """
        if not all(self._measured.values()):
            raise RecordingError(
                'no effort is measured: a payload needs the field effort of joint states, in N m, '
                f'of {", ".join(self.joints)}'
            )
        precision = _model_precision(self.dynamics) if self._compared else np.array([KNOWN])
        fit = fit_payload(self._sums, precision)
        share = None if self._compared else fit_payload(self._sums, np.array([ASKED])).share
        return payload_estimate(self.frame, self.joints, fit, self._counts, share, self._error)


def estimate_recorded_payload(
    model: RobotModel,
    frame: str,
    motions: Iterable[Motion],
    without: Iterable[Motion] | None = None,
    parameters: JointModel = AS_DESCRIBED,
) -> PayloadEstimate:
    """What a link carries.

    The reference is the model with friction, rotors and offsets of its joints; what torque
    offset, Coulomb and viscous friction each joint has beside it is estimated too. With a
    recording without the payload, everything of the robot itself is estimated from both.

    Args:
        model: of the robot without the payload; its independent joints are those of the motions.
        frame: name of the link.
        motions: with the payload.
        without: without it; None: there are none.
        parameters: friction, offsets and rotors in place of those of the description, such as
            those of an identified model, which a URDF does not hold.

    Raises:
        UnknownNameError: no link has that name.
        ParameterError: no joint moves the link, or the model has no mass and there is no
            recording without the payload.
        RecordingError: no effort was recorded.
    """
    friction, offsets = parameters.friction(model), parameters.offsets(model)
    estimator = PayloadEstimator(
        RobotDynamics(parameters.with_rotors(model)),
        frame,
        lambda v: friction.torque(v) + offsets,
        compared=without is not None,
    )
    for loaded, recorded in ((True, motions), (False, without or ())):
        for motion in recorded:
            estimator.add(motion, loaded=loaded)
    return estimator.estimate()


def _model_precision(dynamics: RobotDynamics) -> Array:
    """(10 bodies,) 1 / variance of what the model may have wrong, in `PARAMETERS` of each body."""
    masses = MASS_SHARE * dynamics.inertial_parameters()[::PAYLOAD] + MASS
    moments = [1.0, *[DISTANCE] * 3, *[DISTANCE**2] * 6]
    deviations = np.outer(masses, moments).reshape(-1)
    return np.asarray(deviations**-2.0)
