"""The start position of the arm, its fast trajectory, where it is pushed, and the wall."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.simulation.mujoco_model import JointData, Wall
from robot_dynamics_ros.simulation.physics import Physics

from . import DemoError

Vector = NDArray[np.float64]
Torque = Callable[[Vector, Vector, Vector], Vector]
Path = Callable[[Vector], Vector]

HOLDING_SHARE = 0.5
"""Largest share of its effort limit that a joint should need to hold the start position [-]."""
MOVING_SHARE = 0.8
"""Largest share of its effort and velocity limits that a joint may need on the trajectory [-]."""
CANDIDATES = 300
"""Random positions that are compared."""
POINT_SPACING = 0.02
"""Time between two points of the trajectory [s]."""
FORCE = np.array([12.0, 0.0, -16.0])
"""The push on the tool, unless the drives are too weak for it [N]."""
PUSHED_SHARE = 0.2
"""Largest share of its effort limit that a joint may need against the push [-]."""
DEFLECTION = 0.2
"""Largest deflection of a joint by the push [rad], and a tenth of it [m]."""
SERVO = 5.0
"""Bandwidth of the servo that holds the arm against the push [Hz]."""
THRESHOLD_SHARE = 0.03
"""Threshold of a contact, as a share of the effort limit [-]."""
SPEED, PEAK = 0.5, 0.6
"""Of the tool when it meets the wall, and its largest one on the way [m/s]."""
DISTANCE = 0.25
"""From the start position of the tool to the position where it is pushed, at least [m]."""
FELT = 0.02
"""Singular values below this share of the largest belong to wrenches that are hardly felt [-]."""
BALL = 0.05
"""Radius of the ball about the tool that meets the wall [m]."""
SAMPLES = 100
"""Points of the way that are looked at."""


def limits(joints: Sequence[JointData], name: str) -> Vector:
    """One limit of each joint (n,), such as `effort`."""
    return np.array([getattr(joint, name) for joint in joints])


def choose_home(joints: Sequence[JointData], torque: Torque) -> Vector:
    """Choose a start position with large gravity torques that the motors can hold.

    Args:
        joints: the joints and their limits.
        torque: of a motion (q, v, a), (n,) [N m or N].

    Raises:
        DemoError: the motors cannot hold the arm in any of them.
    """
    # Near the middle of the range, with room to swing.
    lower, upper, reach = limits(joints, 'lower'), limits(joints, 'upper'), 2.5 * _reach(joints)
    finite = np.isfinite(upper - lower)
    middle = np.where(finite, (np.where(finite, lower, 0) + np.where(finite, upper, 0)) / 2, 0.0)
    half = np.minimum(reach, np.where(finite, 0.3 * (upper - lower), np.inf))
    draws = np.random.default_rng(0).uniform(-1.0, 1.0, (CANDIDATES, len(joints)))
    # Some nearer to the middle: a weak robot can be held only there.
    poses = middle + half * draws * np.linspace(0.0, 1.0, CANDIDATES)[:, None] ** 0.5
    zero = np.zeros(len(joints))
    pulls = np.abs([torque(pose, zero, zero) for pose in poses])
    strength = limits(joints, 'effort')
    # Without an effort limit, twice the largest torque of the candidates is used.
    shares = pulls / np.where(np.isfinite(strength), strength, 2.0 * pulls.max(axis=0) + 1e-9)
    hardest = shares.max(axis=1)
    if hardest.min() > MOVING_SHARE:
        weakest = joints[int(shares[hardest.argmin()].argmax())]
        raise DemoError(
            f'with the effort limits of this URDF no pose can be held: {weakest.name}, with '
            f'{weakest.effort:g}, is too weak in each of the {CANDIDATES} that were tried'
        )
    holdable = hardest <= max(HOLDING_SHARE, hardest.min())
    return poses[int(np.where(holdable, shares.sum(axis=1), -1.0).argmax())]


def plan_trajectory(
    joints: Sequence[JointData], home: Vector, torque: Torque, duration: float
) -> Trajectory:
    """Swing all joints about the start position, from rest to rest, as fast as the limits allow.

    Each joint follows A (1 - cos^8(pi t / T)) sin(2 pi k t / T), with a number of cycles k of its
    own. A keeps to the limits of position, of velocity and, by a common scale, of effort.

    Raises:
        DemoError: the motors are too weak for any such motion.
    """
    times = np.linspace(0.0, duration, round(duration / POINT_SPACING) + 1)
    cycles = [max(1, round(duration * (0.7 + 0.15 * (i % 4)))) for i in range(len(joints))]
    q, v, a = np.stack([_swing(times, k) for k in cycles], axis=-1)
    room = np.minimum(limits(joints, 'upper') - home, home - limits(joints, 'lower'))
    speed = np.minimum(limits(joints, 'velocity'), 5.0 * _reach(joints))
    amplitude = np.minimum(
        np.minimum(_reach(joints), 0.8 * room), MOVING_SHARE * speed / np.abs(v).max(axis=0)
    )
    strength = MOVING_SHARE * limits(joints, 'effort')
    for scale in 0.85 ** np.arange(25):
        size = scale * amplitude
        rows = list(zip(home + size * q, size * v, size * a, strict=True))
        if all((np.abs(torque(*row)) <= strength).all() for row in rows):
            ends = zip(times.tolist(), rows, strict=True)
            return Trajectory([Point(time, *row) for time, row in ends])
    raise DemoError(
        'with the effort limits of this URDF no fast trajectory is possible: the torques exceed '
        'them at any amplitude'
    )


def _swing(times: Vector, cycles: int) -> Vector:
    """(1 - cos^8(pi t / T)) sin(2 pi k t / T) and its first two time derivatives, (3, m)."""
    carrier = np.zeros(2 * cycles + 1)
    carrier[[0, -1]] = -1.0, 1.0
    window = -np.array([1, 8, 28, 56, -186, 56, 28, 8, 1]) / 256
    # Fourier coefficients of the product; a derivative multiplies by i k omega.
    waves = np.convolve(carrier, window) / 2j
    rates = 2j * math.pi / times[-1] * np.arange(-cycles - 4, cycles + 5)
    turning = np.exp(np.outer(times, rates))
    return np.array([(turning @ (waves * rates**order)).real for order in range(3)])


def _reach(joints: Sequence[JointData]) -> Vector:
    """The largest swing to each side [rad or m]."""
    return np.array([0.2 if joint.kind == 'prismatic' else 0.6 for joint in joints])


def units(joints: Sequence[JointData], prefix: str = '', *, effort: bool = False) -> str:
    """The units of their positions, with a prefix, or of their efforts."""
    sliding, turning = ('N', 'N m') if effort else ('m', 'rad')
    found = [prefix + (sliding if joint.kind == 'prismatic' else turning) for joint in joints]
    return ' or '.join(dict.fromkeys(found))


@dataclass(frozen=True)
class ContactPlan:
    """Where the arm is pushed, and where the wall stands in its way.

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
    dynamics, still = RobotDynamics(model), np.zeros_like(home)
    tool = _tool(model)
    place = partial(_place, arm, tool)
    there, felt = _position(arm, home, place, lambda q: dynamics.jacobian(q, tool))
    out = _way(arm, home, there, place)
    back = Trajectory([Point(0.0, there, still, still), Point(out.end, home, still, still)])
    efforts = limits(arm.limits, 'effort')
    # No joint is pushed with more than its share of effort, nor to its end stops.
    torque = np.abs(dynamics.jacobian(there, tool)[:3].T @ FORCE)
    arm.reset(home)
    deflection = torque / (arm.inertia() * (2.0 * np.pi * SERVO) ** 2)
    lower, upper = limits(arm.limits, 'lower'), limits(arm.limits, 'upper')
    most = DEFLECTION * np.array([0.1 if j.kind == 'prismatic' else 1.0 for j in arm.limits])
    room = np.clip(np.minimum(upper - there, there - lower) / 2.0, 1e-3, most)
    excess = max((torque / (PUSHED_SHARE * efforts)).max(), (deflection / room).max(), 1.0)
    largest = np.abs(arm.required_torque(home, still, still)).max()
    thresholds = THRESHOLD_SHARE * np.where(np.isfinite(efforts), efforts, largest + 1.0)
    wall = _wall(tool, back, place)
    return ContactPlan(tool, out, back, wall, FORCE / float(excess), felt, thresholds)


def _tool(model: RobotModel) -> str:
    """The last of the links that most joints carry, without grippers, which have mimic joints."""
    mimicked = {joint.mimicked for joint in model.joints}
    depths = [0]
    for joint in model.joints:
        gripper = joint.mimicked is not None or joint.name in mimicked
        depths.append(0 if gripper else depths[joint.parent + 1] + 1)
    return max(reversed(model.frames), key=lambda frame: depths[frame.body + 1]).name


def _place(arm: Physics, tool: str, q: Vector) -> Vector:
    """The origin of the tool (3,) [m]."""
    arm.reset(q)
    return arm.outside.frame(tool)[1]


def _position(arm: Physics, home: Vector, place: Path, jacobian: Path) -> tuple[Vector, bool]:
    """Where the wrench is felt best, of those far enough; and whether it is felt at all."""
    lower, upper = limits(arm.limits, 'lower'), limits(arm.limits, 'upper')
    reach = np.array([0.2 if joint.kind == 'prismatic' else 1.0 for joint in arm.limits])
    best, score, felt, still = home, -1.0, False, np.zeros_like(home)
    before = place(home)
    for step in np.random.default_rng(0).uniform(-reach, reach, (300, len(home))):
        q = np.clip(home + step, lower, upper)
        shares = np.abs(arm.required_torque(q, still, still)) / limits(arm.limits, 'effort')
        if shares.max() > HOLDING_SHARE:
            continue
        distance = float(np.linalg.norm(place(q) - before))
        # The moments with levers of the same distance.
        J = jacobian(q) * np.repeat([1.0, DISTANCE], 3)[:, None]
        singular = np.linalg.svd(J, compute_uv=False)
        conditioning = singular[5] / singular[0] if len(singular) == 6 else 0.0
        rank = min(distance, DISTANCE) + (distance >= DISTANCE) * conditioning
        if rank > score:
            best, score, felt = q, rank, bool(conditioning > FELT)
    return best, felt


def _way(arm: Physics, start: Vector, end: Vector, place: Path) -> Trajectory:
    """From rest to rest, as fast as the tool and the limits of the joints allow."""
    speeds, efforts = (MOVING_SHARE * limits(arm.limits, each) for each in ('velocity', 'effort'))
    still = np.zeros_like(start)

    def lasting(duration: float) -> Trajectory:
        return Trajectory([Point(0.0, start, still, still), Point(duration, end, still, still)])

    # At half the duration, all speeds are twice as high.
    once = lasting(1.0)
    tool = np.linalg.norm(_motion(once, place)[1], axis=1).max() / PEAK
    joints = (np.abs([once.at(time)[1] for time in _times(once)]) / speeds).max()
    duration = max(float(tool), float(joints), 0.5)
    for _ in range(10):
        way = lasting(duration)
        torques = np.array([arm.required_torque(*way.at(time)) for time in _times(way)])
        if (np.abs(torques) <= efforts).all():
            break
        duration *= 1.3
    return way


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
    places = np.array([place(way.at(time)[0]) for time in _times(way)])
    return places, np.gradient(places, way.end / SAMPLES, axis=0)


def _times(way: Trajectory) -> Vector:
    return np.linspace(0.0, way.end, SAMPLES, endpoint=False)
