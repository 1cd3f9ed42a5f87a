"""Explanations of what was observed, and how well they fit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .compared import HALF
from .observations import Observations
from .recorded_joints import Flags

# Deviations below this share of the effort are not worth an explanation: models have them.
NEGLIGIBLE = 0.01
# A joint whose torque is a smaller share of the largest of its kind is hardly loaded: errors of
# the URDF are as large, and its effort says nothing of sign, scale or name.
HARDLY_LOADED = 0.01
# An effort is not measured if it is a smaller share of the torque or of the effort limit, and if
# torque and friction leave at least this share of its standard deviation.
SILENT, SILENT_LIMIT, NOISE = 0.01, 0.001, 0.6
# A sum of squares below this share of what it was before a projection is rounding.
ROUNDING = 1e-12
# An explanation is good for a joint if it leaves at most this share of the RMS of its effort.
GOOD = 0.15
# From so many joints on, the worst of them does not refute an explanation: its sensor may be
# broken.
MANY = 4
# Gravity, and Coriolis with inertia; the ten parameters of a load follow.
PARTS = 2


@dataclass(frozen=True)
class Explanation:
    """measured[order[j]](t + delay) = gain_j (gravity g + C v + M a + load)_j + friction_j.

    Attributes:
        order: (n,) index of the joint whose effort is that of joint j.
        gains: (n,) ratio of measured effort and torque.
        gravity: whether the efforts contain the gravity torque.
        delay: of the efforts [s].
        body: index of the joint that carries something that the URDF has not; None for
            nothing.
        load: (10,) its inertial parameters, in the frame of the body.
        steps: codes of what differs from the model, in the order in which it was found.
    """

    order: tuple[int, ...]
    gains: tuple[float, ...]
    gravity: bool = True
    delay: float = 0.0
    body: int | None = None
    load: tuple[float, ...] = ()
    steps: tuple[str, ...] = ()

    @classmethod
    def nothing(cls, size: int) -> Explanation:
        """The efforts are those of the model, for n joints."""
        return cls(order=tuple(range(size)), gains=(1.0,) * size)

    @property
    def coefficients(self) -> Array:
        """(K,) of gravity, motion and load."""
        return np.array([float(self.gravity), 1.0, *self.load])


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
        parts = np.stack([seen.gravity.T, seen.motion.T], axis=-1)
        self._columns: dict[int | None, Array] = {None: seen.project(parts)}
        self._products: dict[int | None, Array] = {}
        self._divided: dict[int, list[Judge]] = {}
        self._targets: dict[tuple[int | None, float, tuple[int, ...]], tuple[Array, Array]] = {}
        nothing = Explanation.nothing(seen.size)
        squares, _ = self.target_products(nothing)
        efforts = seen.efforts(0.0) * seen.weights
        torque = ((parts.sum(axis=-1) * seen.weights) ** 2).sum(axis=1)
        self.silent = seen.observed & self._is_silent(nothing, efforts, torque)
        model = seen.torques.model
        known = ~np.isin(model.joint_names, seen.torques.dependent)
        varies = squares > ROUNDING * (efforts**2).sum(axis=1)
        self.judged: Flags = seen.observed & known & varies & ~self.silent
        shown = self.products(None).sum(axis=(1, 2))
        enough = _loaded(np.sqrt(shown), model)
        self.loaded: Flags = self.judged & (shown > ROUNDING * torque) & enough
        self.floor = np.where(self.judged, NEGLIGIBLE**2 * squares, 1.0)

    def _is_silent(self, nothing: Explanation, efforts: Array, torque: Array) -> Flags:
        """Whether weighted efforts (n, N) are noise beside the squares of torques (n,)."""
        samples = np.maximum(self.observations.weights.sum(axis=1), 1.0)
        size = np.sqrt((efforts**2).sum(axis=1) / samples)
        rms = np.sqrt(torque / samples)
        limits = self.observations.torques.model.effort_limits
        limits = np.where(np.isfinite(limits), limits, 0.0)
        squares, _ = self.target_products(nothing)
        _, correlation = self.match(nothing)
        left = squares * (1.0 - np.clip(np.nan_to_num(correlation), -1.0, 1.0) ** 2)
        variance = size**2 * samples - efforts.sum(axis=1) ** 2 / samples
        small = (size < SILENT * rms) | (size < np.minimum(SILENT_LIMIT * limits, rms))
        return small & (left >= NOISE**2 * variance)

    def names(self, chosen: Flags) -> tuple[str, ...]:
        """Names of the joints for which (n,) holds."""
        joints = self.observations.torques.model.joint_names
        return tuple(name for name, one in zip(joints, chosen, strict=True) if one)

    def divided(self, count: int) -> list[Judge]:
        """Judges of so many parts of the windows, in the order of time."""
        if count not in self._divided:
            self._divided[count] = [Judge(part) for part in self.observations.divided(count)]
        return self._divided[count]

    def columns(self, body: int | None) -> Array:
        """(n, N, K) gravity, motion and, for a body, its ten parameters; without friction."""
        if body is not None and body not in self._columns:
            load = self.observations.project(self.observations.load(body))
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
            efforts = seen.efforts(given.delay)[list(given.order)] * seen.weights
            explained = (efforts[:, None, :] @ seen.basis)[:, 0]
            squares = (efforts**2).sum(axis=1) - (explained**2).sum(axis=1)
            mixed = (efforts[:, None, :] @ self.columns(given.body))[:, 0]
            self._targets[key] = np.maximum(squares, 0.0), mixed
        return self._targets[key]

    def _of_model(self, given: Explanation) -> Array:
        """Sums of squares (n,) of the torque of the model."""
        return self.products(given.body) @ given.coefficients @ given.coefficients

    def errors(self, given: Explanation) -> Array:
        """Sums of squares of what is left, with the floor (n,)."""
        squares, mixed = self.target_products(given)
        gains = np.array(given.gains)
        left = squares - 2.0 * gains * (mixed @ given.coefficients)
        left += gains**2 * self._of_model(given)
        return np.maximum(left, 0.0) + self.floor[list(given.order)]

    def errors_of_pairs(self, given: Explanation) -> Array:
        """The error (n, n) of each joint, by rows, with the effort of each joint."""
        own = np.arange(len(given.order))
        errors = np.empty((len(own), len(own)))
        for shift in own:
            other = np.roll(own, shift)
            errors[own, other] = self.errors(replace(given, order=tuple(other.tolist())))
        return errors

    def misfit(self, given: Explanation) -> float:
        """Sum of the logarithms of the errors: minus the log-likelihood, up to a factor."""
        return float(np.log(self.errors(given))[self.judged].sum())

    def match(self, given: Explanation) -> tuple[Array, Array]:
        """The best gain (n,) of each joint, and the correlation (n,) of effort and model."""
        squares, mixed = self.target_products(given)
        with np.errstate(invalid='ignore', divide='ignore'):
            both, model = mixed @ given.coefficients, self._of_model(given)
            return both / model, both / np.sqrt(model * squares)

    def is_explained(self, given: Explanation) -> bool:
        """Whether an explanation leaves little of the efforts, over all judged joints together.

        Friction and an offset are fitted to each joint. An offset is not counted as an effort.
        """
        joints, seen = np.flatnonzero(self.judged), self.observations
        efforts = (seen.efforts(given.delay)[list(given.order)] * seen.weights)[joints]
        samples = np.maximum(seen.weights.sum(axis=1)[joints], 1.0)
        whole = (efforts**2).sum(axis=1) - efforts.sum(axis=1) ** 2 / samples
        left = self.errors(given)[joints]
        if len(joints) >= MANY:
            others = np.argsort(left / np.maximum(whole, np.finfo(float).tiny))[:-1]
            whole, left = whole[others], left[others]
        return bool(left.sum() <= HALF**2 * whole.sum())


def _loaded(torque: Array, model: RobotModel) -> Flags:
    """Whether the torque (n,) of a joint is not small against the largest of its kind."""
    loaded = np.zeros(len(torque), dtype=bool)
    for kind in model.sliding, ~model.sliding:
        loaded[kind] = torque[kind] > HARDLY_LOADED * torque[kind].max(initial=0.0)
    return loaded
