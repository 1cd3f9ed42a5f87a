"""References of joint motions, sampled at the period of the joint states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.core import RobotDynamics

from .felt_arm import PERIOD

Array = NDArray[np.float64]

SINES = 6  # of each joint
RANGE = 2.0  # [rad], at most to both sides of the middle
FREQUENCIES = (0.02, 0.6)  # [Hz], of the slowest and of the fastest
BEGIN = 2.0  # [s], from rest to the full random motion
RAMP = 0.3  # [s], from rest to the speed of a straight motion


def random_motion(middle: Array, speed: Array, seconds: float, seed: int) -> Array:
    """Sums of sines, of each joint its own, (N, 3, n): positions and their derivatives.

    The joints come to rest and turn back at different times, fast and slowly: where friction is
    known worst.

    Args:
        middle: (n,) of the positions [rad].
        speed: (n,) that the velocities never exceed, but at the begin [rad/s].
        seconds: duration.
        seed: of frequencies, amplitudes and phases.
    """
    random = np.random.default_rng(seed)
    shape = (SINES, len(middle))
    rates = 2.0 * np.pi * np.exp(random.uniform(*np.log(FREQUENCIES), shape))
    shares = random.dirichlet(np.ones(SINES), len(middle)).T
    phases = random.uniform(0.0, 2.0 * np.pi, shape)
    times = np.arange(0.0, seconds, PERIOD)
    q = np.zeros((len(times), len(middle)))
    for share, rate, phase in zip(shares, rates, phases, strict=True):
        # Slow sines would be large.
        q += np.minimum(share * speed / rate, RANGE / SINES) * np.sin(
            np.outer(times, rate) + phase
        )
    x = np.clip(times / BEGIN, 0.0, 1.0)[:, None]
    q = middle + x**3 * (10.0 - 15.0 * x + 6.0 * x**2) * q
    v = np.gradient(q, PERIOD, axis=0)
    return np.stack([q, v, np.gradient(v, PERIOD, axis=0)], axis=1)


def straight_motion(
    dynamics: RobotDynamics, frame: str, start: Array, velocity: Array, seconds: float
) -> Array:
    """A frame moves straight from rest, and reaches its velocity after `RAMP`, (N, 3, n).

    Args:
        dynamics: of the robot, with six joints or more.
        frame: name of a link.
        start: (n,) positions [rad].
        velocity: of the origin of the frame, (3,) [m/s]; the frame does not turn.
        seconds: duration.
    """
    twist = np.concatenate([velocity, np.zeros(3)])
    q, before = start.copy(), np.zeros_like(start)
    rows = []
    for time in np.arange(0.0, seconds, PERIOD) + PERIOD:
        x = min(time / RAMP, 1.0)
        jacobian = dynamics.jacobian(q, frame)
        v = np.linalg.pinv(jacobian) @ (x**2 * (3.0 - 2.0 * x) * twist)
        q = q + PERIOD * (v + before) / 2.0
        rows.append((q, v, (v - before) / PERIOD))
        before = v
    return np.array(rows)
