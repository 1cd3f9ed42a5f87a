"""The start position of the arm, its fast trajectory, where it is pushed, and the wall."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.sampling import position_range

from . import DemoError

# Largest share of its limits that a joint may need at rest and in motion.
HOLDING_SHARE, MOVING_SHARE = 0.5, 0.8
CANDIDATES = 300  # random positions that are compared
POINT_SPACING = 0.02  # between two points of the trajectory [s]
# Force on the tool [N], less where a joint would need more of its effort limit against it.
PUSH, PUSHED_SHARE = 20.0, 0.2
SERVO = 5.0  # bandwidth of the servo that holds the arm against the push [Hz]
THRESHOLD_SHARE = 0.03  # of the effort limit, from which on an external torque is a contact
SPEED = 0.5  # of the tool at the wall, unless a joint is too slow or too weak for it [m/s]
STOP = 0.1  # from the wall until the drive rests [s]
DISTANCE = 0.25  # from the start position of the tool to where it is pushed, at least [m]
BALL = 0.05  # radius of the ball about the tool that meets the wall [m]


class Plan:
    """What the arm does.

    Attributes:
        dynamics: of its model; its n `joints` by name.
        home: start position (n,) [rad or m].
        trajectory: the fast one, from and to the start position.
        tool: the link that is pushed, and that meets the wall.
        out: the way from the start position to the position of the push.
        back: the same way back, into the wall.
        against: what the drive does then: half of it, to the wall, where it stops.
        wall_point: a point of the wall across the way back, in the root link (3,) [m].
        wall_normal: out of the wall, in the root link (3,).
        force: of the push, along the axes of the tool (3,) [N].
    """

    def __init__(self, model: RobotModel, duration: float) -> None:
        """Plan all motions of an arm; its fast trajectory has this duration [s].

        Raises:
            TopologyError: no joint moves.
            DemoError: a joint has no effort limit, or the motors can hold no pose.
        """
        self.dynamics, self.joints = RobotDynamics(model), model.joint_names
        self._efforts, joints = model.effort_bounds, model.independent_joints
        if len(free := np.array(self.joints)[np.isinf(self._efforts)]):
            raise DemoError(f'no effort limit of {", ".join(free)}: add <limit effort="...">')
        # Finite also where the URDF gives no limit; the largest swing to each side [rad or m].
        self._range = np.array([position_range(joint) for joint in joints]).T
        self._reach = np.where(model.sliding, 0.2, 0.6)
        body = model.frame(model.tip_frame(model.joint_names)).body
        # The last of the links at the tip, without fingers.
        self.tool = [frame.name for frame in model.frames if frame.body == body][-1]
        self.home = self._choose_home()
        self.trajectory = self._swing(duration)
        there = self._choose_pushed_position()
        R, _ = self.dynamics.frame_pose(there, self.tool)
        self.force = R.T @ self._choose_force(there)
        self.back, self.wall_point, self.wall_normal = self._way_into_the_wall(there)
        half, still = self.back.end / 2.0, np.zeros_like(there)
        at_wall = Point(half, *self.back.at(half))
        stopped = Point(half + STOP, at_wall.q, still, still)
        self.against = Trajectory([self.back.points[0], at_wall, stopped])
        self.out = _way(self.home, there, self.back.end)

    def _choose_home(self) -> Array:
        """A start position (n,) with large gravity torques that the motors can hold.

        Raises:
            DemoError: the motors cannot hold the arm in any of them.
        """
        # Near the middle of the range, with room to swing.
        lower, upper = self._range
        half = np.minimum(2.5 * self._reach, 0.3 * (upper - lower))
        draws = np.random.default_rng(0).uniform(-1.0, 1.0, (CANDIDATES, len(half)))
        # Some nearer to the middle: a weak robot can be held only there.
        nearer = np.linspace(0.0, 1.0, CANDIDATES)[:, None] ** 0.5
        poses = (lower + upper) / 2 + half * draws * nearer
        shares = np.abs(self.dynamics.gravity_torque(poses)) / self._efforts
        hardest = shares.max(axis=1)
        if hardest.min() > MOVING_SHARE:
            weakest = shares[hardest.argmin()].argmax()
            raise DemoError(
                f'of {CANDIDATES} poses none can be held: {self.joints[weakest]}, with an effort '
                f'limit of {self._efforts[weakest]:g}, is too weak'
            )
        holdable = hardest <= max(HOLDING_SHARE, hardest.min())
        return poses[np.where(holdable, shares.sum(axis=1), -1.0).argmax()]

    def _swing(self, duration: float) -> Trajectory:
        """Swing all joints about the start position, from rest to rest, as fast as limits allow.

        Each joint follows A (1 - cos^8(pi t / T)) sin(2 pi k t / T), with a number of cycles k of
        its own. A keeps to the limits of position, of velocity and, by a common scale, of effort.
        """
        model, home = self.dynamics.model, self.home
        times = np.linspace(0.0, duration, round(duration / POINT_SPACING) + 1)
        cycles = [max(1, round(duration * (0.7 + 0.15 * (i % 4)))) for i in range(model.size)]
        q, v, a = np.stack([_swings(times, k) for k in cycles], axis=-1)
        room = 0.8 * np.abs(self._range - home).min(axis=0)
        speed = MOVING_SHARE * np.minimum(model.velocity_bounds, 5.0 * self._reach)
        amplitude = np.minimum(np.minimum(self._reach, room), speed / np.abs(v).max(axis=0))
        for size in amplitude * 0.85 ** np.arange(25)[:, None]:
            motion = home + size * q, size * v, size * a
            if self._is_possible(*motion):
                break
        return Trajectory([Point(*row) for row in zip(times.tolist(), *motion, strict=True)])

    def _is_possible(self, q: Array, v: Array, a: Array) -> bool:
        """Whether the motors can move so, at each of m points (m, n)."""
        torque = np.abs(self.dynamics.inverse_dynamics(q, v, a))
        return bool((torque <= MOVING_SHARE * self._efforts).all())

    def _choose_pushed_position(self) -> Array:
        """Where a wrench is felt best, of the positions far enough; else as far as possible."""
        n, reach = len(self.home), 1.5 * self._reach
        steps = np.random.default_rng(0).uniform(-reach, reach, (CANDIDATES, n))
        poses = np.concatenate([self.home[None], np.clip(self.home + steps, *self._range)])
        load = np.abs(self.dynamics.gravity_torque(poses))
        holdable = (load <= HOLDING_SHARE * self._efforts).all(axis=1)
        places = self.dynamics.frame_pose(poses, self.tool)[1]
        distance = np.linalg.norm(places - places[0], axis=1)
        # The moments with levers of the same distance.
        J = self.dynamics.jacobian(poses, self.tool) * np.repeat([1.0, DISTANCE], 3)[:, None]
        singular = np.linalg.svd(J, compute_uv=False)
        conditioning = singular[:, 5] / singular[:, 0] if n >= 6 else 0.0
        score = np.minimum(distance, DISTANCE) + (distance >= DISTANCE) * conditioning
        return poses[np.where(holdable, score, -1.0).argmax()]

    def _choose_force(self, there: Array) -> Array:
        """The force (3,) [N] along the axes of the root link that the joints feel best.

        No joint needs more than its share of effort against it, nor comes near its end stops.
        """
        J = self.dynamics.jacobian(there, self.tool)[:3]
        force = PUSH * np.linalg.svd(J)[0][:, 0]
        torque = np.abs(J.T @ force)
        stiffness = np.diag(self.dynamics.mass_matrix(self.home)) * (2.0 * math.pi * SERVO) ** 2
        room = np.clip(np.abs(self._range - there).min(axis=0) / 2.0, 1e-3, self._reach / 3)
        shares = torque / (PUSHED_SHARE * self._efforts), torque / stiffness / room
        return force / max(1.0, np.max(shares))

    def _way_into_the_wall(self, there: Array) -> tuple[Trajectory, Array, Array]:
        """The way home, the point of it where the wall stands (3,) [m], and its normal (3,).

        Half way everything is fastest, and twice as fast in half the time. There the wall stands.
        """
        middle, velocity, _ = _way(there, self.home, 1.0).at(0.5)
        onward = self.dynamics.jacobian(middle, self.tool)[:3] @ velocity
        speed = np.linalg.norm(onward)
        fastest = np.abs(velocity) / (MOVING_SHARE * self.dynamics.model.velocity_bounds)
        for duration in max(speed / SPEED, fastest.max(), 0.5) * 1.3 ** np.arange(11):
            back = _way(there, self.home, float(duration))
            times = np.linspace(0.0, duration, 50)
            if self._is_possible(*np.stack([back.at(time) for time in times], axis=1)):
                break
        onward /= speed
        return back, self.dynamics.frame_pose(middle, self.tool)[1] + BALL * onward, -onward


def _swings(times: Array, cycles: int) -> Array:
    """(1 - cos^8(pi t / T)) sin(2 pi k t / T) and its first two time derivatives, (3, m)."""
    carrier = np.zeros(2 * cycles + 1)
    carrier[[0, -1]] = -1.0, 1.0
    window = -np.array([1, 8, 28, 56, -186, 56, 28, 8, 1]) / 256
    # Fourier coefficients of the product; a derivative multiplies by i k omega.
    waves = np.convolve(carrier, window) / 2j
    rates = 2j * math.pi / times[-1] * np.arange(-cycles - 4, cycles + 5)
    turning = np.exp(np.outer(times, rates))
    return np.array([(turning @ (waves * rates**order)).real for order in range(3)])


def _way(start: Array, end: Array, duration: float) -> Trajectory:
    still = np.zeros_like(start)
    return Trajectory([Point(0.0, start, still, still), Point(duration, end, still, still)])
