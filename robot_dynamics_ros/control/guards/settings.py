"""What the guards go by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.robot import RobotModel

from .supervisor import OnStale, OnStop

# Where the description gives no effort limit [N m/s]: a large arm has its torque in 0.3 s.
UNKNOWN_RATE = 1000.0
# The full torque in a tenth of a second.
RATE_PER_EFFORT = 10.0


@dataclass(frozen=True)
class GuardSettings:
    """All of them may change while a robot runs.

    Attributes:
        state_timeout: without a good state until it is stale [s].
        on_stale: what is commanded then.
        reference_timeout: after the end of a reference until it is dropped [s].
        fade_time: of every change of what is commanded [s].
        on_stop: the last command of a robot that is stopped.
        jump_tolerance: see `StateGuard` [rad or m].
        effort_limits: of each commanded joint [N m or N]; empty: those of the description.
        effort_scale: share of the effort limits that may be commanded [-].
        effort_rate_limits: of each commanded joint [N m/s or N/s]; empty: see `rates`.
        acceleration_cutoff: of the `AccelerationEstimate` [Hz]; 0: not used.
    """

    state_timeout: float = 0.1
    on_stale: OnStale = 'hold'
    reference_timeout: float = 0.5
    fade_time: float = 1.0
    on_stop: OnStop = 'zero'
    jump_tolerance: float = 0.1
    effort_limits: tuple[float, ...] = ()
    effort_scale: float = 1.0
    effort_rate_limits: tuple[float, ...] = ()
    acceleration_cutoff: float = 0.0


def torque_limits(model: RobotModel, joints: Sequence[str], settings: GuardSettings) -> Array:
    """The largest command (k,) of these joints [N m or N], infinite where none is known.

    A limit of zero in the description counts as none: it would leave the joint without torque. So
    does a negative one.

    Raises:
        ParameterError: the number of limits is not that of the joints.
    """
    given = per_joint('effort_limits', settings.effort_limits, joints)
    if given is None:
        described = {joint.name: joint.limits.effort for joint in model.independent_joints}
        given = np.array([described[name] if described[name] > 0.0 else np.inf for name in joints])
    return settings.effort_scale * given


def torque_rates(limits: Array, joints: Sequence[str], settings: GuardSettings) -> Array:
    """The largest change (k,) of a command [N m/s or N/s], by default from unscaled limits (k,).

    A limit of zero gives no rate: a command that is not zero yet must come down at some.

    Raises:
        ParameterError: the number of rates is not that of the joints.
    """
    given = per_joint('effort_rate_limits', settings.effort_rate_limits, joints)
    if given is None:
        known = np.isfinite(limits) & (limits > 0.0)
        given = np.where(known, RATE_PER_EFFORT * limits, UNKNOWN_RATE)
    return given


def per_joint(name: str, values: Sequence[float], joints: Sequence[str]) -> Array | None:
    """Values of each commanded joint (k,), from as many, or from one for all; None from none.

    Raises:
        ParameterError: there is another number of them.
    """
    if not values:
        return None
    if len(values) == 1:
        values = [values[0]] * len(joints)
    if len(values) != len(joints):
        raise ParameterError(
            f'{name} has {len(values)} values, one for all or one for each commanded joint is '
            f'needed: {", ".join(joints)}'
        )
    return np.array(values, dtype=np.float64)
