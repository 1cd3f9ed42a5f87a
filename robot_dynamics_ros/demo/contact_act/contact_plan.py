"""Where the arm is pushed, and where the wall stands in its way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.external_forces.wrench import WrenchEstimator
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.simulation.mujoco_model import Wall
from robot_dynamics_ros.simulation.physics import Physics

from ..plan import HOLDING_SHARE, MOVING_SHARE

Vector = NDArray[np.float64]
Path = Callable[[float], Vector]

FORCE = np.array([12.0, 0.0, -16.0])
"""The push on the tool, unless the drives are too weak for it [N]."""
PUSHED_SHARE = 0.2
"""Largest share of its effort limit that a joint may need against the push [-]."""
SERVO = 5.0
"""Bandwidth of the servo that holds the arm against the push [Hz]."""
THRESHOLD_SHARE = 0.03
"""Threshold of a contact, as a share of the effort limit [-]."""
SPEED = 0.5
"""Of the tool when it meets the wall [m/s]."""
PEAK = 1.2
"""Largest speed of the tool on the way, as a share of `SPEED` [-]."""
DISTANCE = 0.25
"""From the start position of the tool to the position where it is pushed, at least [m]."""
BALL = 0.05
"""Radius of the ball about the tool that meets the wall [m]."""
SAMPLES = 100
"""Points of the way that are looked at."""
SHORTEST = 0.5
"""Duration of the way, at least [s]."""


@dataclass(frozen=True)
class ContactPlan:
    """The fourth act.

    Attributes:
        tool: the link that is pushed, and that meets the wall.
        out: the way to the position of the push, from the start position of the arm.
        back: the same way back, into the wall.
        wall: across the way back.
        force: of the push, along the axes of the root link (3,) [N].
        felt: whether the joints feel every wrench on the tool at the position of the push.
        thresholds: of contacts, (n,) [N m or N].
    """

    tool: str
    out: Trajectory
    back: Trajectory
    wall: Wall
    force: Vector
    felt: bool
    thresholds: Vector


def plan_contact(model: RobotModel, arm: Physics, home: Vector) -> ContactPlan:
    """Choose a position where the arm feels its tool well, and a wall on the way back from it.

    Args:
        model: of the arm.
        arm: the same arm, simulated; it is moved.
        home: its start position (n,) [rad or m].
    """
    dynamics = RobotDynamics(model)
    tool = _tool(model)
    place = partial(_place, arm, tool)
    there, felt = _position(WrenchEstimator(dynamics, tool), arm, home, place)
    out = _way(arm, home, there, place)
    back = Trajectory([Point(0.0, there, *_still(there)), Point(out.end, home, *_still(home))])
    limits = np.array([joint.effort for joint in arm.limits])
    torque = np.abs(dynamics.jacobian(there, tool)[:3].T @ FORCE)
    arm.reset(home)
    deflection = torque / (arm.inertia() * (2.0 * np.pi * SERVO) ** 2)
    excess = max((torque / (PUSHED_SHARE * limits)).max(), (deflection / _room(arm, there)).max())
    force = FORCE / max(1.0, float(excess))
    largest = np.abs(arm.required_torque(home, *_still(home))).max()
    thresholds = THRESHOLD_SHARE * np.where(np.isfinite(limits), limits, largest + 1.0)
    return ContactPlan(tool, out, back, _wall(tool, back, place), force, felt, thresholds)


def _tool(model: RobotModel) -> str:
    """The last of the links that most joints carry, without grippers, which have mimic joints."""
    mimicked = {joint.mimicked for joint in model.joints}
    depths = [0]
    for joint in model.joints:
        gripper = joint.mimicked is not None or joint.name in mimicked
        depths.append(0 if gripper else depths[joint.parent + 1] + 1)
    return max(reversed(model.frames), key=lambda frame: depths[frame.body + 1]).name


def _room(arm: Physics, q: Vector) -> Vector:
    """How far a push may deflect each joint (n,): not to its end stops [rad or m]."""
    lower = np.array([joint.lower for joint in arm.limits])
    upper = np.array([joint.upper for joint in arm.limits])
    most = [0.02 if joint.kind == 'prismatic' else 0.2 for joint in arm.limits]
    return np.clip(np.minimum(upper - q, q - lower) / 2.0, 1e-3, most)


def _place(arm: Physics, tool: str, q: Vector) -> Vector:
    """The origin of the tool (3,) [m]."""
    arm.reset(q)
    return arm.outside.frame(tool)[1]


def _position(
    estimator: WrenchEstimator, arm: Physics, home: Vector, place: Path
) -> tuple[Vector, bool]:
    """Where the wrench is felt best, of those far enough; and whether it is felt at all."""
    random = np.random.default_rng(0)
    limits = np.array([joint.effort for joint in arm.limits])
    lower = np.array([joint.lower for joint in arm.limits])
    upper = np.array([joint.upper for joint in arm.limits])
    reach = np.array([0.2 if joint.kind == 'prismatic' else 1.0 for joint in arm.limits])
    best, score, felt = home, -1.0, False
    before = place(home)
    for step in random.uniform(-reach, reach, (300, len(home))):
        q = np.clip(home + step, lower, upper)
        distance = float(np.linalg.norm(place(q) - before))
        shares = np.abs(arm.required_torque(q, *_still(q))) / limits
        if shares.max() > HOLDING_SHARE:
            continue
        directions = estimator.estimate(q, np.zeros_like(q)).felt
        rank = min(distance, DISTANCE) + (distance >= DISTANCE) * directions.conditioning
        if rank > score:
            best, score, felt = q, rank, not len(directions.unfelt)
    return best, felt


def _way(arm: Physics, start: Vector, end: Vector, place: Path) -> Trajectory:
    """From rest to rest, as fast as the tool and the limits of the joints allow."""
    speeds = MOVING_SHARE * np.array([joint.velocity for joint in arm.limits])
    efforts = MOVING_SHARE * np.array([joint.effort for joint in arm.limits])

    def lasting(duration: float) -> Trajectory:
        ends = Point(0.0, start, *_still(start)), Point(duration, end, *_still(end))
        return Trajectory(ends)

    # At half the duration, all speeds are twice as high.
    once = lasting(1.0)
    _, velocity = _motion(once, place)
    tool = np.linalg.norm(velocity, axis=1).max() / (PEAK * SPEED)
    joints = np.abs([once.at(time)[1] for time in _times(once)]) / speeds
    duration = max(float(tool), float(joints.max()), SHORTEST)
    for _ in range(10):
        rows = [lasting(duration).at(time) for time in _times(lasting(duration))]
        if (np.abs([arm.required_torque(*row) for row in rows]) <= efforts).all():
            break
        duration *= 1.3
    return lasting(duration)


def _wall(tool: str, way: Trajectory, place: Path) -> Wall:
    """Across the way, where the tool is fast enough for the first time, or fastest."""
    places, velocity = _motion(way, place)
    speed = np.linalg.norm(velocity, axis=1)
    fast = np.flatnonzero(speed >= SPEED)
    index = int(fast[0] if len(fast) else speed.argmax())
    direction = velocity[index] / speed[index]
    return Wall(tool, places[index] + BALL * direction, -direction, BALL)


def _motion(way: Trajectory, place: Path) -> tuple[Vector, Vector]:
    """Places [m] and velocities [m/s] of the tool at `SAMPLES` times of the way."""
    times = _times(way)
    places = np.array([place(way.at(time)[0]) for time in times])
    return places, np.gradient(places, times[1], axis=0)


def _times(way: Trajectory) -> Vector:
    return np.linspace(0.0, way.end, SAMPLES, endpoint=False)


def _still(q: Vector) -> tuple[Vector, Vector]:
    """Velocity and acceleration at rest."""
    return np.zeros_like(q), np.zeros_like(q)
