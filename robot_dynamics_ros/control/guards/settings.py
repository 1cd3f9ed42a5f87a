"""The settings of the guards, and the limits that follow from them and from the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.robot import RobotModel

from ..position_limits import joint_reach
from .supervisor import OnCollision, OnRestart, OnStale, OnStop

# Rate limit of a joint without an effort limit [N m/s]: 0.3 s for the torque of a large arm.
UNKNOWN_RATE = 1000.0
# Default rate limit per effort limit [1/s]: 0.1 s from zero to the full torque.
RATE_PER_EFFORT = 10.0
# See `reference_distances` [s], [-].
REFERENCE_TIME, REFERENCE_SHARE = 0.5, 0.25


@dataclass(frozen=True)
class GuardSettings:
    """Settings of all guards; each may change while the robot is commanded.

    Attributes:
        state_timeout: age at which the last good measurement of a commanded joint is stale [s].
        other_state_timeout: the same of a joint that is not commanded [s].
        on_stale: what is commanded while the state is stale: 'hold' for gravity compensation at
            the last good state, 'zero' for zero torque, 'stop' for nothing.
        reference_timeout: time after the end of a reference at which it is dropped [s].
        reference_tolerance: largest distance of the measured position from a reference, one for
            each commanded joint, or one for all [rad or m]; 0 for any distance; empty for the
            default of `reference_distances`.
        fade_time: duration of the fade at each change of what is commanded [s].
        on_stop: the final command of a robot that is stopped: 'zero' or 'hold'.
        on_restart: where commands begin that continue no known command: see `CommandStart`.
        effort_limits: one for each commanded joint, or one for all [N m or N]; empty for those of
            the description.
        effort_scale: share of the effort limits that may be commanded [-].
        effort_rate_limits: one for each commanded joint, or one for all [N m/s or N/s]; empty for
            the default of `torque_rates`.
        velocity_cutoff: cutoff of the `VelocityEstimate` [Hz], for joints whose velocity is not
            measured; 0: it is not used.
        on_collision: what is commanded after a collision: 'report' for no change, 'hold' for
            gravity compensation, 'zero' for zero torque, 'stop' for the final command.
    """

    state_timeout: float = 0.1
    other_state_timeout: float = 1.0
    on_stale: OnStale = 'hold'
    reference_timeout: float = 0.5
    reference_tolerance: tuple[float, ...] = ()
    fade_time: float = 1.0
    on_stop: OnStop = 'zero'
    on_restart: OnRestart = 'automatic'
    effort_limits: tuple[float, ...] = ()
    effort_scale: float = 1.0
    effort_rate_limits: tuple[float, ...] = ()
    velocity_cutoff: float = 0.0
    on_collision: OnCollision = 'report'


def torque_limits(model: RobotModel, joints: Sequence[str], settings: GuardSettings) -> Array:
    """The largest command (k,) of some joints [N m or N]; infinite where no limit is known.

    A limit in the description that is not positive counts as none: zero would leave the joint
    without torque.

    Args:
        model: of the robot.
        joints: names of the commanded joints, k of them.
        settings: of the guards.

    Raises:
        ParameterError: the number of limits is neither 1 nor k.
    """
    given = per_joint('effort_limits', settings.effort_limits, joints)
    if given is None:
        given = model.effort_bounds[model.indices_of(joints)]
    return settings.effort_scale * given


def joints_without_limit(
    model: RobotModel, joints: Sequence[str], settings: GuardSettings
) -> tuple[str, ...]:
    """The commanded joints for which neither settings nor description say an effort limit.

    An infinite limit in the settings is one that was chosen; one that the description lacks, or
    that is not positive there, was forgotten.

    Args:
        model: of the robot.
        joints: names of the commanded joints.
        settings: of the guards.
    """
    if settings.effort_limits:
        return ()
    limits = torque_limits(model, joints, settings)
    return tuple(name for name, limit in zip(joints, limits, strict=True) if np.isinf(limit))


def torque_rates(limits: Array, joints: Sequence[str], settings: GuardSettings) -> Array:
    """The largest change (k,) of a command [N m/s or N/s].

    By default it is `RATE_PER_EFFORT` times the effort limit, or `UNKNOWN_RATE` where the limit is
    infinite or zero: a command must be able to decrease to a limit of zero.

    Args:
        limits: (k,) the unscaled effort limits [N m or N].
        joints: names of the commanded joints, k of them.
        settings: of the guards.

    Raises:
        ParameterError: the number of rates is neither 1 nor k.
    """
    given = per_joint('effort_rate_limits', settings.effort_rate_limits, joints)
    if given is None:
        known = np.isfinite(limits) & (limits > 0.0)
        given = np.where(known, RATE_PER_EFFORT * limits, UNKNOWN_RATE)
    return given


def reference_distances(
    model: RobotModel, joints: Sequence[str], settings: GuardSettings
) -> Array:
    """The largest distance (k,) of a position from the reference [rad or m]; infinite for any.

    By default what the joint covers in `REFERENCE_TIME` at its velocity limit, at most
    `REFERENCE_SHARE` of its range: farther away the gravity torque is that of another pose.

    Args:
        model: of the robot.
        joints: names of the commanded joints, k of them.
        settings: of the guards.

    Raises:
        ParameterError: the number of tolerances is neither 1 nor k.
    """
    given = per_joint('reference_tolerance', settings.reference_tolerance, joints)
    if given is None:
        return joint_reach(model, REFERENCE_TIME, REFERENCE_SHARE)[model.indices_of(joints)]
    return np.where(given > 0.0, given, np.inf)


def per_joint(name: str, values: Sequence[float], joints: Sequence[str]) -> Array | None:
    """One value for each commanded joint (k,); None if there are no values.

    Args:
        name: of the parameter, for the message.
        values: one for each joint, one for all, or none.
        joints: names of the commanded joints, k of them.

    Raises:
        ParameterError: the number of values is neither 1 nor k.
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
