"""The windows of the recordings as columns of a regression, one regression for each joint.

In each regression friction and an offset are free: F_v v + F_c sgn(v) + o. They are projected out
of every column (Frisch and Waugh), so that a hypothesis is judged by what they cannot explain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from ..evidence.excerpts import Window
from ..evidence.model_torques import ModelTorques
from .explanation import Explanation

Flags = npt.NDArray[np.bool_]

# Largest delay that is looked for [s].
LONGEST_DELAY = 0.1
# Speeds below this share of a joint's RMS speed have no certain direction.
SLOW = 0.1
# RMS speed of a joint that stands still [rad/s or m/s].
STILL = 1e-3
# A joint has friction in its regression if it moves in at least this share of the samples.
MOVING_SHARE = 0.2
# Fewest samples from which anything is concluded.
FEWEST = 30


@dataclass(frozen=True)
class Projector:
    """Removes friction and offset from columns, for each joint.

    Attributes:
        weights: (N, n) 1 where a sample counts for a joint, else 0.
        columns: (n, N, 3) velocity, direction and 1, weighted; zero where not in the regression.
        basis: (n, N, 3) orthonormal, of the same space.
    """

    weights: Array
    columns: Array
    basis: Array

    @classmethod
    def of(cls, velocities: Array, weights: Array, moving: Flags) -> Projector:
        """Those of velocities (N, n), with weights (N, n) and joints that move (n,)."""
        stacked = np.stack([velocities, np.sign(velocities), np.ones_like(velocities)], axis=-1)
        columns = (stacked * weights[:, :, None]).transpose(1, 0, 2)
        columns[~moving, :, :2] = 0.0
        left, values, _ = np.linalg.svd(columns, full_matrices=False)
        basis = left * (values > 1e-9 * values.max(axis=1, keepdims=True, initial=1e-300))[:, None]
        return cls(weights, columns, basis)

    def __call__(self, values: Array, joint: int | None = None) -> Array:
        """What friction and offset cannot explain of columns (N, n), or of (N, k) of one joint."""
        if joint is not None:
            weighted = values * self.weights[:, joint, None]
            basis = self.basis[joint]
            result: Array = weighted - basis @ (basis.T @ weighted)
            return result
        weighted = (values * self.weights).T[:, :, None]
        left = weighted - self.basis @ (self.basis.transpose(0, 2, 1) @ weighted)
        return left[:, :, 0].T


class Observations:
    """Measured efforts beside the parts of the model, at the samples of the windows.

    Attributes:
        windows: that are long enough.
        gravity: (N, n) [N m or N].
        motion: (N, n) Coriolis and inertia together [N m or N].
        friction: (N, n) of the description [N m or N].
        positions: (N, n) [rad or m].
        velocities: (N, n) [rad/s or m/s].
        accelerations: (N, n) [rad/s^2 or m/s^2].
        moving: (n,) whether a joint moves enough for its friction.
        observed: (n,) whether anything can be concluded of a joint.
        project: see `Projector`.
        independent: number of samples that are independent after filtering.
    """

    def __init__(self, torques: ModelTorques, windows: Iterable[Window]) -> None:
        """Compute the model at every sample of the windows."""
        self.torques = torques
        self.windows = [window for window in windows if len(window.efforts) > 2 * _margin(window)]
        self._finite = [replace(one, efforts=np.nan_to_num(one.efforts)) for one in self.windows]
        size = torques.model.size
        self.positions = self._inner('positions', size)
        self.velocities = self._inner('velocities', size)
        self.accelerations = self._inner('accelerations', size)
        terms = torques.terms(self)
        self.gravity, self.motion, self.friction = terms[0], terms[1] + terms[2], terms[3]
        self._weigh()
        self.project = Projector.of(self.velocities, self._weights, self.moving)
        self.independent = sum(
            2.0 * window.cutoff * window.interval * (len(window.efforts) - 2 * _margin(window))
            for window in self.windows
        )

    def _inner(self, name: str, size: int) -> Array:
        parts = [getattr(one, name)[_margin(one) : -_margin(one)] for one in self.windows]
        rows: Array = np.concatenate([np.empty((0, size)), *parts])
        return rows

    def _weigh(self) -> None:
        """Which samples count: near a reversal the direction of friction is not known."""
        v, a = self.velocities, self.accelerations
        speed = np.sqrt(np.mean(v**2, axis=0)) if len(v) else np.zeros(v.shape[1])
        # The impulse response of the filter is about this long.
        width = np.concatenate(
            [np.empty(0), *(np.full(_rows(one), 0.5 / one.cutoff) for one in self.windows)]
        )
        certain = (np.abs(v) > SLOW * speed) & (np.abs(v) > np.abs(a) * width[:, None])
        measured = np.concatenate(
            [np.empty((0, v.shape[1]), dtype=bool), *(_measured(one) for one in self.windows)]
        )
        usable = certain & measured
        self.moving = (usable.sum(axis=0) > max(FEWEST, MOVING_SHARE * len(v))) & (speed > STILL)
        self._weights = np.where(self.moving, usable, measured).astype(np.float64)
        self.observed = self._weights.sum(axis=0) >= FEWEST

    @cached_property
    def size(self) -> int:
        """Number of joints."""
        return self.torques.model.size

    @property
    def duration(self) -> float:
        """Of the samples [s]."""
        return sum(window.interval * _rows(window) for window in self.windows)

    def weighted_efforts(self, delay: float, order: Sequence[int]) -> Array:
        """Measured efforts of a time `delay` later [s], (n, N); 0 where they do not count.

        Args:
            delay: [s].
            order: index of the effort that is taken for each joint.
        """
        weighted: Array = self.efforts(delay)[list(order)] * self.project.weights.T
        return weighted

    def efforts(self, delay: float) -> Array:
        """The same (n, N) in the order of the joints, whether or not samples count."""
        parts = [_later(window, delay).T for window in self._finite]
        return np.concatenate([np.empty((self.size, 0)), *parts], axis=1)

    @property
    def measured(self) -> Array:
        """Measured efforts (N, n); NaN where there is none [N m or N]."""
        return self._inner('efforts', self.size)

    @property
    def blocks(self) -> list[tuple[float, slice]]:
        """Interval [s] and rows of each window."""
        ends = np.cumsum([0, *(_rows(window) for window in self.windows)]).tolist()
        spans = pairwise(ends)
        return [
            (window.interval, slice(*span))
            for window, span in zip(self.windows, spans, strict=True)
        ]

    def load(self, body: int) -> Array:
        """Columns (N, n, 10) of the inertial parameters of a body, without friction and offset."""
        columns = self._load(body)
        return np.stack([self.project(columns[:, j], j) for j in range(self.size)], axis=1)

    def torque(self, given: Explanation) -> Array:
        """Torque (N, n) of the model with the load of an explanation, without friction."""
        total: Array = self.gravity + self.motion if given.gravity else self.motion
        if given.body is not None:
            total = total + self._load(given.body) @ np.array(given.load)
        return total

    def _load(self, body: int) -> Array:
        return self.torques.load(body, self.positions, self.velocities, self.accelerations)


def _margin(window: Window) -> int:
    return math.ceil(LONGEST_DELAY / window.interval) + 2


def _rows(window: Window) -> int:
    """Samples of a window that have neighbours at the longest delay."""
    return len(window.efforts) - 2 * _margin(window)


def _measured(window: Window) -> Flags:
    """Whether each joint has all its efforts in a window, (rows, n)."""
    complete = np.isfinite(window.efforts).all(axis=0)
    shape = _rows(window), window.efforts.shape[1]
    return np.broadcast_to(complete, shape)


def _later(window: Window, delay: float) -> Array:
    """Efforts of a window at a later time, by cubic interpolation (Lagrange) of four samples."""
    margin = _margin(window)
    shift = delay / window.interval
    whole = math.floor(shift)
    x = shift - whole
    weights = (
        -x * (x - 1.0) * (x - 2.0) / 6.0,
        (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0,
        -(x + 1.0) * x * (x - 2.0) / 2.0,
        (x + 1.0) * x * (x - 1.0) / 6.0,
    )
    first = margin + whole - 1
    rows = _rows(window)
    parts = (
        weight * window.efforts[first + offset : first + offset + rows]
        for offset, weight in enumerate(weights)
    )
    total: Array = sum(parts, np.zeros((rows, window.efforts.shape[1])))
    return total
