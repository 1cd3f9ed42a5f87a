"""What a link carries, from motion and measured efforts.

>>> estimate_recorded_payload(model, 'flange', recording.motions()).sentence()

The torque that the model leaves open is regressed on a payload and on what each joint may have
beside its model, see `regression`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import ZERO, Inertia
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.regression.bodies import LogCholesky
from robot_dynamics_ros.regression.fit import Fit, Prior, fit
from robot_dynamics_ros.regression.regressors import (
    ARMATURE,
    BODIES,
    FRICTION,
    GRAVITY,
    OFFSET,
    independent,
    payload_on,
)
from robot_dynamics_ros.regression.rows import RowMaker

MOMENTS = ('ixx', 'ixy', 'iyy', 'ixz', 'iyz', 'izz')
# Standard deviations of the prior: of the mass [kg], and for each kg of it, of the first moment
# [m] and of the inertia about the frame [m^2]; and the least mass that the latter are for [kg].
MASS, CENTER, INERTIA, LEAST_MASS = 100.0, 0.3, 0.04, 0.1
# A body that exists extends by this much, root mean square, along each axis [m].
THINNEST = 1e-3
# Smaller masses are rounding [kg].
ROUNDED_MASS = 1e-9
# That of gravity [m/s^2], where it is asked for: any.
ANY_GRAVITY = 10.0
# What half of the 95 % interval may be at most: a share of the mass; a distance of the centre [m];
# a share of the mean moment of inertia.
WIDEST_MASS, WIDEST_CENTER, WIDEST_MOMENT = 0.1, 0.02, 0.5
# Of the mass of a robot: no model is better than that, and no payload is smaller.
MODEL_ERROR = 1e-3
# Blocks of time that an interval needs.
LEAST_BLOCKS = 4
# A driver whose efforts lack that share of the gravity torque has not measured what a payload
# changes; the share must be that certain [half 95 % intervals].
LACKING, CERTAIN = 0.4, 2.0
# Gravity that is turned by more than that is no error of a model [degrees], if it is as strong as
# the given one, within a factor of sqrt(2): a log of 0.35. Least gravity with a direction [m/s^2].
TURNED, ALIKE, LEAST_GRAVITY = 10.0, 0.35, 1e-3


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


@dataclass(frozen=True)
class PayloadFit:
    """What the regression says of a payload.

    Attributes:
        body: (10,) mass, centre, and inertia about the centre; of a body that can exist, unless
            its mass is negative.
        interval: (10,) half of the 95 % intervals.
        noise: (r,) standard deviation of the residuals of each joint [N m or N].
        counts: (r,) rows of each joint with the payload.
        blocks: of time [s].
        share: of the gravity torque that the efforts have too much of, where gravity is free, and
            half of its 95 % interval; None against recordings without the payload.
        turned: angle of that gravity to the given one, and half of its interval [rad].
        gravity: (3,) where it is free [m/s^2].
        strength: of it, relative to that of the given one.
    """

    body: Array
    interval: Array
    noise: Array
    counts: Array
    blocks: int
    share: tuple[float, float] | None = None
    turned: tuple[float, float] = (0.0, 0.0)
    gravity: tuple[float, ...] = STANDARD_GRAVITY
    strength: float = 1.0

    @classmethod
    def of(cls, fitted: Fit) -> PayloadFit:
        """That of a fit with the term `payload`."""
        pi = fitted.value('payload').copy()
        pi[0] = pi[0] if abs(pi[0]) > ROUNDED_MASS else ROUNDED_MASS
        # Exact derivatives, by complex steps.
        slopes = np.array([central(pi + 1e-30j * unit).imag for unit in np.eye(len(pi))]).T / 1e-30
        body, rows = central(pi), fitted.rows
        carried = rows.shared[..., rows.places('payload')].any(axis=2)
        return cls(
            possible(body) if pi[0] > 0.0 else body,
            fitted.half_widths('payload', slopes),
            fitted.noise,
            (rows.used & carried).sum(axis=0),
            fitted.blocks,
        )

    def with_gravity(self, free: Fit, given: Array) -> PayloadFit:
        """The same with what a fit says in which gravity is free, beside the given one (3,)."""
        strength, change = max(float(np.linalg.norm(given)), LEAST_GRAVITY), free.value('gravity')
        along = given / strength
        across = change - along * (along @ change)
        length = max(float(np.linalg.norm(across)), np.finfo(float).tiny)
        width, wide = free.half_widths('gravity', np.stack([along, across / length])).tolist()
        size = max(float(np.linalg.norm(given + change)), LEAST_GRAVITY)
        return replace(
            self,
            share=(float(along @ change) / strength, width / strength),
            turned=(float(np.arctan2(length, along @ (given + change))), wide / size),
            gravity=tuple((given + change).tolist()),
            strength=size / strength,
        )


def estimate_recorded_payload(
    model: RobotModel,
    frame: str,
    motions: Iterable[Motion],
    without: Iterable[Motion] | None = None,
    parameters: JointModel = AS_DESCRIBED,
    *,
    gravity: Sequence[float] = STANDARD_GRAVITY,
    cutoff: float | None = None,
) -> PayloadEstimate:
    """What a link carries.

    The reference is the model with friction, rotors and offsets of its joints; what torque offset
    and friction each joint has beside it is estimated too. With a recording without the payload,
    bodies and rotors of the robot itself are estimated from both.

    Args:
        model: of the robot without the payload; its independent joints are those of the motions.
        frame: name of the link.
        motions: with the payload.
        without: without it; None: there are none.
        parameters: friction, offsets and rotors in place of those of the description, such as
            those of an identified model, which a URDF does not hold.
        gravity: (3,) in the axes of the root link [m/s^2].
        cutoff: of the low pass of columns and efforts [Hz]; None: that of the motions.

    Raises:
        UnknownNameError: no link has that name.
        ParameterError: no joint moves the link, or the model has no mass and there is no
            recording without the payload.
        StateError: gravity is not three finite numbers, or too strong to be meant.
        RecordingError: no effort of a joint that carries the link was recorded.
    """
    model = parameters.with_rotors(model)
    joints, compared = model.joints_that_move(frame), without is not None
    # The recording without the payload cancels the error of the model.
    error = 0.0 if compared else model_error(model)
    friction, rows = parameters.friction(model), list(model.indices_of(joints))
    robot = [BODIES, ARMATURE] if compared else [GRAVITY]
    maker = RowMaker(
        RobotDynamics(model, gravity=gravity),
        [payload_on(model, frame), *robot, *FRICTION, OFFSET],
        joints=rows,
        friction=friction,
        offsets=parameters.offsets(model),
        cutoff=cutoff,
    )
    for recorded, absent in ((motions, ()), (without, ('payload',))):
        maker.measured = recorded is None
        for motion in recorded or ():
            maker.add(motion, absent)
        if not maker.measured:
            raise RecordingError(
                'no effort is measured: a payload needs the field effort of joint states, in N m, '
                f'of {", ".join(joints)}'
            )
    made, given = maker.rows(), {k: one[rows] for k, one in given_friction(friction).items()}
    if compared:
        bodies = LogCholesky(model)
        prior: Prior = {'payload': plausible_payload}
        found = PayloadFit.of(fit(made, given=given, prior=prior, bodies=bodies))
        return judged(frame, joints, found, error)
    prior = {'payload': plausible_payload, 'gravity': np.zeros_like}
    known = fit(made, given=given, prior=prior)
    free = fit(made, given=given, prior={**prior, 'gravity': _any_gravity})
    return judged(frame, joints, PayloadFit.of(known).with_gravity(free, np.array(gravity)), error)


def given_friction(friction: JointFriction) -> dict[str, Array]:
    """Coefficients (n,) that a model of friction and rotors has, of regressors with a bound."""
    kinds = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative', 'stribeck', 'load')
    own = independent(friction, kinds)
    found = dict(zip(kinds[:2], np.minimum(own[:2], own[2:4]), strict=True))
    return found | {'stribeck': own[4], 'load': own[5], 'armature': friction.rotors}


def plausible_payload(payload: Array) -> Array:
    """Standard deviations (10,) of the prior of the parameters of a payload (10,)."""
    scale = max(abs(float(payload[0])), LEAST_MASS)
    return np.array([MASS, *[scale * CENTER] * 3, *[scale * INERTIA] * 6])


def _any_gravity(gravity: Array) -> Array:
    return np.full_like(gravity, ANY_GRAVITY)


def judged(
    frame: str, joints: tuple[str, ...], found: PayloadFit, error: float
) -> PayloadEstimate:
    """What a fit determines, or why it must not be used.

    Args:
        frame: name of the link.
        joints: names of the joints of the equations.
        found: of the payload.
        error: mass that may be the error of the model [kg], see `model_error`.
    """
    body, interval = found.body, found.interval
    refusal = _refusal(joints, found, error)
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
        noise=dict(zip(joints, found.noise.tolist(), strict=True)),
        equations=dict(zip(joints, found.counts.astype(int).tolist(), strict=True)),
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


def _refusal(joints: tuple[str, ...], found: PayloadFit, error: float) -> str:
    """Why the mass is not determined; empty where it is."""
    counts, share, width = found.counts, found.share, float(found.interval[0])
    if not counts.any():
        return (
            f'no joint that carries the link moves, of {", ".join(joints)}: move them, faster '
            'than 0.02 rad/s'
        )
    if found.blocks < LEAST_BLOCKS:
        return (
            f'the motion is too short, {found.blocks} s of {LEAST_BLOCKS} s that an interval '
            'needs: go on moving, or record longer'
        )
    (angle, half), strength = np.rad2deg(found.turned).tolist(), found.strength
    if share and angle > max(TURNED, CERTAIN * half) and abs(np.log(strength)) < ALIKE:
        x, y, z = found.gravity
        return (
            f'gravity in the efforts is turned by {angle:.0f} +- {half:.0f} degrees: is the base '
            f'turned? Give --gravity; of an arm without a payload {x:.1f},{y:.1f},{z:.1f} m/s^2'
        )
    if share and abs(share[0]) > max(LACKING, CERTAIN * share[1]):
        lacking, half = -share[0], share[1]
        part = f'{100.0 * lacking:.0f} +- {100.0 * half:.0f} %'
        what = f'lack {part if lacking <= 1.0 + half else "all"} of'
        cause = 'the driver takes gravity out of them, or their unit is not N m'
        if lacking < 0.0:
            what = f'contain {_number(1.0 - lacking, 2)} times'
            cause = 'their unit is not N m, or the robot is not that of the URDF'
        return (
            f'the measured efforts {what} the gravity torque of the robot: {cause}; they do not '
            'determine a payload'
        )
    mass = float(found.body[0])
    text = f'the mass is {_number(mass, 3)} +- {_number(width, 2)} kg'
    still = ', '.join(joints[index] for index in np.flatnonzero(counts == 0))
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


def central(pi: npt.NDArray[Any]) -> Array:
    """Mass, centre, and inertia about the centre (10,), of `PARAMETERS` (10,), real or complex."""
    body = body_of(pi.tolist())
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
    return np.array([body.mass, *body.center_of_mass, xx, xy, yy, xz, yz, zz])


def possible(body: Array) -> Array:
    """The nearest body with that mass and centre that can exist; both (10,) as of `central`.

    Its second moments trace(I) / 2 - I are positive definite. Nearest in the Frobenius norm are
    those whose lower eigenvalues are raised (N. Higham, Computing a nearest symmetric positive
    semidefinite matrix, 1988).
    """
    mass = float(body[0])
    values, axes = np.linalg.eigh(body_of([mass, *ZERO, *body[4:]]).second_moment)
    moments = (axes * np.maximum(values, THINNEST**2 * mass)) @ axes.T
    return np.append(body[:4], parameters_of(Inertia(mass, ZERO, moments.tolist()))[4:])
