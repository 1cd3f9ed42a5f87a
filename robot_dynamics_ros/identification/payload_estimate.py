"""The estimate of a payload: what is determined, how certainly, or why it must not be used."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.robot import RobotModel

MOMENTS = ('ixx', 'ixy', 'iyy', 'ixz', 'iyz', 'izz')
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
class PayloadFit:
    """What least squares gives.

    Attributes:
        body: (10,) mass, centre, and inertia about the centre; of a body that can exist, unless
            its mass is negative.
        covariance: (10, 10) of it.
        share: first parameter behind those of the payload, with its standard deviation.
        noise: (r,) standard deviation of the residuals of each joint [N m or N].
        inflation: (r,) the factor of their variance, as neighbours are correlated.
        blocks: number of blocks of time.
    """

    body: Array
    covariance: Array
    share: tuple[float, float]
    noise: Array
    inflation: Array
    blocks: int


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

    def service_call(self, node: str = '/robot_dynamics') -> str:
        """The command that sets this payload; empty where the estimate is refused.

        Args:
            node: full name of the node.
        """
        if self.refusal:
            return ''
        x, y, z = (f'{value:.6g}' for value in self.com)
        pairs = zip(MOMENTS, self.inertia, strict=True)
        moments = ', '.join(f'{name}: {value:.6g}' for name, value in pairs)
        return (
            f'ros2 service call {node}/set_payload robot_dynamics_interfaces/srv/SetPayload '
            f"\"{{frame: '{self.frame}', inertia: {{m: {self.mass:.6g}, "
            f'com: {{x: {x}, y: {y}, z: {z}}}, {moments}}}}}"'
        )

    def as_json(self) -> dict[str, Any]:
        """For JSON."""
        found = asdict(self)
        for name in ('inertia', 'inertia_interval'):
            found[name] = dict(zip(MOMENTS, found[name], strict=True))
        return found | {'set_payload': self.service_call()}


def payload_estimate(
    frame: str,
    joints: tuple[str, ...],
    fit: PayloadFit,
    counts: Array,
    share: tuple[float, float] | None,
    error: float,
) -> PayloadEstimate:
    """Judge a fit.

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
    interval = student(fit.blocks - 1) * np.sqrt(np.diag(fit.covariance))
    refusal = _refusal(joints, fit, float(interval[0]), counts, share, error)
    determined, told, robot = '', np.full(9, np.nan), error / MODEL_ERROR
    doubt = (
        f'more than the robot itself has, {_number(robot, 3)} kg: are the efforts in N m?'
        if 0.0 < robot < body[0]
        else ''
    )
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
    """The mass that the error of a model may be at least, its payloads left out [kg].

    Raises:
        ParameterError: it has no mass: the payload would be the robot too.
    """
    mass = float(sum(joint.inertia.mass for joint in (model.unloaded or model).joints))
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
