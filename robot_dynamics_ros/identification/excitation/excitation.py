"""A trajectory that excites the parameters of a robot as much as its limits allow."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, UnknownNameError
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.oracle.collisions import FLOOR

from .clearance import FAR, Clearance
from .information import Information
from .limits import QUANTITIES, MotionLimits
from .motion import POINTS, ExcitationSettings, FourierSeries

# Programs of the robot that are needed.
PROGRAMS = ('regressor', 'inverse_dynamics', 'inverse_dynamics_derivatives', 'frame_poses')
# Above, some base parameters are hardly determined (Swevers et al., 1997).
MAX_CONDITION = 100.0
# Random poses, which show what shapes are always near each other, and where the robot may rest.
POSES = 300
# Random motions, with which the result is compared, and of which the best are optimised.
RANDOM, STARTS = 12, 2
# Weights of the violations, one stage after the other: first the shape, then the limits.
STAGES = (3.0, 15.0, 80.0, 400.0)
SEARCHES = STARTS * len(STAGES)
# Halvings of the interval in which the largest amplitude is searched.
HALVINGS = 9
# Samples of the search in the shortest cycle, between which a sine is 2 % above its samples, which
# stay free; and of the check at last.
SAMPLES, FINE = 16, 64
RESERVE = 0.02
# A trigonometric polynomial of degree N with samples at FINE N points is at most by this factor
# above them (Ehlich, Zeller, "Schwankung von Polynomen zwischen Gitterpunkten", 1964).
BETWEEN = float(1.0 / np.cos(np.pi / FINE))
# A distance bends more between samples than a position, in shares of what is allowed.
WIDER = 10.0
ROUNDING = 1e-9
# [rad/s or m/s]: of central differences of the friction, well below its smoothing.
STEP = 1e-5
# Digits behind the point of positions, and of velocities and accelerations: rounding changes the
# accelerations between points by less than 1e-3 rad/s^2.
DIGITS = (7, 6, 6)


class Constraints:
    """What a motion may use: a share of each limit of the joints, and the space around the robot.

    Attributes:
        limits: of the joints.
        share: of each that may be used.
        clearance: distances to keep.
    """

    def __init__(
        self, dynamics: RobotDynamics, limits: MotionLimits, share: float, clearance: Clearance
    ) -> None:
        """Take the limits, and the friction of the URDF."""
        self.limits, self.share, self.clearance = limits, share, clearance
        self._dynamics, self._friction = dynamics, JointFriction(dynamics.model).torque

    def shares(self, q: Array, v: Array, a: Array, jerk: Array) -> Array:
        """Shares (5, m, n) of the limits of `QUANTITIES`, with signs but of efforts.

        The effort is the largest that friction in either direction makes of the inverse dynamics.
        """
        effort = sum(self._efforts(q, v, a))
        shares = np.array([q - self.limits.middle, v, a, jerk, effort])
        return shares / self.limits.largest[:, None]

    def _efforts(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """Sizes (m, n) of the inverse dynamics and of the friction [N m or N]."""
        return np.abs(self._dynamics.inverse_dynamics(q, v, a)), np.abs(self._friction(v))

    def violation(self, *motion: Array, reserve: float = 0.0) -> tuple[float, Array, Array]:
        """How much a motion exceeds what is allowed, relative to that.

        Args:
            motion: q, v, a and jerk, each (m, n).
            reserve: share of what is allowed that is to stay free.

        Returns:
            The sum of squares of all excesses, the largest of each sample (m,), and the slopes
            (4, m, n) of the sum by q, v, a and jerk.
        """
        q, v, a, _ = motion
        shares = self.shares(*motion) / self.share
        excess = np.maximum(np.abs(shares) - (1.0 - reserve), 0.0)
        weights = 2.0 * excess * np.sign(shares) / (self.share * self.limits.largest[:, None])
        near, nearest, slope = self.clearance.violation(q, WIDER * reserve)
        slopes = weights[:4]
        slopes[0] += slope
        if excess[4].any():
            signs = np.sign(self._dynamics.inverse_dynamics(q, v, a))
            derivatives = self._dynamics.inverse_dynamics_derivatives(q, v, a)
            slopes[:3] += np.einsum('mi,mkij->kmj', weights[4] * signs, derivatives)
            bend = np.abs(self._friction(v + STEP)) - np.abs(self._friction(v - STEP))
            slopes[1] += weights[4] * bend / (2.0 * STEP)
        largest = np.maximum(excess.max(axis=(0, 2)), nearest)
        return float((excess**2).sum()) + near, largest, slopes

    def at_rest(self, q: Array) -> Array:
        """Largest excess (m,) of the robot at rest at positions (m, n)."""
        return self.violation(q, *np.zeros((3, *q.shape)))[1]

    def excess_at(self, q: Array) -> str:
        """What exceeds most where the robot rests at a pose (n,), in words."""
        shares = np.abs(self.shares(q[None], *np.zeros((3, 1, len(q))))[:, 0])
        kind, joint = np.unravel_index(shares.argmax(), shares.shape)
        if shares[kind, joint] <= self.share:
            return self.clearance.nearest(q)
        return (
            f'{self._dynamics.model.joint_names[joint]} uses {shares[kind, joint]:.3g} of its '
            f'{QUANTITIES[kind]} limit (a position: of half the range), allowed is {self.share:g}'
        )

    def used(self, series: FourierSeries, far: float = FAR) -> tuple[Array, Array]:
        """The largest shares (5, n), and smallest distances (k,) up to `far` [m], at all times.

        Positions and their derivatives: `BETWEEN`; inverse dynamics and distances: see
        `below_samples`; friction, which jumps where a joint turns back: the larger one of two
        samples.
        """
        motion = series.at(series.harmonics.times(FINE))
        shares = BETWEEN * np.abs(self.shares(*motion)).max(axis=1)
        rigid, friction = self._efforts(*motion[:3])
        parts = np.array([-below_samples(-rigid), friction])
        effort = np.maximum(parts[:, 1:], parts[:, :-1]).sum(axis=0).max(axis=0)
        shares[4] = effort / self.limits.largest[4]
        distances = self.clearance.distances(motion[0], far)
        return shares, below_samples(distances).min(axis=0)


def below_samples(values: Array) -> Array:
    """Lower bounds (m, k) about the samples (m, k) of something that bends like a V.

    Half of the second difference is subtracted where it is positive: the least that a V-shaped
    minimum between two samples can reach.
    """
    curvature = np.maximum(np.diff(values, 2, axis=0), 0.0) / 2.0
    return values - np.pad(curvature, ((1, 1), (0, 0)), mode='edge')


class Search:
    """Maximises the log det of the information by a growing weight of violations.

    Quadratic penalties and L-BFGS: Nocedal, Wright, "Numerical Optimization" (2006), sections 17.1
    and 7.2. What is violated afterwards is small, and shrunk away. The variables (2 N - 1, n) are
    the start, in half ranges, and the coefficients in `resting_space`, in velocity limits.

    Attributes:
        times: (m,) at which motions are judged [s].
    """

    def __init__(
        self,
        settings: ExcitationSettings,
        information: Information,
        constraints: Constraints,
        start: Array | None,
        generator: np.random.Generator,
    ) -> None:
        """Take what is searched; `start` (n,) is None where it is chosen.

        Raises:
            ParameterError: the robot may not rest at the start, or at no random pose.
        """
        self._harmonics, self._information = settings.harmonics, information
        self._iterations, self._constraints = settings.iterations, constraints
        self._start, self._random = start, generator
        self.times = self._harmonics.times(SAMPLES)[:-1]
        self._space = self._harmonics.resting_space()
        self._basis = self._harmonics.basis(self.times)
        limits = constraints.limits
        poses = start[None] if start is not None else drawn(limits, settings.share, generator)
        excess = constraints.at_rest(poses)
        if excess.min() > ROUNDING:
            what = constraints.excess_at(poses[excess.argmin()])
            raise ParameterError(
                f'--start: {what}'
                if start is not None
                else f'the robot may rest at none of {len(poses)} random poses; at the best of '
                f'them {what}. Allow a smaller --distance, a lower --floor (or none), a larger '
                '--share, or fewer --joints'
            )
        self._poses = poses[excess <= ROUNDING]

    def best(self, advance: Callable[[int], object]) -> tuple[FourierSeries, Array]:
        """The best motion that keeps its limits, and the log det of random ones (k,).

        Args:
            advance: called with the number of stages that were done, `SEARCHES` in all.

        Raises:
            ParameterError: none keeps its limits.
        """
        random = [self.random_motion() for _ in range(RANDOM)]
        values = np.array([self._log_det(one) for one in random])
        first = [random[index] for index in values.argsort()[::-1][:STARTS]]
        usable = []
        for one in (*(self._searched(one, advance) for one in first), first[0]):
            rest, change = np.zeros((2, *one.shape))
            rest[0], change[1:] = one[0], one[1:]
            shrunk = largest_allowed(rest, change, self._holds)
            usable += [shrunk] if shrunk[1:].any() else []
        if not usable:
            raise ParameterError(
                'no motion was found within the limits: allow a larger --share, a smaller '
                '--distance, a lower --floor, or try another --seed'
            )
        return self.series(max(usable, key=self._log_det)), values

    def random_motion(self) -> Array:
        """A motion with random coefficients about a random pose, as large as the limits allow.

        Each joint alone first gets as much as the limits of its position and its derivatives
        allow; then all are shrunk until torques and distances are allowed too.
        """
        limits, share = self._constraints.limits, self._constraints.share
        middle = self._poses[self._random.integers(len(self._poses))]
        free = self._random.normal(size=(self._space.shape[1], len(middle)))
        series = self.series(np.vstack([np.zeros_like(middle), free]))
        q, *rates = self._basis @ series.coefficients
        # Of the start from the middle of the motion.
        shift = (q.max(axis=0) + q.min(axis=0)) / 2.0 * (self._start is None)
        room = np.maximum(share * limits.largest[0] - np.abs(middle - limits.middle), ROUNDING)
        allowed = np.vstack([room, share * limits.largest[1:4]])
        largest = np.array([np.abs(value).max(axis=0) for value in (q - shift, *rates)])
        factors = 1.0 / np.max(largest / allowed, axis=0)
        half = limits.largest[0]
        rest = np.vstack([middle / half, np.zeros_like(free)])
        return largest_allowed(rest, np.vstack([-shift / half, free]) * factors, self._keeps)

    def _keeps(self, variables: Array) -> bool:
        """Whether limits hold at the samples."""
        motion = self.series(variables).at(self.times)
        return bool(self._constraints.violation(*motion)[1].max() <= ROUNDING)

    def _holds(self, variables: Array) -> bool:
        """Whether limits hold at all times."""
        needed = self._constraints.clearance.needed
        far = 2.0 * needed.max(initial=0.0)
        shares, distances = self._constraints.used(self.series(variables), far)
        return bool(shares.max() <= self._constraints.share and (distances >= needed).all())

    def series(self, variables: Array) -> FourierSeries:
        """The motion of some variables."""
        half, speed, *_ = self._constraints.limits.largest
        start = variables[0] * half if self._start is None else self._start
        return FourierSeries(self._harmonics, start, speed * (self._space @ variables[1:]))

    def _log_det(self, variables: Array) -> float:
        return self._information.of(*self.series(variables).at(self.times)[:3]).log_det

    def _searched(self, variables: Array, advance: Callable[[int], object]) -> Array:
        """The best motion from a first one; its limits may be violated a little."""
        options = {'maxiter': self._iterations, 'maxcor': 20, 'ftol': 1e-9}
        flat = variables.ravel()
        for weight in STAGES:
            found = minimize(self._cost, flat, weight, 'L-BFGS-B', jac=True, options=options)
            flat = np.asarray(found.x)
            advance(1)
        return flat.reshape(variables.shape)

    def _cost(self, flat: Array, weight: float) -> tuple[float, Array]:
        """Minus the log det of each base parameter, plus weighted violations; its slope (k,)."""
        (half, speed, *_), rank = self._constraints.limits.largest, self._information.rank
        motion = self.series(flat.reshape(-1, len(half))).at(self.times)
        merit = self._information.of(*motion[:3], slopes=True)
        violation, _, slopes = self._constraints.violation(*motion, reserve=RESERVE)
        slopes = weight * slopes
        slopes[:3] -= merit.slopes / rank
        by_coefficient = np.einsum('kml,kmj->lj', self._basis, slopes, optimize=True)
        start = slopes[0].sum(axis=0) * half * (self._start is None)
        slope = np.vstack([start, self._space.T @ (by_coefficient * speed)])
        return weight * violation - merit.log_det / rank, slope.ravel()


def drawn(limits: MotionLimits, share: float, generator: np.random.Generator) -> Array:
    """Random positions (k, n) within a share of the ranges, about their middles and about zero.

    Most are near: of a robot with many joints nearly all poses of the whole ranges touch.
    """
    home = np.clip(
        limits.home(), *(limits.middle + sign * share * limits.largest[0] for sign in (-1, 1))
    )
    spread = generator.uniform(-1.0, 1.0, (POSES, len(home))) ** 3
    return np.concatenate(
        [
            center + spread * (share * limits.largest[0] - np.abs(center - limits.middle))
            for center in (limits.middle, home)
        ]
    )


def largest_allowed(rest: Array, change: Array, allowed: Callable[[Array], bool]) -> Array:
    """The largest of motions from rest to the whole change that is allowed."""
    if allowed(rest + change):
        return rest + change
    lower, upper = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (lower + upper) / 2.0
        lower, upper = (middle, upper) if allowed(rest + middle * change) else (lower, middle)
    return rest + lower * change


@dataclass(frozen=True)
class Excitation:
    """The trajectory, and what it determines.

    Attributes:
        robot: its name.
        joints: names of those that move.
        settings: that were asked for.
        series: the motion.
        rank: number of base parameters.
        log_det: of their information matrix.
        condition: of their weighted regressor, columns of unit length.
        random: log det of random motions (k,).
        constraints: limits and distances that it keeps.
        shares: (5, n) largest shares that it uses of the limits of `QUANTITIES`, of a position
            from the middle of its range; 0 of an infinite one.
        distances: (k,) smallest ones of the pairs of `constraints.clearance` [m].
    """

    robot: str
    joints: tuple[str, ...]
    settings: ExcitationSettings
    series: FourierSeries
    rank: int
    log_det: float
    condition: float
    random: Array
    constraints: Constraints
    shares: Array
    distances: Array

    @property
    def improvement(self) -> float:
        """How many times smaller standard deviations are than with the median random motion.

        The geometric mean over the base parameters.
        """
        gained = self.log_det - float(np.median(self.random))
        return float(np.exp(gained / (2.0 * self.rank)))

    def nearest(self, *, floor: bool) -> tuple[float, tuple[str, ...]]:
        """The smallest distance from the floor, or of two shapes; and the links [m].

        Infinite, and no links, where none is checked. Exceptions do not count.
        """
        clearance = self.constraints.clearance
        whole = clearance.needed == self.settings.distance
        pairs = zip(self.distances.tolist(), clearance.names, whole.tolist(), strict=True)
        kept = [(one, names) for one, names, whole in pairs if whole]
        return min((one for one in kept if (one[1][1] == FLOOR) == floor), default=(np.inf, ()))

    @property
    def doubts(self) -> dict[str, str]:
        """Why the motion needs a second look before it is played, and what to change; by code."""
        doubts = {}
        if self.condition > MAX_CONDITION:
            doubts['condition'] = (
                f'{self.condition:.3g}, above {MAX_CONDITION:g}: larger --share or --frequency, '
                'or other --joints'
            )
        if unread := self.constraints.clearance.unread:
            doubts['not_checked'] = (
                f'geometry of {counted(len(unread), "link")}: source the workspace of the robot, '
                f'or set ROS_PACKAGE_PATH ({", ".join(unread)})'
            )
        return doubts

    @property
    def times(self) -> Array:
        """Of the points of the trajectory (m,), from 0 to the duration [s]."""
        return self.series.harmonics.times(POINTS)

    def trajectory_text(self, remarks: Sequence[str] = ()) -> str:
        """The trajectory as YAML of a trajectory_msgs/JointTrajectory.

        In braces, as `ros2 topic pub` takes it, and within those of a goal of
        FollowJointTrajectory too.
        """
        points = []
        for time, *states in zip(self.times, *self.series.at(self.times)[:3], strict=True):
            # Adding zero makes 0.0 of -0.0.
            q, v, a = (
                ', '.join(f'{round(float(x), digits) + 0.0:.{digits}f}' for x in state)
                for state, digits in zip(states, DIGITS, strict=True)
            )
            seconds, nanoseconds = divmod(round(1e9 * time), 10**9)
            points.append(
                f'  {{positions: [{q}], velocities: [{v}], accelerations: [{a}], '
                f'time_from_start: {{sec: {seconds}, nanosec: {nanoseconds}}}}},'
            )
        names = json.dumps(self.joints, ensure_ascii=False)
        comments = (f'# {" ".join(remark.split())}' for remark in remarks)
        lines = [*comments, f'{{joint_names: {names},', ' points: [', *points, ' ]', '}']
        return '\n'.join(lines) + '\n'


def excite(
    dynamics: RobotDynamics,
    urdf: str,
    folder: Path | None,
    settings: ExcitationSettings,
    advance: Callable[[int], object] = lambda done: None,
) -> Excitation:
    """Find a trajectory that maximises the information of the base parameters within the limits.

    Args:
        dynamics: of the robot, reduced to the joints that are to move; its gravity counts.
        urdf: text of the URDF, for limits and collision geometry.
        folder: of its file, for meshes; None if it is from elsewhere.
        settings: what is asked for.
        advance: called with the number of stages that were done, `SEARCHES` in all.

    Raises:
        ParameterError: no trajectory is possible with these settings.
        UnknownNameError: the start names a joint that does not move.
        OracleUnavailable: Pinocchio refuses the collision geometry.
    """
    model = dynamics.model
    for name in settings.start:
        if name not in model.joint_names:
            raise UnknownNameError('joint of the start', name, model.joint_names)
    generator = np.random.default_rng(settings.seed)
    limits = MotionLimits.of(model, urdf, settings.acceleration)
    poses = limits.middle + limits.largest[0] * generator.uniform(-1.0, 1.0, (POSES, model.size))
    clearance = Clearance(
        dynamics, urdf, folder, poses, distance=settings.distance, floor=settings.floor
    )
    constraints = Constraints(dynamics, limits, settings.share, clearance)
    information, start = Information(dynamics), None
    if settings.start:
        start = limits.home()
        start[[*map(model.joint_names.index, settings.start)]] = [*settings.start.values()]
    search = Search(settings, information, constraints, start, generator)
    series, random = search.best(advance)
    merit = information.of(*series.at(search.times)[:3])
    return Excitation(
        model.name, model.joint_names, settings, series, information.rank, merit.log_det,
        merit.condition, random, constraints, *constraints.used(series),
    )  # fmt: skip
