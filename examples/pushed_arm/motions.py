"""References of joint motions, sampled at the period of the joint states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics

from .felt_arm import PERIOD

Array = NDArray[np.float64]

RANGE = 1.5  # [rad], of random positions about the middle
# Peaks of a quintic from rest to rest over a distance d and time T: 1.875 d / T, 5.77 d / T^2.
PEAK_SPEED, PEAK_ACCELERATION = 1.875, 5.7735
ACCELERATION = 8.0  # [rad/s^2], at most
PAUSE = 0.3  # [s], at most, between two moves
RAMP = 0.3  # [s], from rest to the speed of a straight motion


def random_motion(middle: Array, speed: Array, seconds: float, seed: int) -> Array:
    """Moves from rest to rest between random positions, (N, 3, n): positions and derivatives.

    Args:
        middle: (n,) of the positions [rad].
        speed: (n,) largest velocities [rad/s]; each move has 20 % to 100 % of it.
        seconds: duration, at least.
        seed: of the positions.
    """
    random = np.random.default_rng(seed)
    still = np.zeros_like(middle)
    points = [Point(0.0, middle, still, still)]
    while points[-1].time < seconds:
        here = points[-1]
        there = middle + random.uniform(-RANGE, RANGE, len(middle))
        distance = np.abs(there - here.q)
        share = random.uniform(0.2, 1.0)
        duration = max(
            (PEAK_SPEED * distance / (share * speed)).max(),
            np.sqrt(PEAK_ACCELERATION * distance / (share * ACCELERATION)).max(),
        )
        arrival = here.time + duration
        points.append(Point(arrival, there, still, still))
        points.append(Point(arrival + random.uniform(0.05, PAUSE), there, still, still))
    return sampled(Trajectory(points))


def sampled(trajectory: Trajectory) -> Array:
    """A trajectory at each period, (N, 3, n)."""
    times = np.arange(0.0, trajectory.end, PERIOD) + PERIOD
    return np.array([trajectory.at(time) for time in times.tolist()])


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
