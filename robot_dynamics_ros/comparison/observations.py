"""One recording beside the terms of the model: samples for figures, and products of columns.

Every hypothesis about a recording is a linear regression in the same columns, see `hypotheses`.
Their products are computed once: a hypothesis costs what a small matrix costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.regression import regressors
from robot_dynamics_ros.regression.intervals import ROUNDING, blocks
from robot_dynamics_ros.regression.rows import ROWS_OF_PERIOD, Rows, make_rows

from .compared import HALF, Samples
from .recorded_joints import NO_GRAVITY, Flags, ModelTorques

# Delays of efforts for which they are looked up [s].
DELAYS = np.linspace(-0.1, 0.1, 21)
# Rows of a joint below which nothing is concluded of it: those of 3 s at a cutoff of 10 Hz.
MIN_ROWS = 60
# What says nothing, as errors of a URDF are as large: torques below this share of the largest of
# their kind, efforts below it of the torque or the limit, deviations below it of the effort.
NEGLIGIBLE = 0.01
# An effort that torque and friction do not explain is noise below this share of the limit.
SILENT = 0.001
# Terms of each joint that are part of every hypothesis, of which offsets alone may be negative.
OWN = (regressors.ARMATURE, regressors.VISCOUS, regressors.COULOMB, regressors.OFFSET)


class At:
    """Columns of a joint: those of `OWN`, and of what the model has.

    That is friction, gravity torques of 1 m/s^2 along each axis of the base, the torque of the
    motion, gravity torques with the payload, and the torque of each body; then come ten of each
    body, and the efforts of all joints.
    """

    ROTOR, ONE, FRICTION, MOTION, LINKS = 0, 3, 4, 8, 12
    RUBBING, GRAVITY, CARRYING = [1, 2], [5, 6, 7], [9, 10, 11]


def samples_of(torques: ModelTorques, motions: Sequence[Motion]) -> Samples:
    """The samples of motions, one at least, with the terms of the model."""
    names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    states = [np.concatenate([getattr(one, name) for one in motions]) for name in names]
    begins = np.concatenate([np.arange(len(one)) == 0 for one in motions])
    terms = np.concatenate([torques.terms(one) for one in motions], axis=1)
    return Samples(torques.model.joint_names, begins, *states, *terms)


class Observations:
    """Products of the columns of each joint of a recording, over the rows that count."""

    def __init__(
        self, torques: ModelTorques, motions: Sequence[Motion], *, usable: bool = True
    ) -> None:
        """With one motion at least; where it is not usable, no joint is judged."""
        self.torques, self.model, self.gravity = torques, torques.model, torques.dynamics.gravity
        self.motions, self.samples = motions, samples_of(torques, motions)
        self.size, self.bodies = self.model.size, self.model.inertial_parameters().reshape(-1, 10)
        terms = [regressors.GRAVITY, regressors.BODIES, *OWN]
        slower = [motion.decimated(ROWS_OF_PERIOD) for motion in motions]
        rows = make_rows(torques.dynamics, terms, slower)
        self.times, self._used = rows.times, rows.used.T.copy()
        for delay in DELAYS:
            self._used &= np.isfinite(self.samples.efforts_at(rows.times + delay)).T
        #: (N,) samples that are rows, and (n,) how many of these count
        self.at = np.searchsorted(self.samples.times, rows.times - 1e-6)
        self.counts = self._used.sum(axis=1)
        self._columns = self._made(rows)
        self.width = self._columns.shape[2] + self.size
        self._products: dict[float, Array] = {}
        self._judge(usable)

    def _judge(self, usable: bool) -> None:
        joints, counts = np.arange(self.size), np.maximum(self.counts, 1)
        # The effort of each joint, and its torque, as sums of columns.
        signals = np.zeros((2, self.size, self.width))
        signals[0, joints, joints - self.size], signals[1][:, At.MOTION] = 1.0, 1.0
        signals[1][:, At.GRAVITY] = self.gravity
        mixed = np.einsum('snk,nkl->snl', signals, self.products(0.0))
        whole = np.maximum(np.einsum('snl,snl->sn', mixed, signals), 0.0)
        #: (n,) RMS of the efforts, their squares about the mean, and those that are negligible
        self.rms, torques = np.sqrt(whole / counts)
        self.squares, loads = np.maximum(whole - mixed[..., At.ONE] ** 2 / counts, 0.0)
        self.floor = np.maximum(NEGLIGIBLE**2 * self.squares, np.finfo(float).tiny)
        known = usable & ~np.isin(self.model.joint_names, self.torques.dependent)
        enough: Flags = known & (self.counts >= MIN_ROWS) & (self.squares > 0.0)
        limits = np.nan_to_num(self.model.effort_limits, posinf=0.0)
        small = self.rms < np.maximum(NEGLIGIBLE * torques, np.minimum(SILENT * limits, torques))
        left = self.unexplained(0.0)[joints, joints]
        #: (n,) joints whose effort is noise about zero, and of which something can be concluded
        self.silent: Flags = enough & small & (left > HALF**2 * self.squares)
        self.judged: Flags = enough & ~self.silent
        #: (n,) of these: with torque enough to show sign, scale and name; that gravity loads
        largest = loads * (self.model.sliding == self.model.sliding[:, None])
        self.loaded: Flags = self.judged & (loads > NEGLIGIBLE**2 * largest.max(axis=1))
        heaviest = np.abs(self.samples.gravity).max(axis=0)
        self.held: Flags = self.judged & (heaviest > NO_GRAVITY * heaviest.max())

    def under(self, gravity: Array, payload: Array) -> Observations:
        """The same under another gravity (3,) [m/s^2], with parameters (10 b,) of a payload."""
        return Observations(self.torques.under(gravity, payload), self.motions)

    def _made(self, rows: Rows) -> Array:
        """The columns (n, N, K - n) but for efforts."""
        gravity, bodies = rows.shared[..., :3], rows.shared[..., 3:]
        motion = rows.rigid - gravity @ self.gravity
        each = bodies.reshape(*motion.shape, -1, 10)
        links = np.einsum('tjbp,bp->tjb', each, self.bodies)
        friction, q = self.samples.friction[self.at][..., None], self.samples.positions[self.at]
        axes = [self.torques.carrying.with_gravity(axis) for axis in np.eye(3)]
        carrying = np.stack([one.gravity_torque(q) for one in axes], axis=2)
        parts = rows.own, friction, gravity, motion[..., None], carrying, links, bodies
        columns = np.concatenate(parts, axis=2).swapaxes(0, 1)
        return np.ascontiguousarray(columns * self._used[..., None])

    def _whole(self, delay: float) -> Array:
        """All columns (n, N, K), with efforts that come so much later than the rows [s]."""
        efforts = np.nan_to_num(self.samples.efforts_at(self.times + delay))
        return np.concatenate([self._columns, efforts * self._used[..., None]], axis=2)

    def products(self, delay: float) -> Array:
        """Sums of products (n, K, K) of the columns, with efforts that are late [s]."""
        if delay not in self._products:
            columns = self._whole(delay)
            self._products[delay] = columns.swapaxes(1, 2) @ columns
        return self._products[delay]

    def products_of_blocks(self, delay: float) -> Iterator[Array]:
        """The same (n, K, K) over each block of time."""
        columns = self._whole(delay)
        for begin, end in pairwise(blocks(self.times)):
            part = columns[:, begin:end]
            yield part.swapaxes(1, 2) @ part

    def unexplained(self, delay: float) -> Array:
        """Sums of squares (n, n) that free terms of joint j leave of the effort of joint k."""
        free, n = [*range(len(OWN)), *At.GRAVITY, At.MOTION], self.size
        products = self.products(delay)
        inverse = np.linalg.pinv(products[:, free][:, :, free], rcond=ROUNDING)
        mixed, whole = products[:, -n:][:, :, free], np.einsum('jkk->jk', products[:, -n:, -n:])
        return np.maximum(whole - np.einsum('jkp,jpq,jkq->jk', mixed, inverse, mixed), 0.0)
