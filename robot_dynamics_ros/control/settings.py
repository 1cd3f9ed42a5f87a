"""The settings between a joint state and a command, and the limits that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.robot import RobotModel

OnStale = Literal['hold', 'zero', 'stop']
OnStop = Literal['zero', 'hold']
OnRestart = Literal['automatic', 'fade_from_zero', 'take_over']
OnCollision = Literal['report', 'hold', 'zero', 'stop']
DriverEffort = Literal['torque', 'reversed_torque', 'torque_without_gravity', 'current', 'none']

# Joints that are not commanded, such as a gripper, may come that much more slowly [-].
OTHER_JOINTS = 10.0
# Stands for the effort limit of a joint without any, where a share of it is needed [N m or N].
UNKNOWN_LIMIT = 10.0
# Rate limit of a joint without an effort limit [N m/s]: 0.3 s for the torque of a large arm.
UNKNOWN_RATE = 1000.0
# Rate limit per effort limit [1/s]: 0.1 s from zero to the full torque.
RATE_PER_EFFORT = 10.0
# Of the friction that is compensated at a measured velocity [-]: with coefficients that are up to
# three times too large that is less than the friction itself, and an arm that moves comes to rest.
FRICTION_SHARE = 0.3


@dataclass(frozen=True)
class Settings:
    """Settings of all that a command passes; each may change while the robot is commanded.

    Attributes:
        state_timeout: age at which the last good measurement of a commanded joint is stale [s];
            that of another joint at `OTHER_JOINTS` times this.
        on_stale: what is commanded while the state is stale: 'hold' for gravity compensation at
            the last good state, 'zero' for zero torque, 'stop' for nothing.
        reference_tolerance: largest |g(q_ref) - g(q)| of each commanded joint, as a share of its
            effort limit [-]; infinite for any.
        fade_time: duration of the fade at each change of what is commanded [s].
        on_stop: the final command of a robot that is stopped: 'zero' or 'hold'.
        on_restart: where commands begin that continue no known command: see `StartTorque`.
        effort_limits: one for each commanded joint, or one for all [N m or N]; empty for those of
            the description.
        massless_joints: names of joints that move no mass on purpose.
        on_collision: what is commanded after a collision: 'report' for no change, 'hold' for
            gravity compensation, 'zero' for zero torque, 'stop' for the final command.
        driver_effort: what `effort` in joint states means, see `driver_effort`.
        friction_share: of the friction that is compensated at a measured velocity [-].
    """

    state_timeout: float = 0.1
    on_stale: OnStale = 'hold'
    reference_tolerance: float = 0.2
    fade_time: float = 1.0
    on_stop: OnStop = 'zero'
    on_restart: OnRestart = 'automatic'
    effort_limits: tuple[float, ...] = ()
    massless_joints: tuple[str, ...] = ()
    on_collision: OnCollision = 'report'
    driver_effort: DriverEffort = 'torque'
    friction_share: float = FRICTION_SHARE


def torque_limits(model: RobotModel, joints: Sequence[str], settings: Settings) -> Array:
    """The largest command (k,) of some joints [N m or N]; infinite where no limit is known.

    A limit in the description that is not positive counts as none: zero would leave the joint
    without torque.

    Raises:
        ParameterError: the number of limits is neither 1 nor k.
    """
    given = per_joint('effort_limits', settings.effort_limits, joints)
    return model.effort_bounds[model.indices_of(joints)] if given is None else given


def torque_rates(limits: Array) -> Array:
    """The largest change (k,) of a command [N m/s or N/s], from the effort limits (k,) [N m or N].

    That is `RATE_PER_EFFORT` times the limit, or `UNKNOWN_RATE` where the limit is infinite or
    zero: a command must be able to decrease to a limit of zero.
    """
    return np.where(np.isfinite(limits) & (limits > 0.0), RATE_PER_EFFORT * limits, UNKNOWN_RATE)


def per_joint(name: str, values: Sequence[float], joints: Sequence[str]) -> Array | None:
    """One value of a parameter for each commanded joint (k,); None if there are no values.

    Raises:
        ParameterError: the number of values is neither 1 nor k.
    """
    if not values:
        return None
    if len(values) not in (1, len(joints)):
        raise ParameterError(
            f'{name} has {len(values)} values, one for all or one for each commanded joint is '
            f'needed: {", ".join(joints)}'
        )
    return np.broadcast_to(np.array(values, dtype=np.float64), len(joints)).copy()
