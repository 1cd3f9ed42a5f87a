"""The best trajectory within the limits, from random ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .constraints import Constraints
from .information import Information
from .motion import Band, FourierSeries

# Random poses among which one is searched where the robot may rest.
POSES = 400
# Shares of the ranges among which it is searched, one after the other: of a robot with many joints
# nearly all poses touch.
SPREADS = (1.0, 0.5, 0.25, 0.1)
# Halvings of the interval in which the largest amplitude is searched.
HALVINGS = 9
# Of what is allowed.
ROUNDING = 1e-9
# Samples in the shortest period. Between them, a sine is at most 2 % above its samples.
SAMPLES = 16
# Random motions, with which the result is compared, and of which the best are optimised.
RANDOM, STARTS = 12, 2
# Weights of the violations, one stage after the other: first the shape, then the limits.
STAGES = (3.0, 15.0, 80.0, 400.0)
# Share of what is allowed that stays free, for what happens between the samples.
RESERVE = 0.02
# Stages of all searches.
SEARCHES = STARTS * len(STAGES)


def resting_poses(constraints: Constraints, generator: np.random.Generator) -> Array:
    """Random positions (k, n) at which the robot may rest.

    Raises:
        ParameterError: there are none.
    """
    limits, share = constraints.limits, constraints.share
    drawn = generator.uniform(-1.0, 1.0, (POSES, len(limits.half)))
    nearest, least = (home := limits.home(share)), np.inf
    for center in (limits.middle, home):
        room = share * limits.half - np.abs(center - limits.middle)
        for spread in SPREADS:
            poses = center + spread * room * drawn
            excess = constraints.at_rest(poses)
            if (excess <= ROUNDING).any():
                return poses[excess <= ROUNDING]
            if excess.min() < least:
                nearest, least = poses[excess.argmin()], excess.min()
    raise ParameterError(
        f'the robot may rest at none of {2 * len(SPREADS) * POSES} random poses; at the best of '
        f'them {constraints.excess_at(nearest)}. Allow a smaller --distance, a lower --floor (or '
        'none), a larger --share, or fewer --joints'
    )


class Optimisation:
    """Maximises the log det of the information by a growing weight of violations.

    Quadratic penalties and L-BFGS: Nocedal, Wright, "Numerical Optimization" (2006), sections 17.1
    and 7.2. What is violated afterwards is small, and shrunk away. The variables (2 N - 1, n) are
    the start, in half ranges, and the coefficients in `resting_space`, in velocity limits.

    Attributes:
        times: of one period (m,), at which motions are judged [s].
    """

    def __init__(
        self,
        band: Band,
        information: Information,
        constraints: Constraints,
        start: Array | None,
        generator: np.random.Generator,
    ) -> None:
        """Take what is searched.

        Args:
            band: of frequencies.
            information: of motions.
            constraints: what a motion may use.
            start: (n,) where it starts; None: it is chosen.
            generator: of random numbers.

        Raises:
            ParameterError: the robot may not rest at the start, or at no random pose.
        """
        self._band, self._information, self._constraints = band, information, constraints
        self._start, self._random = start, generator
        self.times = band.times(SAMPLES)[:-1]
        self._space, self._basis = band.resting_space(), band.basis(self.times)
        if start is None:
            self._poses = resting_poses(constraints, generator)
        elif constraints.at_rest(start[None])[0] > ROUNDING:
            raise ParameterError(f'--start: {constraints.excess_at(start)}')
        else:
            self._poses = start[None]

    def best(
        self, iterations: int, advance: Callable[[int], object]
    ) -> tuple[FourierSeries, list[float]]:
        """The best motion that keeps its limits, and the log det of the random ones.

        Args:
            iterations: of each stage.
            advance: called with the number of stages that were done, `SEARCHES` in all.

        Raises:
            ParameterError: none keeps its limits.
        """
        random = [self.random_motion() for _ in range(RANDOM)]
        values = [self._log_det(one) for one in random]
        first = [random[i] for i in np.argsort(values)[::-1][:STARTS]]
        usable = []
        for one in (*(self._searched(one, iterations, advance) for one in first), first[0]):
            # Towards its start, where it rests.
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
        """A motion with random coefficients, as large as the limits allow.

        Each joint alone first gets as much as its position, velocity and acceleration allow; then
        all are shrunk until torques and distances are allowed too.
        """
        limits, share = self._constraints.limits, self._constraints.share
        middle = self._poses[self._random.integers(len(self._poses))]
        free = self._random.normal(size=(self._space.shape[1], len(middle)))
        series = self.series(np.vstack([np.zeros_like(middle), free]))
        q, v, a = self._basis @ series.coefficients
        # Of the start from the middle of the motion.
        shift = (q.max(axis=0) + q.min(axis=0)) / 2.0 * (self._start is None)
        room = np.maximum(share * limits.half - np.abs(middle - limits.middle), 1e-9)
        allowed = room, share * limits.velocity, share * limits.acceleration
        largest = [np.abs(value).max(axis=0) for value in (q - shift, v, a)]
        factors = 1.0 / np.max(np.array(largest) / allowed, axis=0)
        rest = np.vstack([middle / limits.half, np.zeros_like(free)])
        change = np.vstack([-shift / limits.half, free]) * factors
        return largest_allowed(rest, change, self._keeps)

    def _keeps(self, variables: Array) -> bool:
        """Whether limits hold at the samples."""
        _, largest, _ = self._constraints.violation(*self.series(variables).at(self.times))
        return bool(largest.max() <= ROUNDING)

    def _holds(self, variables: Array) -> bool:
        """Whether limits hold at all times."""
        one = self._constraints
        series, far = self.series(variables), 2.0 * one.clearance.distance
        shares, near = one.used(series, far)
        return near.kept and bool(shares.max() <= one.share)

    def series(self, variables: Array) -> FourierSeries:
        """The motion of some variables."""
        limits = self._constraints.limits
        start = variables[0] * limits.half if self._start is None else self._start
        coefficients = limits.velocity * (self._space @ variables[1:])
        return FourierSeries(self._band, start, coefficients)

    def _log_det(self, variables: Array) -> float:
        return self._information.of(*self.series(variables).at(self.times)).log_det

    def _searched(
        self, variables: Array, iterations: int, advance: Callable[[int], object]
    ) -> Array:
        """The best motion from a first one; its limits may be violated a little."""
        options = {'maxiter': iterations, 'maxcor': 20, 'ftol': 1e-9}
        flat = variables.ravel()
        for weight in STAGES:
            found = minimize(self._cost, flat, weight, 'L-BFGS-B', jac=True, options=options)
            flat = np.asarray(found.x)
            advance(1)
        return flat.reshape(variables.shape)

    def _cost(self, flat: Array, weight: float) -> tuple[float, Array]:
        """Minus the log det of each base parameter, plus weighted violations; its slope (k,)."""
        limits, rank = self._constraints.limits, self._information.rank
        series = self.series(flat.reshape(-1, len(limits.half)))
        q, v, a = self._basis @ series.coefficients
        motion = series.start + q, v, a
        merit = self._information.of(*motion, slopes=True)
        violation, _, excess = self._constraints.violation(*motion, RESERVE)
        slopes = weight * excess - merit.slopes / rank
        by_coefficient = np.einsum('kml,kmj->lj', self._basis, slopes, optimize=True)
        start = slopes[0].sum(axis=0) * limits.half * (self._start is None)
        slope = np.vstack([start, self._space.T @ (by_coefficient * limits.velocity)])
        return weight * violation - merit.log_det / rank, slope.ravel()


def largest_allowed(rest: Array, change: Array, allowed: Callable[[Array], bool]) -> Array:
    """The largest of motions from rest to the whole change that is allowed."""
    if allowed(rest + change):
        return rest + change
    lower, upper = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (lower + upper) / 2.0
        lower, upper = (middle, upper) if allowed(rest + middle * change) else (lower, middle)
    return rest + lower * change
