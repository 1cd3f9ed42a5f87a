"""The start position of the arm, and the fast trajectory that it follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.simulation.mujoco_model import JointData

from . import DemoError

Vector = NDArray[np.float64]
Torque = Callable[[Vector, Vector, Vector], Vector]

HOLDING_SHARE = 0.5
"""Largest share of its effort limit that a joint should need to hold the start position [-]."""
MOVING_SHARE = 0.8
"""Largest share of its effort and velocity limits that a joint may need on the trajectory [-]."""
POINT_SPACING = 0.02
"""Time between two points of the trajectory [s]."""

_REACH = {'prismatic': 0.2}  # [m]; the others [rad]:
_REACH_ANGLE = 0.6
_SPEED = {'prismatic': 0.5}
_SPEED_ANGLE = 3.0


def choose_home(joints: Sequence[JointData], torque: Torque, candidates: int = 300) -> Vector:
    """Choose a start position with large gravity torques that the motors can hold.

    Args:
        joints: the joints and their limits.
        torque: of a motion (q, v, a), (n,) [N m or N].
        candidates: number of random positions to compare.

    Raises:
        DemoError: the motors cannot hold the arm in any of them.
    """
    lower, upper = np.array([_span(joint) for joint in joints]).T
    zero = np.zeros(len(joints))
    draws = np.random.default_rng(0).uniform(size=(candidates, len(joints)))
    # Some near the middle of the ranges: a weak robot can be held only there.
    draws = 0.5 + (draws - 0.5) * np.linspace(0.0, 1.0, candidates)[:, None] ** 0.5
    poses = lower + draws * (upper - lower)
    pulls = np.abs([torque(pose, zero, zero) for pose in poses])
    limits = np.array([joint.effort for joint in joints])
    # Without an effort limit, twice the largest torque of the candidates is used.
    shares = pulls / np.where(np.isfinite(limits), limits, 2.0 * pulls.max(axis=0) + 1e-9)
    hardest = shares.max(axis=1)
    holdable = hardest <= max(HOLDING_SHARE, hardest.min())
    if hardest.min() > MOVING_SHARE:
        weakest = joints[int(shares[hardest.argmin()].argmax())]
        raise DemoError(
            f'with the effort limits of this URDF no pose can be held: {weakest.name}, with '
            f'{weakest.effort:g}, is too weak in each of the {candidates} that were tried'
        )
    return poses[int(np.where(holdable, shares.sum(axis=1), -1.0).argmax())]


def plan_trajectory(
    joints: Sequence[JointData],
    home: Vector,
    torque: Torque,
    duration: float,
) -> Trajectory:
    """Swing all joints about the start position, from rest to rest, as fast as the limits allow.

    Each joint follows A w(t) sin(2 pi f t), with a frequency of its own and a window w that
    starts and ends with zero velocity and acceleration. A keeps to the limits of position, of
    velocity and, by a common scale, of effort.
    """
    times = np.linspace(0.0, duration, round(duration / POINT_SPACING) + 1)
    shapes = [_swing(times, 0.7 + 0.15 * (i % 4)) for i in range(len(joints))]
    q, v, a = (np.array(part).T for part in zip(*shapes, strict=True))
    amplitude = np.array(
        [
            min(_room(joint, start), MOVING_SHARE * _speed(joint) / np.abs(v[:, i]).max())
            for i, (joint, start) in enumerate(zip(joints, home, strict=True))
        ]
    )
    limits = MOVING_SHARE * np.array([joint.effort for joint in joints])

    def within_effort(scale: float) -> bool:
        rows = zip(q, v, a, strict=True)
        return all(
            (np.abs(torque(home + s * qi, s * vi, s * ai)) <= limits).all()
            for s in [scale * amplitude]
            for qi, vi, ai in rows
        )

    amplitude = amplitude * _largest(within_effort)
    rows = zip(times.tolist(), home + amplitude * q, amplitude * v, amplitude * a, strict=True)
    return Trajectory([Point(*row) for row in rows])


def _largest(allowed: Callable[[float], bool]) -> float:
    if allowed(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(6):
        middle = (low + high) / 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    if low == 0.0:
        raise DemoError(
            'with the effort limits of this URDF no fast trajectory is possible: the torques '
            'exceed them at any amplitude'
        )
    return low


def _swing(t: Vector, frequency: float) -> tuple[Vector, Vector, Vector]:
    """w(t) sin(2 pi f t) and its first two time derivatives."""
    omega = 2 * math.pi * frequency
    s, ds, dds = np.sin(omega * t), omega * np.cos(omega * t), -(omega**2) * np.sin(omega * t)
    w, dw, ddw = _window(t)
    return w * s, dw * s + w * ds, ddw * s + 2 * dw * ds + w * dds


def _window(t: Vector) -> tuple[Vector, Vector, Vector]:
    """Rises from 0 to 1 in the first quarter, falls in the last; with two time derivatives."""
    ramp = t[-1] / 4
    falling = t > t[-1] / 2
    x = np.clip(np.where(falling, t[-1] - t, t) / ramp, 0.0, 1.0)
    sign = np.where(falling, -1.0, 1.0)
    w = x**3 * (10 - 15 * x + 6 * x**2)
    dw = sign * 30 * x**2 * (1 - x) ** 2 / ramp
    ddw = 60 * x * (1 - x) * (1 - 2 * x) / ramp**2
    return w, dw, ddw


def _span(joint: JointData) -> tuple[float, float]:
    """Bounds of the start position of a joint: the middle of its range, with room to swing."""
    reach = 2.5 * _REACH.get(joint.kind, _REACH_ANGLE)
    if not math.isfinite(joint.upper - joint.lower):
        return -reach, reach
    middle, half = (joint.lower + joint.upper) / 2, (joint.upper - joint.lower) / 2
    return middle - min(reach, 0.6 * half), middle + min(reach, 0.6 * half)


def _room(joint: JointData, start: float) -> float:
    reach = _REACH.get(joint.kind, _REACH_ANGLE)
    return min(reach, 0.8 * (joint.upper - start), 0.8 * (start - joint.lower))


def _speed(joint: JointData) -> float:
    return min(joint.velocity, _SPEED.get(joint.kind, _SPEED_ANGLE))
