"""The start position of the arm, its fast trajectory, where it is pushed, and the wall."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.model.sampling import position_range

from . import DemoError

Array = NDArray[np.float64]

HOLDING_SHARE, MOVING_SHARE = 0.5, 0.8
"""Largest share of its limits that a joint may need at rest and in motion [-]."""
CANDIDATES = 300
"""Random positions that are compared."""
POINT_SPACING = 0.02
"""Time between two points of the trajectory [s]."""
PUSH, PUSHED_SHARE = 20.0, 0.2
"""Force on the tool [N], less where a joint would need more of its effort limit against it [-]."""
SERVO = 5.0
"""Bandwidth of the servo that holds the arm against the push [Hz]."""
THRESHOLD_SHARE = 0.03
"""Threshold of a contact, as a share of the effort limit [-]."""
SPEED = 0.5
"""Of the tool when it meets the wall, unless a joint is too slow or too weak for it [m/s]."""
DISTANCE = 0.25
"""From the start position of the tool to the position where it is pushed, at least [m]."""
BALL = 0.05
"""Radius of the ball about the tool that meets the wall [m]."""


@dataclass(frozen=True)
class Plan:
    """What the arm does.

    Attributes:
        dynamics: of its model.
        home: start position (n,) [rad or m].
        trajectory: the fast one, from and to the start position.
        tool: the link that is pushed, and that meets the wall.
        out: the way from the start position to the position of the push.
        back: the same way back, into the wall.
        wall_point: a point of the wall across the way back, in the root link (3,) [m].
        wall_normal: out of the wall, in the root link (3,).
        force: of the push, along the axes of the root link (3,) [N].
    """

    dynamics: RobotDynamics
    home: Array
    trajectory: Trajectory
    tool: str
    out: Trajectory
    back: Trajectory
    wall_point: Array
    wall_normal: Array
    force: Array


def make_plan(model: RobotModel, duration: float) -> Plan:
    """Plan all motions of an arm; its fast trajectory has this duration [s].

    Raises:
        DemoError: no joint moves, one has no effort limit, or the motors are too weak for any pose
            or any such motion.
    """
    if not model.size:
        raise DemoError(f'{model.name} has no moving joint: at least one is needed')
    free = np.array(model.joint_names)[np.isinf(model.effort_bounds)]
    if len(free):
        raise DemoError(f'no effort limit of {", ".join(free)}: <limit effort="..."> is needed')
    dynamics, tool = RobotDynamics(model), _tool(model)
    home = choose_home(dynamics)
    there = _pushed_position(dynamics, home, tool)
    back, contact, onward = _way_into_the_wall(dynamics, there, home, tool)
    trajectory = plan_trajectory(dynamics, home, duration)
    out, force = _way(home, there, back.end), _push(dynamics, home, there, tool)
    return Plan(dynamics, home, trajectory, tool, out, back, contact, -onward, force)


def choose_home(dynamics: RobotDynamics) -> Array:
    """Choose a start position (n,) with large gravity torques that the motors can hold.

    Raises:
        DemoError: the motors cannot hold the arm in any of them.
    """
    # Near the middle of the range, with room to swing.
    lower, upper = _range(dynamics.model)
    half = np.minimum(2.5 * _reach(dynamics.model), 0.3 * (upper - lower))
    draws = np.random.default_rng(0).uniform(-1.0, 1.0, (CANDIDATES, dynamics.model.size))
    # Some nearer to the middle: a weak robot can be held only there.
    nearer = np.linspace(0.0, 1.0, CANDIDATES)[:, None] ** 0.5
    poses = (lower + upper) / 2 + half * draws * nearer
    shares = np.abs(dynamics.gravity_torque(poses)) / dynamics.model.effort_bounds
    hardest = shares.max(axis=1)
    if hardest.min() > MOVING_SHARE:
        weakest = dynamics.model.independent_joints[shares[hardest.argmin()].argmax()]
        raise DemoError(
            f'with the effort limits of this URDF no pose can be held: {weakest.name}, with '
            f'{weakest.limits.effort:g}, is too weak in each of the {CANDIDATES} that were tried'
        )
    holdable = hardest <= max(HOLDING_SHARE, hardest.min())
    return poses[np.where(holdable, shares.sum(axis=1), -1.0).argmax()]


def plan_trajectory(dynamics: RobotDynamics, home: Array, duration: float) -> Trajectory:
    """Swing all joints about the start position, from rest to rest, as fast as the limits allow.

    Each joint follows A (1 - cos^8(pi t / T)) sin(2 pi k t / T), with a number of cycles k of its
    own. A keeps to the limits of position, of velocity and, by a common scale, of effort.

    Raises:
        DemoError: the motors are too weak for any such motion.
    """
    model, reach = dynamics.model, _reach(dynamics.model)
    times = np.linspace(0.0, duration, round(duration / POINT_SPACING) + 1)
    cycles = [max(1, round(duration * (0.7 + 0.15 * (i % 4)))) for i in range(model.size)]
    q, v, a = np.stack([_swing(times, k) for k in cycles], axis=-1)
    lower, upper = _range(model)
    room = 0.8 * np.minimum(upper - home, home - lower)
    speed = MOVING_SHARE * np.minimum(model.velocity_bounds, 5.0 * reach)
    amplitude = np.minimum(np.minimum(reach, room), speed / np.abs(v).max(axis=0))
    for size in amplitude * 0.85 ** np.arange(25)[:, None]:
        motion = home + size * q, size * v, size * a
        torque = np.abs(dynamics.inverse_dynamics(*motion))
        if (torque <= MOVING_SHARE * model.effort_bounds).all():
            return Trajectory([Point(*row) for row in zip(times.tolist(), *motion, strict=True)])
    raise DemoError(
        'with the effort limits of this URDF no fast trajectory is possible: the torques exceed '
        'them at any amplitude'
    )


def _swing(times: Array, cycles: int) -> Array:
    """(1 - cos^8(pi t / T)) sin(2 pi k t / T) and its first two time derivatives, (3, m)."""
    carrier = np.zeros(2 * cycles + 1)
    carrier[[0, -1]] = -1.0, 1.0
    window = -np.array([1, 8, 28, 56, -186, 56, 28, 8, 1]) / 256
    # Fourier coefficients of the product; a derivative multiplies by i k omega.
    waves = np.convolve(carrier, window) / 2j
    rates = 2j * math.pi / times[-1] * np.arange(-cycles - 4, cycles + 5)
    turning = np.exp(np.outer(times, rates))
    return np.array([(turning @ (waves * rates**order)).real for order in range(3)])


def _pushed_position(dynamics: RobotDynamics, home: Array, tool: str) -> Array:
    """Where a wrench is felt best, of the positions far enough; else as far as possible."""
    model, reach = dynamics.model, 1.5 * _reach(dynamics.model)
    steps = np.random.default_rng(0).uniform(-reach, reach, (CANDIDATES, model.size))
    poses = np.concatenate([home[None], np.clip(home + steps, *_range(model))])
    load = np.abs(dynamics.gravity_torque(poses))
    holdable = (load <= HOLDING_SHARE * model.effort_bounds).all(axis=1)
    places = dynamics.frame_pose(poses, tool)[1]
    distance = np.linalg.norm(places - places[0], axis=1)
    # The moments with levers of the same distance.
    J = dynamics.jacobian(poses, tool) * np.repeat([1.0, DISTANCE], 3)[:, None]
    singular = np.linalg.svd(J, compute_uv=False)
    conditioning = singular[:, 5] / singular[:, 0] if model.size >= 6 else 0.0
    score = np.minimum(distance, DISTANCE) + (distance >= DISTANCE) * conditioning
    return poses[np.where(holdable, score, -1.0).argmax()]


def _way_into_the_wall(
    dynamics: RobotDynamics, there: Array, home: Array, tool: str
) -> tuple[Trajectory, Array, Array]:
    """The way home, the point of it where the wall stands (3,) [m], and its direction there (3,).

    Half way everything is fastest, and twice as fast in half the time. There the wall stands.
    """
    middle, velocity, _ = _way(there, home, 1.0).at(0.5)
    onward = dynamics.jacobian(middle, tool)[:3] @ velocity
    speed = np.linalg.norm(onward)
    fastest = np.abs(velocity) / (MOVING_SHARE * dynamics.model.velocity_bounds)
    for duration in max(speed / SPEED, fastest.max(), 0.5) * 1.3 ** np.arange(11):
        back = _way(there, home, float(duration))
        motion = np.stack([back.at(time) for time in np.linspace(0.0, duration, 50)], axis=1)
        torque = np.abs(dynamics.inverse_dynamics(*motion))
        if (torque <= MOVING_SHARE * dynamics.model.effort_bounds).all():
            break
    onward /= speed
    return back, dynamics.frame_pose(middle, tool)[1] + BALL * onward, onward


def _push(dynamics: RobotDynamics, home: Array, there: Array, tool: str) -> Array:
    """The force (3,) [N] in the direction that the joints feel best.

    No joint needs more than its share of effort against it, nor comes near its end stops.
    """
    J = dynamics.jacobian(there, tool)[:3]
    force = PUSH * np.linalg.svd(J)[0][:, 0]
    torque = np.abs(J.T @ force)
    inertia = np.diag(dynamics.mass_matrix(home))
    deflection = torque / (inertia * (2.0 * math.pi * SERVO) ** 2)
    lower, upper = _range(dynamics.model)
    room = np.minimum(upper - there, there - lower) / 2.0
    room = np.clip(room, 1e-3, _reach(dynamics.model) / 3)
    shares = torque / (PUSHED_SHARE * dynamics.model.effort_bounds), deflection / room
    return force / max(1.0, np.max(shares))


def _way(start: Array, end: Array, duration: float) -> Trajectory:
    still = np.zeros_like(start)
    return Trajectory([Point(0.0, start, still, still), Point(duration, end, still, still)])


def _range(model: RobotModel) -> Array:
    """Lower and upper positions (2, n), finite also where the URDF gives no limit [rad or m]."""
    return np.array([position_range(joint) for joint in model.independent_joints]).T


def _reach(model: RobotModel) -> Array:
    """The largest swing to each side (n,) [rad or m]."""
    return np.where(model.sliding, 0.2, 0.6)


def position_units(model: RobotModel, prefix: str = '') -> list[str]:
    """The unit of the position of each joint, with a prefix."""
    return [prefix + ('m' if slides else 'rad') for slides in model.sliding]


def _tool(model: RobotModel) -> str:
    """The last of the links at the tip, without fingers."""
    body = model.frame(model.tip_frame(model.joint_names)).body
    return [frame.name for frame in model.frames if frame.body == body][-1]
