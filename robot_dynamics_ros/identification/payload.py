"""What a link carries, from motion and measured efforts.

>>> estimate_recorded_payload(model, 'flange', recording.motions()).sentence()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.friction import smooth_sign
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.core.friction import SMOOTHING
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion

from .motion_equations import dead_bands, to_body
from .payload_fit import PAYLOAD, BlockSums, PayloadFit, fit_payload

MOMENTS = ('ixx', 'ixy', 'iyy', 'ixz', 'iyz', 'izz')
# Of the filtered samples so many are used for each period of the cutoff: what is left of the noise
# between neighbours is then nearly independent.
SAMPLES_OF_PERIOD = 2.0
# Time to both sides with an influence on a filtered sample, in periods of the cutoff.
REACH = 0.5
# Samples whose regressors are in memory at the same time.
CHUNK = 512
# Torque offset, Coulomb friction, viscous friction and rotor inertia of each joint.
OWN = 4
# 1 / variance of the share of gravity that efforts may lack: asked for, and known to be zero.
ASKED, KNOWN = 1.0, 1e30
# Standard deviation of what a model has wrong: a share of the mass of a link, or a mass [kg] where
# that is more; the distance over which it may be elsewhere [m].
WRONG_SHARE, WRONG_MASS, WRONG_DISTANCE = 0.5, 0.2, 0.3
# What half of the 95 % interval may be at most: a share of the mass; a distance of the centre [m];
# a share of the mean moment of inertia.
WIDEST_MASS, WIDEST_CENTER, WIDEST_MOMENT = 0.1, 0.02, 0.5
# Of the mass of a robot: no model is better than that, and no payload is smaller.
MODEL_ERROR = 1e-3
# Blocks of time that an interval needs.
LEAST_BLOCKS = 4
# A driver whose efforts lack that share of the gravity torque has not measured what a payload
# changes; the share must be that certain [standard deviations].
LACKING, CERTAIN = 0.4, 4.0


@dataclass(frozen=True)
class PayloadEstimate:
    """A payload on a link, with 95 % intervals (half their width).

    Attributes:
        frame: name of the link.
        mass: that fits best, also where nothing is determined [kg].
        com: (3,) centre of mass in the frame of the link; NaN where it is not determined [m].
        inertia: (6,) about the centre of mass, in the axes of the link, in the order of `MOMENTS`;
            zero, a point mass, where the data determine mass and centre alone; NaN where the
            estimate is refused [kg m^2].
        mass_interval: [kg].
        com_interval: (3,) [m].
        inertia_interval: (6,) [kg m^2].
        determined: `mass, centre and inertia`, `mass and centre`, or empty; with `mass` alone, the
            estimate is refused.
        refusal: why the estimate must not be used; empty if it may be.
        noise: standard deviation of the torque that is left, by joint [N m or N].
        equations: how many there are, by joint.
        doubt: why the mass may be wrong all the same, for the sentence; or empty.
    """

    frame: str
    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]
    mass_interval: float
    com_interval: tuple[float, ...]
    inertia_interval: tuple[float, ...]
    determined: str
    refusal: str
    noise: dict[str, float]
    equations: dict[str, int]
    doubt: str = ''

    def sentence(self) -> str:
        """The estimate in words, with intervals."""
        if self.refusal:
            return self.refusal
        moments = ', '.join(f'{x:.3g}' for x in self.inertia)
        intervals = ', '.join(f'{x:.2g}' for x in self.inertia_interval)
        inertia = f', inertia ({", ".join(MOMENTS)}) ({moments}) +- ({intervals}) kg m^2'
        if self.determined == 'mass and centre':
            inertia = (
                '; the motion does not determine the inertia, which is zero here, as of a point '
                'mass: accelerate faster to determine it'
            )
        doubt = f'; the mass is {self.doubt}' if self.doubt else ''
        return (
            f'{self.mass:.4g} +- {self.mass_interval:.2g} kg on {self.frame}, centre of mass '
            f'{_millimetres(self.com, 1)} +- {_millimetres(self.com_interval, 1)} mm{inertia}'
            f'{doubt}'
        )

    def service_call(self) -> str:
        """The command that sets this payload; empty where the estimate is refused."""
        if self.refusal:
            return ''
        x, y, z = (f'{value:.6g}' for value in self.com)
        pairs = zip(MOMENTS, self.inertia, strict=True)
        moments = ', '.join(f'{name}: {value:.6g}' for name, value in pairs)
        return (
            'ros2 service call /robot_dynamics/set_payload '
            'robot_dynamics_interfaces/srv/SetPayload '
            f"\"{{frame: '{self.frame}', inertia: {{m: {self.mass:.6g}, "
            f'com: {{x: {x}, y: {y}, z: {z}}}, {moments}}}}}"'
        )

    def as_json(self) -> dict[str, Any]:
        """For JSON."""
        found = asdict(self)
        for name in ('inertia', 'inertia_interval'):
            found[name] = dict(zip(MOMENTS, found[name], strict=True))
        return found | {'set_payload': self.service_call()}


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
            dynamics: of the robot without the payload.
            frame: name of the link that carries it.
            friction: known friction torque (N, n) at velocities (N, n) [N m or N].
            compared: whether motions without the payload will be added too.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link, or the model has no mass and there are no
                motions without the payload.
        """
        model = dynamics.model
        self._dynamics, self._frame, self._friction = dynamics, frame, friction
        self._joints = model.joints_that_move(frame)
        self._rows = list(model.indices_of(self._joints))
        self._compared = compared
        # The recording without the payload cancels the error of the model.
        self._error = 0.0 if compared else model_error(model)
        carrier = model.frame(frame)
        first = PAYLOAD * carrier.body
        self._columns = slice(first, first + PAYLOAD)
        self._moved = to_body(carrier.placement)
        self._slow = dead_bands(model)[self._rows]
        others = PAYLOAD * len(model.joints) if compared else 1
        own = OWN if compared else OWN - 1
        self._sums = BlockSums(len(self._rows), PAYLOAD + others, own)
        self._counts = np.zeros(len(self._rows))
        self._shift, self._last = 0.0, -np.inf
        # Whether efforts were measured with the payload, and without it.
        self._measured = {True: False, False: not compared}

    def add(self, motion: Motion, *, loaded: bool = True) -> None:
        """Take a motion, with or without the payload.

        Motions follow each other in time; one whose times are earlier is of another recording.
        """
        if motion.times[0] + self._shift < self._last:
            self._shift = self._last - float(motion.times[0])
        step = max(1, round(motion.rate / (SAMPLES_OF_PERIOD * motion.cutoff)))
        for first in range(0, len(motion), step * CHUNK):
            self._add(motion, slice(first, first + step * CHUNK, step), loaded)

    def _add(self, motion: Motion, part: slice, loaded: bool) -> None:
        q, v, a = motion.positions[part], motion.velocities[part], motion.accelerations[part]
        rows, times = self._rows, motion.times[part] + self._shift
        terms = self._dynamics.torque_terms(q, v, a)
        torque = (motion.efforts[part] - terms.sum(axis=1) - self._friction(v))[:, rows]
        bodies = self._dynamics.regressor(q, v, a)[:, rows]
        payload = bodies[..., self._columns] @ self._moved * float(loaded)
        sign, _ = smooth_sign(v[:, rows], SMOOTHING)
        own = [np.ones(torque.shape), sign, v[:, rows], a[:, rows]]
        others = bodies if self._compared else terms[:, 0, rows, None]
        columns = [payload, others, np.stack(own[: OWN if self._compared else -1], axis=2)]
        moving = np.abs(v[:, rows]) > self._slow + REACH / motion.cutoff * np.abs(a[:, rows])
        used = np.isfinite(torque) & moving
        columns.append(np.where(used, torque, 0.0)[..., None])
        self._sums.add(times, np.concatenate(columns, axis=2), used)
        if loaded:
            self._counts += used.sum(axis=0)
        self._measured[loaded] |= bool(np.isfinite(torque).any())
        self._last = float(times[-1])

    def estimate(self) -> PayloadEstimate:
        """What the motions up to now determine.

        Raises:
            RecordingError: no effort of a joint that carries the link was measured.
        """
        if not all(self._measured.values()):
            raise RecordingError(
                'no effort is measured: a payload needs the field effort of joint states, in N m, '
                f'of {", ".join(self._joints)}'
            )
        precision = _model_precision(self._dynamics) if self._compared else np.array([KNOWN])
        fit = fit_payload(self._sums, precision)
        share = None if self._compared else fit_payload(self._sums, np.array([ASKED])).share
        return judged(self._frame, self._joints, fit, self._counts, share, self._error)


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
    masses = np.maximum(WRONG_SHARE * dynamics.inertial_parameters()[::PAYLOAD], WRONG_MASS)
    moments = [1.0, *[WRONG_DISTANCE] * 3, *[WRONG_DISTANCE**2] * 6]
    deviations = np.outer(masses, moments).reshape(-1)
    return np.asarray(1.0 / deviations**2)


def judged(
    frame: str,
    joints: tuple[str, ...],
    fit: PayloadFit,
    counts: Array,
    share: tuple[float, float] | None,
    error: float,
) -> PayloadEstimate:
    """What a fit determines, or why it must not be used.

    Args:
        frame: name of the link.
        joints: names of the joints of the equations.
        fit: of the payload.
        counts: (r,) equations of each joint with the payload.
        share: of the gravity torque that the efforts have too much of, from a fit in which it is
            free, and its deviation; None against recordings without the payload.
        error: mass that may be the error of the model [kg], see `model_error`.
    """
    body = fit.body
    interval = student(fit.blocks - 1) * fit.deviations
    refusal = _refusal(joints, fit, float(interval[0]), counts, share, error)
    determined, told, robot, doubt = '', np.full(9, np.nan), error / MODEL_ERROR, ''
    if 0.0 < robot < body[0]:
        doubt = f'more than the robot itself has, {_number(robot, 3)} kg: are the efforts in N m?'
    if not refusal:
        determined = 'mass'
        if interval[1:4].max() > WIDEST_CENTER:
            refusal = (
                f'{body[0]:.4g} +- {interval[0]:.2g} kg on {frame}; the motion does not determine '
                f'the centre of mass, {_millimetres(body[1:4])} +- {_millimetres(interval[1:4])} '
                f'mm, +- {1e3 * WIDEST_CENTER:.0f} mm is needed: turn the link about several '
                'axes, or call set_payload with this mass and a centre that you know'
            )
        elif interval[4:].max() > WIDEST_MOMENT * body[[4, 6, 9]].mean():
            determined, told = 'mass and centre', np.append(body[1:4], np.zeros(6))
        else:
            determined, told = 'mass, centre and inertia', body[1:]
    return PayloadEstimate(
        frame=frame,
        mass=float(body[0]),
        com=tuple(told[:3].tolist()),
        inertia=tuple(told[3:].tolist()),
        mass_interval=float(interval[0]),
        com_interval=tuple(interval[1:4].tolist()),
        inertia_interval=tuple(interval[4:].tolist()),
        determined=determined,
        refusal=refusal,
        noise=dict(zip(joints, fit.noise.tolist(), strict=True)),
        equations=dict(zip(joints, counts.astype(int).tolist(), strict=True)),
        doubt=doubt,
    )


def model_error(model: RobotModel) -> float:
    """The mass that the error of a model may be at least [kg].

    Raises:
        ParameterError: it has no mass: the payload would be the robot too.
    """
    mass = float(sum(joint.inertia.mass for joint in model.joints))
    if mass <= 0.0:
        raise ParameterError(
            f'the URDF of {model.name} has no mass, and what carries a payload cannot be '
            'told from it: identify the robot first (robot_dynamics identify), or record it with '
            'the payload and without it (robot_dynamics payload BAG --frame LINK --without BAG)'
        )
    return MODEL_ERROR * mass


def student(freedom: float) -> float:
    """The 97.5 % quantile of Student's t, to 1 % from 4 degrees of freedom on.

    Abramowitz, Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z, n = NormalDist().inv_cdf(0.975), max(freedom, 1.0)
    return (
        z
        + (z**3 + z) / (4.0 * n)
        + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * n**2)
        + (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / (384.0 * n**3)
    )


def _refusal(
    joints: tuple[str, ...],
    fit: PayloadFit,
    width: float,
    counts: Array,
    share: tuple[float, float] | None,
    error: float,
) -> str:
    """Why the mass is not determined; empty where it is. `width` is half its interval [kg]."""
    if not counts.any():
        return (
            f'no joint that carries the link moves, of {", ".join(joints)}: move them, faster '
            'than 0.02 rad/s'
        )
    if fit.blocks < LEAST_BLOCKS:
        return (
            f'the motion is too short, {fit.blocks} s of {LEAST_BLOCKS} s that an interval needs: '
            'go on moving, or record longer'
        )
    if share and abs(share[0]) > max(LACKING, CERTAIN * share[1]):
        lacking, deviation = -share[0], share[1]
        part = f'{100.0 * lacking:.0f} +- {200.0 * deviation:.0f} %'
        found = f'lack {part if lacking <= 1.0 + 2.0 * deviation else "all"} of'
        cause = 'the driver takes gravity out of them, or their unit is not N m'
        if lacking < 0.0:
            found = f'contain {_number(1.0 - lacking, 2)} times'
            cause = 'their unit is not N m, or the robot is not that of the URDF'
        return (
            f'the measured efforts {found} the gravity torque of the robot: {cause}; they do not '
            'determine a payload'
        )
    mass = float(fit.body[0])
    text = f'the mass is {_number(mass, 3)} +- {_number(width, 2)} kg'
    still = ', '.join(joints[index] for index in np.flatnonzero(counts == 0.0))
    moved = f', also {still}, which did not move or have no effort' if still else ''
    advice = f'; move longer and wider, against gravity{moved}'
    if mass < -max(width, error):
        return f'{text}, the arm carries less than ' + (
            'its URDF has: is a hand or tool of the URDF not mounted, or are the efforts not in '
            'N m?'
            if error
            else 'in the recordings without the payload: are these exchanged?'
        )
    if mass <= max(width, error):
        why = f', as the error of the model may be {_number(error, 2)} kg'
        if width >= error:
            why = f': up to {_number(mass + width, 2)} kg may be carried{advice}'
        return f'{text}: no payload, or one that cannot be distinguished from none{why}'
    if width > WIDEST_MASS * mass:
        return f'{text}, +- {100.0 * WIDEST_MASS:.0f} % is needed{advice}'
    return ''


def _number(value: float, digits: int) -> str:
    """A number without an exponent, where it is of a size that occurs."""
    return '0' if abs(value) < 1e-6 else f'{float(f"{value:.{digits}g}"):g}'


def _millimetres(lengths: Any, digits: int = 0) -> str:
    return f'({", ".join(f"{1e3 * x:.{digits}f}" for x in lengths)})'
