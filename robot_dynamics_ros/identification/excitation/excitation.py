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
from robot_dynamics_ros.identification.base_parameters import MAX_CONDITION
from robot_dynamics_ros.oracle.collisions import FLOOR
from robot_dynamics_ros.parameter_yaml import yaml_value

from .clearance import Clearance
from .information import Information
from .limits import QUANTITIES, MotionLimits
from .motion import ExcitationSettings, FourierSeries, resting_space

# Programs of the robot that are needed.
PROGRAMS = ('regressor', 'inverse_dynamics', 'frame_poses')
# Random poses, which show what shapes are always near each other, and where the robot may rest.
# Random motions, with which the result is compared, and of which the best are optimised.
POSES, RANDOM, STARTS = 300, 12, 2
# Weights of the violations, one stage after the other: first the shape, then the limits.
STAGES = (3.0, 15.0, 80.0, 400.0)
SEARCHES = STARTS * len(STAGES)
# Samples in the shortest cycle: of the search and the trajectory, whose quintic polynomials are
# then within 1e-7 of the amplitude, and of the check at last.
SAMPLES, FINE = 16, 64
# Shares of limits and of distances that stay free in the search, for what is between its samples;
# what is less than the last one is rounding.
RESERVE, WIDER, ROUNDING = 0.02, 0.2, 1e-9
# Of forward differences: errors of rounding and of the curvature are alike.
STEP = float(np.sqrt(np.finfo(float).eps))


class Constraints:
    """A share of each limit of the joints, and the clearance, that a motion keeps.

    Motions are positions, velocities, accelerations and jerks, each (m, n).
    """

    def __init__(
        self, dynamics: RobotDynamics, limits: MotionLimits, share: float, clearance: Clearance
    ) -> None:
        """Take the limits, and the friction of the URDF."""
        self.limits, self.share, self.clearance = limits, share, clearance
        self._dynamics, self._friction = dynamics, JointFriction(dynamics.model).bounds

    def shares(self, q: Array, v: Array, a: Array, jerk: Array) -> Array:
        """Shares (5, m, n) of the limits of `QUANTITIES`; efforts are with friction, unsigned."""
        coulomb, viscous = self._friction
        effort = np.abs(self._dynamics.inverse_dynamics(q, v, a)) + coulomb + viscous * np.abs(v)
        shares = np.array([q - self.limits.middle, v, a, jerk, effort])
        return shares / self.limits.largest[:, None]

    def excess(self, *motion: Array) -> Array:
        """By which share of what is allowed limits and distances are exceeded, (m, 5 n + k)."""
        needed = self.clearance.needed
        distances = self.clearance.distances(motion[0], 2.0 * needed.max(initial=0.0))
        return np.hstack(
            [*np.abs(self.shares(*motion)) / self.share - 1.0, 1.0 - distances / needed]
        )

    def violation(self, *motion: Array) -> Callable[..., Array]:
        """The sums of squares (m,) of what is exceeded, for motions near this one.

        Of what is allowed, `RESERVE` and `WIDER` stay free.
        """
        lacking = self.clearance.lacking(motion[0], WIDER)

        def at(*motion: Array) -> Array:
            excess = np.abs(self.shares(*motion)) / self.share - (1.0 - RESERVE)
            return np.asarray((np.maximum(excess, 0.0) ** 2).sum(axis=(0, 2)) + lacking(motion[0]))

        return at

    def excess_at(self, q: Array) -> str:
        """What exceeds most where the robot rests at a pose (n,), in words."""
        shares = np.abs(self.shares(q[None], *np.zeros((3, 1, len(q))))[:, 0])
        kind, joint = np.unravel_index(shares.argmax(), shares.shape)
        if shares.max() <= self.share:
            return self.clearance.nearest(q)
        name, limit = self._dynamics.model.joint_names[joint], QUANTITIES[kind]
        return f'{name} uses {shares.max():.3g} of its {limit} limit, allowed is {self.share:g}'

    def used(self, series: FourierSeries) -> tuple[Array, Array]:
        """The largest shares (5, n), and the smallest distances (k,) [m], at all times."""
        motion = series.at(series.times(FINE))
        shares = above_samples(np.abs(self.shares(*motion))).max(axis=1)
        return shares, -above_samples(-self.clearance.distances(motion[0])).max(axis=0)


def above_samples(values: Array) -> Array:
    """Upper bounds about samples (..., m, k): the tip of an inverted V between two of them.

    It is half of the second difference above, four times as much as that of a parabola.
    """
    bend = np.maximum(-np.diff(values, 2, axis=-2), 0.0) / 2.0
    edges = [(0, 0)] * (values.ndim - 2)
    return values + np.pad(bend, [*edges, (1, 1), (0, 0)], mode='edge')


class Search:
    """Maximises the log det of the information by a growing weight of violations.

    Quadratic penalties and L-BFGS: Nocedal, Wright, "Numerical Optimization" (2006), sections 17.1
    and 7.2. What is violated afterwards is small, and shrunk away. The variables (2 N - 1, n) are
    the start, in half ranges, and the coefficients in `resting_space`, in velocity limits.
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
        self._settings, self._information, self._constraints = settings, information, constraints
        self._starts_anywhere, self._random = start is None, generator
        self._space = resting_space(settings.harmonics)
        still = self.series(np.zeros((1 + self._space.shape[1], len(constraints.limits.middle))))
        self.times = still.times(SAMPLES)[:-1]
        self._basis = still.basis(self.times)
        poses = self._drawn() if start is None else start[None]
        excess = constraints.excess(poses, *np.zeros((3, *poses.shape))).max(axis=1)
        if not (allowed := excess <= ROUNDING).any():
            what = constraints.excess_at(poses[excess.argmin()])
            raise ParameterError(
                f'--start: {what}' if start is not None else
                f'the robot may rest at none of {len(poses)} random poses; at the best {what}: '
                'allow a smaller --distance, a lower --floor, a larger --share or fewer --joints'
            )  # fmt: skip
        self._poses = poses[allowed]

    def best(self, advance: Callable[[int], object]) -> tuple[FourierSeries, Array]:
        """The best motion that keeps its limits, and the log det of random ones (k,).

        Raises:
            ParameterError: none keeps its limits.
        """
        random = [self.random_motion() for _ in range(RANDOM)]
        values = np.array([self._log_det(one) for one in random])
        first = [random[index] for index in values.argsort()[::-1][:STARTS]]
        usable = []
        for one in [*(self._searched(one, advance) for one in first), first[0]]:
            rest = np.zeros_like(one)
            rest[0] = one[0]
            usable.append(largest_allowed(rest, one - rest, self._holds))
        if not any(one[1:].any() for one in usable):
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
        q, *rates = self._basis @ (limits.largest[1] * (self._space @ free))
        # Of the start from the middle of the motion.
        shift = (q.max(axis=0) + q.min(axis=0)) / 2.0 * self._starts_anywhere
        room = np.maximum(share * limits.largest[0] - np.abs(middle - limits.middle), ROUNDING)
        allowed = np.vstack([room, share * limits.largest[1:4]])
        largest = np.abs([q - shift, *rates]).max(axis=1)
        change = np.vstack([-shift / limits.largest[0], free]) / (largest / allowed).max(axis=0)
        rest = np.vstack([middle / limits.largest[0], np.zeros_like(free)])
        return largest_allowed(rest, change, self._keeps)

    def series(self, variables: Array) -> FourierSeries:
        """The motion of some variables."""
        half, speed, *_ = self._constraints.limits.largest
        coefficients = speed * (self._space @ variables[1:])
        start, settings = half * variables[0], self._settings
        return FourierSeries(settings.duration, settings.harmonics, start, coefficients)

    def _drawn(self) -> Array:
        """Random positions (k, n) within the share of the ranges, about their middles and zero.

        Most are near: of a robot with many joints nearly all poses of the whole ranges touch.
        """
        limits = self._constraints.limits
        room = self._constraints.share * limits.largest[0]
        # At the edge of a range a joint could not move to both sides.
        low, high = limits.middle - room / 2.0, limits.middle + room / 2.0
        centers = limits.middle, np.clip(limits.home(), low, high)
        near = self._random.uniform(-1.0, 1.0, (POSES, len(room))) ** 3
        each = (one + near * (room - np.abs(one - limits.middle)) for one in centers)
        return np.concatenate([*each])

    def _keeps(self, variables: Array) -> bool:
        """Whether limits hold at the samples."""
        motion = self.series(variables).at(self.times)
        return bool(self._constraints.excess(*motion).max() <= ROUNDING)

    def _holds(self, variables: Array) -> bool:
        """Whether limits hold at all times."""
        series = self.series(variables)
        excess = self._constraints.excess(*series.at(series.times(FINE)))
        return bool(above_samples(excess).max() <= 0.0)

    def _log_det(self, variables: Array) -> float:
        return self._information.log_det(*self.series(variables).at(self.times)[:3])[0]

    def _searched(self, variables: Array, advance: Callable[[int], object]) -> Array:
        """The best motion from a first one; its limits may be violated a little."""
        options = {'maxiter': self._settings.iterations, 'maxcor': 20, 'ftol': 1e-9}
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
        log_det, influence = self._information.log_det(*motion[:3])
        violation = self._constraints.violation(*motion)

        def local(*motion: Array) -> Array:
            rows = self._information.rows(*motion[:3])[..., self._information.columns]
            gained = np.einsum('mij,mij->m', rows, influence)
            return np.asarray(weight * violation(*motion) - gained / rank)

        before, slopes = local(*motion), np.empty((4, *motion[0].shape))
        for order, joint in np.ndindex(4, len(half)):
            moved = np.array(motion)
            moved[order, :, joint] += STEP
            slopes[order, :, joint] = (local(*moved) - before) / STEP
        by_coefficient = np.einsum('kml,kmj->lj', self._basis, slopes, optimize=True)
        start = slopes[0].sum(axis=0) * half * self._starts_anywhere
        slope = np.vstack([start, self._space.T @ (by_coefficient * speed)])
        return weight * violation(*motion).sum() - log_det / rank, slope.ravel()


def largest_allowed(rest: Array, change: Array, allowed: Callable[[Array], bool]) -> Array:
    """The largest of motions from rest to the whole change that is allowed, to 1 / 512 of it."""
    if allowed(rest + change):
        return rest + change
    share = 0.0
    for step in 0.5 ** np.arange(1, 10):
        share += step * allowed(rest + (share + step) * change)
    return rest + share * change


@dataclass(frozen=True)
class Excitation:
    """The trajectory of the joints of a robot, and what it determines."""

    robot: str
    joints: tuple[str, ...]
    settings: ExcitationSettings
    series: FourierSeries
    rank: int  #: number of base parameters
    log_det: float  #: of their information matrix
    condition: float  #: of their weighted regressor, columns of unit length
    random: Array  #: log det of random motions (k,)
    constraints: Constraints  #: limits and distances that it keeps
    shares: Array  #: (5, n) largest ones of the limits of `QUANTITIES`; 0 of an infinite one
    distances: Array  #: (k,) smallest ones of the pairs of `constraints.clearance` [m]

    @property
    def improvement(self) -> float:
        """Of standard deviations, to the median random motion: their geometric mean."""
        return float(np.exp((self.log_det - np.median(self.random)) / (2.0 * self.rank)))

    def nearest(self, *, floor: bool) -> tuple[float, tuple[str, ...]]:
        """The smallest distance from the floor, or of two shapes, no exceptions; its links [m]."""
        clearance = self.constraints.clearance
        pairs = zip(self.distances.tolist(), clearance.names, clearance.needed, strict=True)
        kept = (pair[:2] for pair in pairs if pair[2] == self.settings.distance)
        return min((one for one in kept if (FLOOR in one[1]) == floor), default=(np.inf, ()))

    @property
    def doubts(self) -> dict[str, str]:
        """Why the motion needs a second look before it is played, and what to change; by code."""
        unread, doubts = self.constraints.clearance.unread, {}
        if self.condition > MAX_CONDITION:
            doubts['condition'] = (
                f'{self.condition:.3g}, above {MAX_CONDITION:g}: larger --share or --frequency, '
                'or other --joints'
            )
        if unread:
            doubts['not_checked'] = (
                f'geometry of {counted(len(unread), "link")}: source the workspace of the robot, '
                f'or set ROS_PACKAGE_PATH ({", ".join(unread)})'
            )
        return doubts

    @property
    def times(self) -> Array:
        """Of the points of the trajectory (m,), from 0 to the duration [s]."""
        return self.series.times(SAMPLES)

    def trajectory_text(self, remarks: Sequence[str] = ()) -> str:
        """YAML of a trajectory_msgs/JointTrajectory, in braces as those of a goal need it."""
        # Rounding changes accelerations between points by less than 1e-3 rad/s^2; -0.0 + 0.0 is 0.
        states = (np.round(x, 7) + 0.0 for x in self.series.at(self.times)[:3])
        lines = [f'# {" ".join(remark.split())}' for remark in remarks]
        names = json.dumps(self.joints, ensure_ascii=False)
        lines += [f'{{joint_names: {names},', ' points: [']
        for time, q, v, a in zip(self.times, *(x.tolist() for x in states), strict=True):
            seconds, nanoseconds = divmod(round(1e9 * time), 10**9)
            point = {'positions': q, 'velocities': v, 'accelerations': a}
            point['time_from_start'] = {'sec': seconds, 'nanosec': nanoseconds}
            lines.append(f'  {yaml_value(point)},')
        return '\n'.join([*lines, ' ]', '}', ''])


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
        advance: called with 1 after each of `SEARCHES` stages.

    Raises:
        ParameterError: no trajectory is possible with these settings.
        UnknownNameError: the start names a joint that does not move.
        OracleUnavailable: Pinocchio refuses the collision geometry.
    """
    model, generator = dynamics.model, np.random.default_rng(settings.seed)
    for name in settings.start:
        if name not in model.joint_names:
            raise UnknownNameError('joint of the start', name, model.joint_names)
    limits = MotionLimits.of(model, urdf, settings.acceleration)
    poses = limits.middle + limits.largest[0] * generator.uniform(-1.0, 1.0, (POSES, model.size))
    distance, floor = settings.distance, settings.floor
    clearance = Clearance(dynamics, urdf, folder, poses, distance=distance, floor=floor)
    constraints = Constraints(dynamics, limits, settings.share, clearance)
    information, start = Information(dynamics), limits.home()
    start[[*map(model.joint_names.index, settings.start)]] = [*settings.start.values()]
    begin = start if settings.start else None
    search = Search(settings, information, constraints, begin, generator)
    series, random = search.best(advance)
    motion = series.at(search.times)[:3]
    return Excitation(
        model.name, model.joint_names, settings, series, information.rank,
        information.log_det(*motion)[0], information.condition(*motion), random, constraints,
        *constraints.used(series),
    )  # fmt: skip
