"""Motions of a robot that is pushed, with the efforts that its drives give: all known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotDynamics


@dataclass(frozen=True)
class PushedMotion:
    """States at some times, (N,) and (N, n); no noise."""

    times: Any
    q: Any
    v: Any
    a: Any
    efforts: Any

    def observed(self, observer: Any) -> Any:
        """r (N, n) of an observer that sees each state."""
        rows = zip(self.q, self.v, self.efforts, self.times, strict=True)
        return np.array([observer.step(q, v, effort, time) for q, v, effort, time in rows])


def pushed_motion(
    dynamics: RobotDynamics,
    times: Any,
    push: Callable[[Any], Any] | Any = 0.0,
    *,
    speed: float = 1.0,
    friction: JointFriction | None = None,
    offset: Any = 0.0,
) -> PushedMotion:
    """Sums of two sines for each joint: effort = M a + C v + g + f(v) + offset - push.

    Args:
        dynamics: of the robot.
        times: (N,) [s].
        push: external torque [N m or N], (n,), or a function of the times that gives (N, n).
        speed: 1 for sines of about 0.5 Hz and 1 Hz; 0 for a robot at rest.
        friction: of the joints.
        offset: (n,) constant torque of the joints.
    """
    size = dynamics.model.size
    joints = np.arange(size)
    rates = speed * 2.0 * np.pi * np.array([0.5 + 0.07 * joints, 1.0 - 0.05 * joints])
    angles = np.asarray(times)[:, None, None] * rates + np.array([joints, 2.0 * joints])
    q, v, a = ((0.4 * rates**k * np.sin(angles + k * np.pi / 2.0)).sum(axis=1) for k in range(3))
    efforts = dynamics.inverse_dynamics(q, v, a) + offset
    if friction is not None:
        efforts = efforts + friction.torque(v)
    efforts = efforts - (push(times) if callable(push) else push)
    return PushedMotion(np.asarray(times), q, v, a, efforts)


def uneven_times(seconds: float, interval: float, seed: int = 0) -> Any:
    """Times of states that come with jitter, of which each tenth is lost [s]."""
    random = np.random.default_rng(seed)
    times = np.arange(0.0, seconds, interval)
    times = times + random.uniform(-0.4, 0.4, len(times)) * interval
    return np.sort(times[random.uniform(size=len(times)) > 0.1])
