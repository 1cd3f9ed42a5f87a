"""The start position of the arm, its fast trajectory, where it is pushed, and the wall."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.simulation.mujoco_model import JointData, Wall
from robot_dynamics_ros.simulation.physics import Physics

from . import DemoError

Vector = NDArray[np.float64]
Torque = Callable[[Vector, Vector, Vector], Vector]

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
SERVO = 5.0
"""Bandwidth of the servo that holds the arm against the push [Hz]."""
THRESHOLD_SHARE = 0.03
"""Threshold of a contact, as a share of the effort limit [-]."""
SPEED = 0.5
"""Of the tool when it meets the wall, unless a joint is too slow or too weak for it [m/s]."""
DISTANCE = 0.25
"""From the start position of the tool to the position where it is pushed, at least [m]."""
FELT = 0.02
"""Singular values below this share of the largest belong to wrenches that are hardly felt [-]."""
BALL = 0.05
"""Radius of the ball about the tool that meets the wall [m]."""


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
    lower, upper = np.clip([limits(joints, 'lower'), limits(joints, 'upper')], -10.0, 10.0)
    middle, half = (lower + upper) / 2, np.minimum(2.5 * _reach(joints), 0.3 * (upper - lower))
    draws = np.random.default_rng(0).uniform(-1.0, 1.0, (CANDIDATES, len(joints)))
    # Some nearer to the middle: a weak robot can be held only there.
    poses = middle + half * draws * np.linspace(0.0, 1.0, CANDIDATES)[:, None] ** 0.5
    zero = np.zeros(len(joints))
    shares = np.abs([torque(pose, zero, zero) for pose in poses]) / limits(joints, 'effort')
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
    dynamics, tool, still = RobotDynamics(model), _tool(model), np.zeros_like(home)
    lower, upper, efforts = (limits(arm.limits, name) for name in ('lower', 'upper', 'effort'))

    def way(start: Vector, end: Vector, duration: float) -> Trajectory:
        return Trajectory([Point(0.0, start, still, still), Point(duration, end, still, still)])

    # Where the wrench is felt best, of the positions far enough; all else as far as possible.
    start = dynamics.frame_pose(home, tool)[1]
    there, score, felt = home, -1.0, False
    reach = 1.5 * _reach(arm.limits)
    for step in np.random.default_rng(0).uniform(-reach, reach, (CANDIDATES, len(home))):
        q = np.clip(home + step, lower, upper)
        if (np.abs(arm.required_torque(q, still, still)) > HOLDING_SHARE * efforts).any():
            continue
        distance = float(np.linalg.norm(dynamics.frame_pose(q, tool)[1] - start))
        # The moments with levers of the same distance.
        J = dynamics.jacobian(q, tool) * np.repeat([1.0, DISTANCE], 3)[:, None]
        singular = np.linalg.svd(J, compute_uv=False)
        conditioning = singular[5] / singular[0] if len(singular) == 6 else 0.0
        rank = min(distance, DISTANCE) + (distance >= DISTANCE) * conditioning
        if rank > score:
            there, score, felt = q, rank, bool(conditioning > FELT)

    # Half way everything is fastest, and twice as fast in half the time. There the wall stands.
    middle, velocity, _ = way(there, home, 1.0).at(0.5)
    onward = dynamics.jacobian(middle, tool)[:3] @ velocity
    speed = float(np.linalg.norm(onward))
    fastest = np.abs(velocity) / (MOVING_SHARE * limits(arm.limits, 'velocity'))
    duration = max(speed / SPEED, float(fastest.max()), 0.5)
    for _ in range(10):
        back = way(there, home, duration)
        rows = [back.at(time) for time in np.linspace(0.0, duration, 50)]
        if (np.abs([arm.required_torque(*row) for row in rows]) <= MOVING_SHARE * efforts).all():
            break
        duration *= 1.3
    contact = dynamics.frame_pose(middle, tool)[1] + BALL * onward / speed
    wall = Wall(tool, contact, -onward / speed, BALL)

    # No joint is pushed with more than its share of effort, nor to its end stops.
    torque = np.abs(dynamics.jacobian(there, tool)[:3].T @ FORCE)
    arm.reset(home)
    deflection = torque / (arm.inertia() * (2.0 * np.pi * SERVO) ** 2)
    room = np.minimum(upper - there, there - lower) / 2.0
    room = np.clip(room, 1e-3, _reach(arm.limits) / 3)
    excess = max((torque / (PUSHED_SHARE * efforts)).max(), (deflection / room).max(), 1.0)
    thresholds = THRESHOLD_SHARE * efforts
    out = way(home, there, duration)
    return ContactPlan(tool, out, back, wall, FORCE / float(excess), felt, thresholds)


def _tool(model: RobotModel) -> str:
    """The last of the links that most joints carry, without grippers, which have mimic joints."""
    mimicked = {joint.mimicked for joint in model.joints}
    depths = [0]
    for joint in model.joints:
        gripper = joint.mimicked is not None or joint.name in mimicked
        depths.append(0 if gripper else depths[joint.parent + 1] + 1)
    return max(reversed(model.frames), key=lambda frame: depths[frame.body + 1]).name
