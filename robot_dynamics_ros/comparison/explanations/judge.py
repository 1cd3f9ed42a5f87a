"""How well an explanation fits the observations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .explanation import Explanation
from .observations import Observations

Flags = npt.NDArray[np.bool_]

# Deviations below this share of the effort are not worth an explanation: models have them.
NEGLIGIBLE = 0.01
# A joint whose torque is a smaller share of the largest of its kind is hardly loaded: errors of
# the description are as large, and its effort says nothing of sign, scale or name.
HARDLY_LOADED = 0.01
# An effort is not measured if it is a smaller share of the torque or of the effort limit, and if
# torque and friction leave at least this share of its standard deviation.
SILENT, SILENT_LIMIT, NOISE = 0.01, 0.001, 0.6
# Sums of squares below this share of what they were before a projection are rounding.
ROUNDING = 1e-14
# An explanation is refuted if it leaves more than this share of the efforts. From so many joints
# on, the worst of them does not count: its sensor may be broken.
REFUTED, MANY = 0.5, 4
# Gravity, and Coriolis with inertia; the ten parameters of a load follow.
PARTS = 2


class Judge:
    """Computes errors of explanations from sums of products, without looking at samples again.

    Attributes:
        observations: windows of the recordings.
        judged: (n,) whether a joint takes part: not if its torque depends on missing joints.
        silent: (n,) whether the effort of a joint is nothing but noise about zero.
        loaded: (n,) whether it also has enough torque for hypotheses about single joints.
        floor: (n,) what is added to each sum of squares, see NEGLIGIBLE.
    """

    def __init__(self, observations: Observations) -> None:
        """Project the parts of the model."""
        seen = self.observations = observations
        parts = np.stack([seen.project(seen.gravity), seen.project(seen.motion)], axis=-1)
        self._columns: dict[int | None, Array] = {None: parts.transpose(1, 0, 2)}
        self._products: dict[int | None, Array] = {}
        self._targets: dict[tuple[int | None, float, tuple[int, ...]], tuple[Array, Array]] = {}
        nothing = Explanation.nothing(seen.size)
        squares, _ = self.target_products(nothing)
        weights = seen.project.weights.T
        whole = (seen.weighted_efforts(0.0, nothing.order) ** 2).sum(axis=1)
        self.silent = seen.observed & self._is_silent(nothing)
        known = ~np.isin(seen.torques.model.joint_names, seen.torques.dependent)
        self.judged = seen.observed & known & (squares > ROUNDING * whole) & ~self.silent
        torque = self.products(None).sum(axis=(1, 2))
        varies = torque > ROUNDING * ((seen.torque(nothing).T * weights) ** 2).sum(axis=1)
        self.loaded = self.judged & varies & _loaded(np.sqrt(torque), seen.torques.model)
        self.floor = np.where(self.judged, NEGLIGIBLE**2 * squares, 1.0)

    def _is_silent(self, nothing: Explanation) -> Flags:
        seen = self.observations
        weights = seen.project.weights.T
        samples = np.maximum(weights.sum(axis=1), 1.0)
        efforts = seen.weighted_efforts(0.0, nothing.order)
        size = np.sqrt((efforts**2).sum(axis=1) / samples)
        torque = np.sqrt(((seen.torque(nothing).T * weights) ** 2).sum(axis=1) / samples)
        limits = seen.torques.model.effort_limits.copy()
        limits[~np.isfinite(limits)] = 0.0
        squares, _ = self.target_products(nothing)
        _, correlation = self.match(nothing)
        left = squares * (1.0 - np.clip(np.nan_to_num(correlation), -1.0, 1.0) ** 2)
        variance = size**2 * samples - efforts.sum(axis=1) ** 2 / samples
        small = (size < SILENT * torque) | (size < np.minimum(SILENT_LIMIT * limits, torque))
        silent: Flags = small & (left >= NOISE**2 * variance)
        return silent

    def columns(self, body: int | None) -> Array:
        """(n, N, K) gravity, motion and, for a body, its ten parameters; without friction."""
        if body is not None and body not in self._columns:
            load = self.observations.load(body).transpose(1, 0, 2)
            self._columns[body] = np.concatenate([self._columns[None], load], axis=-1)
        return self._columns[body]

    def products(self, body: int | None) -> Array:
        """(n, K, K) sums of products of the columns."""
        if body not in self._products:
            columns = self.columns(body)
            self._products[body] = columns.transpose(0, 2, 1) @ columns
        return self._products[body]

    def target_products(self, given: Explanation) -> tuple[Array, Array]:
        """Sums of squares (n,) of the efforts, and of their products with the columns (n, K).

        Friction and offset are projected out of both.
        """
        key = (given.body, given.delay, given.order)
        if key not in self._targets:
            seen = self.observations
            efforts = seen.weighted_efforts(given.delay, given.order)
            explained = (efforts[:, None, :] @ seen.project.basis)[:, 0]
            squares = (efforts**2).sum(axis=1) - (explained**2).sum(axis=1)
            mixed = (efforts[:, None, :] @ self.columns(given.body))[:, 0]
            self._targets[key] = np.maximum(squares, 0.0), mixed
        return self._targets[key]

    def coefficients(self, given: Explanation) -> Array:
        """(K,) of the columns."""
        return np.array([float(given.gravity), 1.0, *given.load])

    def errors(self, given: Explanation) -> Array:
        """Sums of squares of what is left, with the floor (n,)."""
        squares, mixed = self.target_products(given)
        gains, coefficients = np.array(given.gains), self.coefficients(given)
        model = self.products(given.body) @ coefficients @ coefficients
        left = squares - 2.0 * gains * (mixed @ coefficients) + gains**2 * model
        errors: Array = np.maximum(left, 0.0) + self.floor[list(given.order)]
        return errors

    def errors_of_pairs(self, given: Explanation) -> Array:
        """The error (n, n) of each joint, by rows, with the effort of each joint."""
        efforts, coefficients = self.observations.efforts(given.delay), self.coefficients(given)
        project, columns = self.observations.project, self.columns(given.body)
        model = self.products(given.body) @ coefficients @ coefficients
        errors = np.empty((len(efforts), len(efforts)))
        for joint, gain in enumerate(given.gains):
            weighted = efforts * project.weights[:, joint]
            explained = weighted @ project.basis[joint]
            squares = (weighted**2).sum(axis=1) - (explained**2).sum(axis=1)
            mixed = weighted @ (columns[joint] @ coefficients)
            errors[joint] = squares - 2.0 * gain * mixed + gain**2 * model[joint]
        floored: Array = np.maximum(errors, 0.0) + self.floor
        return floored

    def misfit(self, given: Explanation) -> float:
        """Sum of the logarithms of the errors: minus the log-likelihood, up to a factor."""
        return float(np.log(self.errors(given))[self.judged].sum())

    def match(self, given: Explanation) -> tuple[Array, Array]:
        """The best gain (n,) of each joint, and the correlation (n,) of effort and model."""
        squares, mixed = self.target_products(given)
        coefficients = self.coefficients(given)
        model = self.products(given.body) @ coefficients @ coefficients
        with np.errstate(invalid='ignore', divide='ignore'):
            both = mixed @ coefficients
            return both / model, both / np.sqrt(model * squares)


def is_explained(judge: Judge, given: Explanation) -> bool:
    """Whether an explanation leaves little of the efforts, over all judged joints together.

    Friction and an offset are fitted to each joint. An offset is not counted as an effort.

    Args:
        judge: has the observations.
        given: the explanation; also that nothing differs from the model.
    """
    joints = np.flatnonzero(judge.judged)
    efforts = judge.observations.weighted_efforts(given.delay, given.order)[joints]
    samples = np.maximum(judge.observations.project.weights.sum(axis=0)[joints], 1.0)
    whole = (efforts**2).sum(axis=1) - efforts.sum(axis=1) ** 2 / samples
    left = judge.errors(given)[joints]
    if len(joints) >= MANY:
        others = np.argsort(left / np.maximum(whole, np.finfo(float).tiny))[:-1]
        whole, left = whole[others], left[others]
    return bool(left.sum() <= REFUTED**2 * whole.sum()) or not len(joints)


def _loaded(torque: Array, model: RobotModel) -> Flags:
    """Whether the torque (n,) of a joint is not small against the largest of its kind."""
    sliding = np.array([joint.kind == 'prismatic' for joint in model.independent_joints])
    loaded = np.zeros(len(torque), dtype=bool)
    for kind in sliding, ~sliding:
        loaded[kind] = torque[kind] > HARDLY_LOADED * torque[kind].max(initial=0.0)
    return loaded
