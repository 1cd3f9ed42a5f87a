"""The estimate of a payload: what the data determine, how certainly, and its form for use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.core.model.robot import RobotModel

from .body_parameters import tensor
from .payload_fit import PayloadFit
from .payload_refusal import DISTANCE, MODEL_ERROR, centre_refusal, heavy, refusal

# Of the mean moment of inertia: what its 95 % interval must be narrower than, to both sides.
MOMENT_SHARE = 0.5
MOMENTS = ('ixx', 'ixy', 'iyy', 'ixz', 'iyz', 'izz')


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
    com: tuple[float, float, float]
    inertia: tuple[float, ...]
    mass_interval: float
    com_interval: tuple[float, float, float]
    inertia_interval: tuple[float, ...]
    determined: str
    refusal: str
    noise: Mapping[str, float]
    equations: Mapping[str, int]
    doubt: str = ''

    @property
    def payload(self) -> Payload:
        """For `RobotModel.with_checked_payload`.

        Raises:
            ParameterError: the estimate is refused, so that no body has it.
        """
        return Payload(
            'payload', self.frame, self.mass, self.com, tensor(np.array(self.inertia)).tolist()
        )

    def sentence(self) -> str:
        """The estimate in words, with intervals."""
        if self.refusal:
            return self.refusal
        com = ', '.join(f'{1e3 * x:.1f}' for x in self.com)
        com_interval = ', '.join(f'{1e3 * x:.1f}' for x in self.com_interval)
        text = (
            f'{self.mass:.4g} +- {self.mass_interval:.2g} kg on {self.frame}, centre of mass '
            f'({com}) +- ({com_interval}) mm{self._inertia_words()}'
        )
        return f'{text}; the mass is {self.doubt}' if self.doubt else text

    def _inertia_words(self) -> str:
        if self.determined == 'mass and centre':
            return (
                '; the motion does not determine the inertia, which is zero here, as of a point '
                'mass: accelerate faster to determine it'
            )
        moments = ', '.join(f'{x:.3g}' for x in self.inertia)
        intervals = ', '.join(f'{x:.2g}' for x in self.inertia_interval)
        return f', inertia ({", ".join(MOMENTS)}) ({moments}) +- ({intervals}) kg m^2'

    def service_call(self, node: str = '/robot_dynamics') -> str:
        """The command that sets this payload; empty where the estimate is refused.

        Args:
            node: full name of the node.
        """
        if self.refusal:
            return ''
        x, y, z = (f'{value:.6g}' for value in self.com)
        moments = ', '.join(
            f'{name}: {value:.6g}' for name, value in zip(MOMENTS, self.inertia, strict=True)
        )
        return (
            f'ros2 service call {node}/set_payload robot_dynamics_interfaces/srv/SetPayload '
            f"\"{{frame: '{self.frame}', inertia: {{m: {self.mass:.6g}, "
            f'com: {{x: {x}, y: {y}, z: {z}}}, {moments}}}}}"'
        )

    def as_json(self) -> dict[str, Any]:
        """For JSON."""
        return {
            'frame': self.frame,
            'mass': self.mass,
            'mass_interval': self.mass_interval,
            'com': list(self.com),
            'com_interval': list(self.com_interval),
            'inertia': dict(zip(MOMENTS, self.inertia, strict=True)),
            'inertia_interval': dict(zip(MOMENTS, self.inertia_interval, strict=True)),
            'determined': self.determined,
            'refusal': self.refusal,
            'noise': dict(self.noise),
            'equations': dict(self.equations),
            'set_payload': self.service_call(),
        }


def payload_estimate(
    frame: str,
    joints: tuple[str, ...],
    fit: PayloadFit,
    counts: Array,
    share: PayloadFit | None,
    error: float = 0.0,
) -> PayloadEstimate:
    """Judge a fit.

    Args:
        frame: name of the link.
        joints: names of the joints of the equations.
        fit: of the payload.
        counts: (r,) equations of each joint.
        share: a fit with the share of gravity that the efforts lack as first of its others; None
            for an estimate against recordings without the payload.
        error: mass that may be the error of the model [kg], see `model_error`.
    """
    interval = student(fit.blocks - 1) * np.sqrt(np.diag(fit.covariance))
    theta = fit.theta
    refused = refusal(joints, fit, counts, interval, share, error)
    determined = '' if refused else _determined(theta, interval)
    told = np.full(10, np.nan)
    if 'centre' in determined:
        told[1:4] = theta[1:4]
        told[4:] = theta[4:] if determined.endswith('inertia') else 0.0
    x, y, z = told[1:4].tolist()
    dx, dy, dz = interval[1:4].tolist()
    return PayloadEstimate(
        frame=frame,
        mass=float(theta[0]),
        com=(x, y, z),
        inertia=tuple(told[4:].tolist()),
        mass_interval=float(interval[0]),
        com_interval=(dx, dy, dz),
        inertia_interval=tuple(interval[4:].tolist()),
        determined=determined,
        refusal=centre_refusal(frame, theta, interval) if determined == 'mass' else refused,
        noise=dict(zip(joints, fit.noise.tolist(), strict=True)),
        equations={name: int(count) for name, count in zip(joints, counts, strict=True)},
        doubt=heavy(float(theta[0]), error),
    )


def model_error(model: RobotModel) -> float:
    """The mass that the error of a model may be at least, its payloads left out [kg].

    Raises:
        ParameterError: it has no mass: the payload would be the robot too.
    """
    mass = float(sum(joint.inertia.mass for joint in (model.unloaded or model).joints))
    if mass <= 0.0:
        raise ParameterError(
            f'the description of {model.name} has no mass, and what carries a payload cannot be '
            'told from it: identify the robot first (robot_dynamics identify), or record it with '
            'the payload and without it (robot_dynamics identify --payload FRAME --without BAG)'
        )
    return MODEL_ERROR * mass


def student(freedom: float) -> float:
    """The 97.5 % quantile of Student's t.

    Abramowitz, Stegun, Handbook of Mathematical Functions, 26.7.5: to 1 % from 4 degrees of
    freedom on.

    Args:
        freedom: degrees of freedom.
    """
    z, n = NormalDist().inv_cdf(0.975), max(freedom, 1.0)
    return (
        z
        + (z**3 + z) / (4.0 * n)
        + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * n**2)
        + (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / (384.0 * n**3)
    )


def _determined(theta: Array, interval: Array) -> str:
    """What is determined beside the mass."""
    if interval[1:4].max() > DISTANCE:
        return 'mass'
    moment = (theta[4] + theta[6] + theta[9]) / 3.0
    if interval[4:].max() > MOMENT_SHARE * moment:
        return 'mass and centre'
    return 'mass, centre and inertia'
