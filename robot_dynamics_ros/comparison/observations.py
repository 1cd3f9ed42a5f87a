"""The windows of the recordings as columns of a regression, one regression for each joint.

In each regression friction and an offset are free: F_v v + F_c sgn(v) + o. They are projected out
of every column (Frisch and Waugh), so that a hypothesis is judged by what they cannot explain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Motion

from .model_torques import ModelTorques
from .recorded_joints import Flags

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


class Observations:
    """Measured efforts beside the parts of the model, at the samples of the windows.

    Attributes:
        torques: of the model.
        size: number of joints n.
        windows: that are long enough.
        spans: rows of each window in the arrays (N, n).
        positions: (N, n) [rad or m].
        velocities: (N, n) [rad/s or m/s].
        accelerations: (N, n) [rad/s^2 or m/s^2].
        measured: (N, n) efforts; NaN where there is none [N m or N].
        gravity: (N, n) [N m or N].
        motion: (N, n) Coriolis and inertia together [N m or N].
        friction: (N, n) of the URDF [N m or N].
        moving: (n,) whether a joint moves enough for its friction.
        observed: (n,) whether anything can be concluded of a joint.
        weights: (n, N) 1 where a sample counts for a joint, else 0.
        free: (n, N, 3) velocity, direction and 1, weighted; zero where not in the regression.
        basis: (n, N, 3) orthonormal, of the same space.
        independent: number of samples that are independent after filtering.
        duration: of the samples [s].
    """

    def __init__(self, torques: ModelTorques, windows: Iterable[Motion]) -> None:
        """Compute the model at every sample of the windows."""
        self.torques, self.size = torques, torques.model.size
        self.windows = [one for one in windows if len(one) > 2 * _margin(one)]
        # Samples that have neighbours at the longest delay.
        inner = [one.part(slice(_margin(one), -_margin(one))) for one in self.windows]
        ends = np.cumsum([0, *map(len, inner)]).tolist()
        self.spans = [slice(*both) for both in pairwise(ends)]
        self.duration = sum(len(one) / one.rate for one in inner)
        self.independent = sum(2.0 * one.cutoff * len(one) / one.rate for one in inner)
        self.positions, self.velocities, self.accelerations, self.measured = (
            np.concatenate([np.empty((0, self.size)), *(getattr(one, name) for one in inner)])
            for name in ('positions', 'velocities', 'accelerations', 'efforts')
        )
        terms = torques.terms(self)
        self.gravity, self.motion, self.friction = terms[0], terms[1] + terms[2], terms[3]
        self._weigh()
        v = self.velocities
        columns = np.stack([v, np.sign(v), np.ones_like(v)], axis=-1).transpose(1, 0, 2)
        self.free = columns * self.weights[:, :, None]
        self.free[~self.moving, :, :2] = 0.0
        left, values, _ = np.linalg.svd(self.free, full_matrices=False)
        known = values > 1e-9 * values.max(axis=1, keepdims=True, initial=1e-300)
        self.basis = left * known[:, None]

    def _weigh(self) -> None:
        """Which samples count: near a reversal the direction of friction is not known."""
        v, a = self.velocities, self.accelerations
        speed = np.sqrt(np.mean(v**2, axis=0)) if len(v) else np.zeros(self.size)
        width, measured = np.empty((len(v), 1)), np.empty(v.shape, dtype=bool)
        for window, span in zip(self.windows, self.spans, strict=True):
            # The impulse response of the filter is about this long.
            width[span] = 0.5 / window.cutoff
            measured[span] = np.isfinite(window.efforts).all(axis=0)
        certain = (np.abs(v) > SLOW * speed) & (np.abs(v) > np.abs(a) * width)
        usable = certain & measured
        self.moving = (usable.sum(axis=0) > max(FEWEST, MOVING_SHARE * len(v))) & (speed > STILL)
        self.weights = np.where(self.moving, usable, measured).T.astype(np.float64)
        self.observed: Flags = self.weights.sum(axis=1) >= FEWEST

    def project(self, columns: Array) -> Array:
        """What friction and offset cannot explain of columns (n, N, K)."""
        weighted = columns * self.weights[:, :, None]
        return weighted - self.basis @ (self.basis.transpose(0, 2, 1) @ weighted)

    def efforts(self, delay: float) -> Array:
        """Measured efforts (n, N) of a time `delay` later [s]; 0 where there is none."""
        parts = [_later(one, delay).T for one in self.windows]
        return np.concatenate([np.empty((self.size, 0)), *parts], axis=1)

    def load(self, body: int) -> Array:
        """Columns (n, N, 10) of the torque of the inertial parameters of a body."""
        return self.torques.load(body, self).transpose(1, 0, 2)

    def divided(self, count: int) -> list[Observations]:
        """Those of so many parts of the windows, in the order of time; none without samples."""
        halves = [
            one.part(half)
            for one in self.windows
            for half in (slice(len(one) // 2), slice(len(one) // 2, None))
        ]
        groups = np.array_split(np.arange(len(halves)), count)
        parts = [Observations(self.torques, [halves[i] for i in group]) for group in groups]
        return [part for part in parts if part.windows]


def _margin(window: Motion) -> int:
    """Samples at each end without neighbours at the longest delay."""
    return math.ceil(LONGEST_DELAY * window.rate) + 2


def _later(window: Motion, delay: float) -> Array:
    """Efforts of a window at a later time, by cubic interpolation (Lagrange) of four samples."""
    efforts = np.nan_to_num(window.efforts)
    whole, x = divmod(delay * window.rate, 1.0)
    first = _margin(window) + int(whole) - 1
    rows = len(efforts) - 2 * _margin(window)
    weights = (
        -x * (x - 1.0) * (x - 2.0) / 6.0,
        (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0,
        -(x + 1.0) * x * (x - 2.0) / 2.0,
        (x + 1.0) * x * (x - 1.0) / 6.0,
    )
    parts = [one * efforts[first + k : first + k + rows] for k, one in enumerate(weights)]
    return np.sum(parts, axis=0)
