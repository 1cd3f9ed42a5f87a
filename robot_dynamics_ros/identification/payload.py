"""What a link carries, from motion and measured efforts: a call of the regression.

>>> estimate_recorded_payload(model, 'flange', recording.motions()).sentence()
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.friction import KINDS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import ZERO, Inertia
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.regression import regressors
from robot_dynamics_ros.regression.bodies import BODY, LogCholesky
from robot_dynamics_ros.regression.fit import Fit
from robot_dynamics_ros.regression.rows import Rows, make_rows

MOMENTS = ('ixx', 'ixy', 'iyy', 'ixz', 'iyz', 'izz')
# Standard deviations of the prior, wider than any tool is: of the mass [kg], and for each kg of
# it, of the first moment [m] and of the inertia about the frame [m^2]; and the least mass that the
# latter are for [kg].
MASS, CENTER, INERTIA, MIN_MASS = 100.0, 0.3, 0.04, 0.1
# Smaller masses are rounding [kg]; a body extends by this much along each axis, rms [m].
ROUNDED_MASS, THINNEST = 1e-9, 1e-3
# What half of the 95 % interval may be at most (docs/payload.md): a share of the mass; a distance
# of the centre [m]; a share of the mean moment of inertia. Of the mass of a robot: no model is
# better than that. Blocks of time that an interval needs [s].
MAX_MASS, MAX_CENTER, MAX_MOMENT, MODEL_ERROR, MIN_BLOCKS = 0.1, 0.02, 0.5, 1e-3, 4
# Gravity in the efforts that no error of a model explains: a share of its strength; if it is as
# strong as that, an angle [degrees].
LACKING, TURNED = 0.4, 10.0


@dataclass(frozen=True)
class PayloadEstimate:
    """A payload on a link, and half of its 95 % intervals, in the axes of the link.

    A centre that is not determined is NaN; so is an inertia, but zero if the centre is known.
    """

    frame: str  #: name of the link
    mass: float  #: that fits best, also where nothing is determined [kg]
    com: tuple[float, ...]  #: (3,) centre of mass in the frame of the link [m]
    inertia: tuple[float, ...]  #: (6,) `MOMENTS` about the centre of mass [kg m^2]
    mass_interval: float
    com_interval: tuple[float, ...]
    inertia_interval: tuple[float, ...]
    determined: str  #: `mass, centre and inertia`, `mass and centre`, `mass`, or empty
    refusal: str  #: why the estimate must not be used; empty if it may be
    noise: dict[str, float]  #: standard deviation of the residual of each joint [N m or N]
    equations: dict[str, int]  #: number of those of each joint
    doubt: str = ''  #: why the mass may be wrong all the same; or empty

    def sentence(self) -> str:
        """The estimate in words, with intervals."""
        if self.refusal:
            return self.refusal
        inertia = 'inertia not determined, zero as of a point mass: accelerate faster'
        if self.determined == 'mass, centre and inertia':
            inertia = (
                f'inertia ({", ".join(MOMENTS)}) ({_listed(self.inertia, ".3g")}) +- '
                f'({_listed(self.inertia_interval, ".2g")}) kg m^2'
            )
        return (
            f'{self.mass:.4g} +- {self.mass_interval:.2g} kg on {self.frame}; '
            f'centre ({_listed(self.com, ".4f")}) +- ({_listed(self.com_interval, ".4f")}) m; '
            f'{inertia}{f"; the mass is {self.doubt}" if self.doubt else ""}'
        )

    def service_call(self) -> str:
        """The command that sets this payload; empty where the estimate is refused."""
        pairs = zip((*'xyz', *MOMENTS), (*self.com, *self.inertia), strict=True)
        x, y, z, *moments = (f'{name}: {value:.6g}' for name, value in pairs)
        call = (
            'ros2 service call /robot_dynamics/set_payload '
            'robot_dynamics_interfaces/srv/SetPayload '
            f"\"{{frame: '{self.frame}', inertia: {{m: {self.mass:.6g}, "
            f'com: {{{x}, {y}, {z}}}, {", ".join(moments)}}}}}"'
        )
        return '' if self.refusal else call

    def as_json(self) -> dict[str, Any]:
        """For JSON."""
        found = asdict(self)
        for name in ('inertia', 'inertia_interval'):
            found[name] = dict(zip(MOMENTS, found[name], strict=True))
        return found | {'set_payload': self.service_call()}


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

    The torque that the model lacks is regressed on a payload, and on offset and friction of each
    joint; with a recording without the payload also on the bodies and rotors of the robot.

    Args:
        model: of the robot without the payload; its independent joints are those of the motions.
        frame: name of the link.
        motions: with the payload.
        without: without it; None: there are none.
        parameters: friction, offsets and rotors in place of those of the description.
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
    robot = 0.0 if compared else float(model.inertial_parameters()[::BODY].sum())
    if not compared and robot <= 0.0:
        raise ParameterError(
            f'the URDF of {model.name} has no mass: identify it, or give --without the payload'
        )
    friction, offsets = parameters.friction(model), parameters.offsets(model)
    places = list(model.indices_of(joints))
    known = {kind: friction[kind][friction.is_independent] for kind in KINDS}
    for kind in ('viscous', 'coulomb'):
        known[kind] = np.minimum(known[kind], known[f'{kind}_negative'])
    basis = [*regressors.friction_basis(known['smoothing']), regressors.OFFSET]
    beside = [regressors.BODIES, regressors.ARMATURE] if compared else [regressors.GRAVITY]
    terms = [regressors.payload_on(model, frame), *beside, *basis]
    dynamics, parts = RobotDynamics(model, gravity=gravity), []
    for recorded, absent in ((motions, ()), *(((without, ('payload',)),) if without else ())):
        segments = [_unexplained(one, places, friction, offsets) for one in recorded]
        if not any(np.isfinite(one.efforts).any() for one in segments):
            raise RecordingError(f'no effort of {", ".join(joints)} is measured, in N m')
        parts.append(make_rows(dynamics, terms, segments, absent=absent, cutoff=cutoff))
    rows, refusal = Rows.joined(parts), ''
    solved = partial(Fit, rows, given=known | {'armature': friction.rotors})
    if compared:
        fitted = solved(prior={'payload': plausible_payload}, bodies=LogCholesky(model))
    else:
        any_gravity = partial(np.full_like, fill_value=np.linalg.norm(STANDARD_GRAVITY))
        fitted, free = (
            solved(prior={'payload': plausible_payload, 'gravity': deviations})
            for deviations in (np.zeros_like, any_gravity)
        )
        refusal = _other_gravity(free, np.array(gravity))
    carried = rows.shared[..., rows.places('payload')].any(axis=2)
    equations = dict(zip(joints, (rows.used & carried).sum(axis=0)[places].tolist(), strict=True))
    noise = dict(zip(joints, fitted.noise[places].tolist(), strict=True))
    if not any(equations.values()):
        refusal = f'no joint that carries the link moves: move {", ".join(joints)}'
    elif (count := len(fitted.begins) - 1) < MIN_BLOCKS:
        refusal = f'the motion is too short, {count} s of {MIN_BLOCKS} s'
    return judged(frame, *_body(fitted), noise, equations, robot, refusal)


def _unexplained(
    motion: Motion, places: Sequence[int], friction: JointFriction, offsets: Array
) -> Motion:
    """With what known friction and offsets leave of the efforts of some joints."""
    slips, left = friction.slips().along(motion.positions), np.full_like(motion.efforts, np.nan)
    known = friction.torque(motion.velocities, slips=slips) + offsets
    left[:, places] = (motion.efforts - known)[:, places]
    return replace(motion, efforts=left)


def plausible_payload(payload: Array) -> Array:
    """Standard deviations (10,) of the prior of the parameters of a payload (10,)."""
    scale = max(abs(float(payload[0])), MIN_MASS)
    return np.array([MASS, *[scale * CENTER] * 3, *[scale * INERTIA] * 6])


def _other_gravity(free: Fit, given: Array) -> str:
    """What is wrong with gravity in the efforts, of a fit in which it is free; or empty."""
    strength, change = float(np.linalg.norm(given)), free.value('gravity')
    if not strength:
        return ''
    found, along = given + change, given / strength
    across = change - along * (along @ change)
    size, sideways = (max(float(np.linalg.norm(x)), ROUNDED_MASS) for x in (found, across))
    width, wide = free.half_widths('gravity', np.stack([along, across / sideways])).tolist()
    angle, half = np.rad2deg([np.arctan2(sideways, along @ found), wide / size]).tolist()
    if angle - half > TURNED and abs(size / strength - 1.0) < LACKING:
        return (
            f'gravity in the efforts is turned by {angle:.0f} +- {half:.0f} degrees: is the base '
            f'turned? Give --gravity; without a payload {_listed(found, ".1f", ",")} m/s^2'
        )
    factor, width = float(along @ found) / strength, width / strength
    if abs(factor - 1.0) - width > LACKING:
        return (
            f'the efforts have {factor:.2f} +- {width:.2f} times the gravity torque: the driver '
            'takes gravity out of them, or their unit is not N m'
        )
    return ''


def judged(
    frame: str,
    body: Array,
    interval: Array,
    noise: dict[str, float],
    equations: dict[str, int],
    robot: float,
    refusal: str = '',
) -> PayloadEstimate:
    """What is determined of a body (10,) as of `central`, with half of its intervals (10,).

    `robot` is the mass of the robot [kg], or 0 where the error of its model cancels.
    """
    mass, (width, *widths), error = float(body[0]), interval.tolist(), MODEL_ERROR * robot
    text, least = f'the mass is {mass:.3g} +- {width:.2g} kg', max(width, error)
    still = ', '.join(joint for joint, count in equations.items() if not count)
    moved = f', also {still}, which did not move or have no effort' if still else ''
    more = f'move longer and wider{moved}'
    causes = (
        (mass < -error < 0.0, 'is a hand of the URDF not mounted, or are the efforts not in N m?'),
        (True, 'are the recordings exchanged?'),
    ) if mass < -least else (
        (mass <= error and width < error, f'no payload, the model may err by {error:.2g} kg'),
        (mass <= width, f'no payload, or too little of it: {more}'),
        (width > MAX_MASS * mass, f'+- {MAX_MASS:.0%} is needed: {more}'),
    )  # fmt: skip
    refusal = refusal or next((f'{text}: {cause}' for applies, cause in causes if applies), '')
    determined, told = '' if refusal else 'mass', np.full(9, np.nan)
    if determined and max(widths[:3]) > MAX_CENTER:
        refusal = (
            f'{mass:.4g} +- {width:.2g} kg, centre +- {max(widths[:3]):.2g} m, {MAX_CENTER:g} m '
            f'is needed: turn {frame} about several axes'
        )
    elif determined and max(widths[3:]) > MAX_MOMENT * body[[4, 6, 9]].mean():
        determined, told = 'mass and centre', np.append(body[1:4], np.zeros(6))
    elif determined:
        determined, told = 'mass, centre and inertia', body[1:]
    com, inertia = tuple(told[:3].tolist()), tuple(told[3:].tolist())
    heavy = f'more than that of the robot, {robot:.3g} kg: are the efforts in N m?'
    return PayloadEstimate(
        frame, mass, com, inertia, width, tuple(widths[:3]), tuple(widths[3:]),
        determined, refusal, noise, equations, heavy if 0.0 < robot < mass else '',
    )  # fmt: skip


def _listed(values: Iterable[float], digits: str, comma: str = ', ') -> str:
    return comma.join(f'{value:{digits}}' for value in values)


def _body(fitted: Fit) -> tuple[Array, Array]:
    """Mass, centre, and inertia about the centre (10,) of the payload, and their intervals."""
    pi = fitted.value('payload').copy()
    pi[0] = pi[0] if abs(pi[0]) > ROUNDED_MASS else ROUNDED_MASS
    # Exact derivatives, by complex steps.
    slopes = np.array([central(pi + 1e-30j * unit).imag for unit in np.eye(len(pi))]).T / 1e-30
    body = central(pi)
    return possible(body) if pi[0] > 0.0 else body, fitted.half_widths('payload', slopes)


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
