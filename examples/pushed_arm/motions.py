"""References of joint motions, sampled at the period of the joint states."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from robot_dynamics_ros.core import RobotDynamics

from .felt_arm import PERIOD

Array = NDArray[np.float64]

SINES = 6  # of each joint
RANGE = 2.0  # [rad], at most to both sides of the middle
FREQUENCIES = (0.02, 0.6)  # [Hz], of the slowest and of the fastest
EVERY, REST = 6.0, 0.4  # [s]: a random motion halts for that time
RAMP = 0.3  # [s], from rest to the speed of a straight motion


def random_motion(middle: Array, speed: Array, seconds: float, seed: int) -> Array:
    """Sums of sines, of each joint its own, (N, 3, n): positions and their derivatives.

    The joints turn back at different times, fast and slowly, and all of them halt every `EVERY`
    seconds: friction is known worst where joints turn and start.

    Args:
        middle: (n,) of the positions [rad].
        speed: (n,) that the velocities never exceed [rad/s].
        seconds: duration.
        seed: of frequencies, amplitudes and phases.
    """
    random = np.random.default_rng(seed)
    shape = (SINES, len(middle))
    rates = 2.0 * np.pi * np.exp(random.uniform(*np.log(FREQUENCIES), shape))
    shares = random.dirichlet(np.ones(SINES), len(middle)).T
    phases = random.uniform(0.0, 2.0 * np.pi, shape)
    times = np.cumsum(_pace(seconds)) * PERIOD
    q = np.tile(middle, (len(times), 1))
    for share, rate, phase in zip(shares, rates, phases, strict=True):
        # Slow sines would be large.
        q += np.minimum(share * speed / rate, RANGE / SINES) * np.sin(
            np.outer(times, rate) + phase
        )
    v = np.gradient(q, PERIOD, axis=0)
    return np.stack([q, v, np.gradient(v, PERIOD, axis=0)], axis=1)


def _pace(seconds: float) -> Array:
    """How fast the random motion goes at each period: 0 at rest, and 1 after `RAMP`."""
    phase = np.arange(0.0, seconds, PERIOD) % EVERY
    return _smooth(phase / RAMP) * _smooth((EVERY - REST - phase) / RAMP)


def _smooth(x: npt.ArrayLike) -> Array:
    """From 0 to 1, with zero slope at both ends."""
    x = np.clip(x, 0.0, 1.0)
    return x**2 * (3.0 - 2.0 * x)


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
        jacobian = dynamics.jacobian(q, frame)
        v = np.linalg.pinv(jacobian) @ (_smooth(time / RAMP) * twist)
        q = q + PERIOD * (v + before) / 2.0
        rows.append((q, v, (v - before) / PERIOD))
        before = v
    return np.array(rows)
