"""One recording beside the terms of the model: samples for figures, and products of columns.

Every hypothesis about a recording is a linear regression in the same columns, see `hypotheses`.
Their products are computed once: a hypothesis costs what a small matrix costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Motion, Recording
from robot_dynamics_ros.regression.intervals import blocks
from robot_dynamics_ros.regression.regressors import (
    ARMATURE,
    BODIES,
    COULOMB,
    GRAVITY,
    OFFSET,
    VISCOUS,
)
from robot_dynamics_ros.regression.rows import Rows, make_rows

from .compared import Samples
from .recorded_joints import Flags, ModelTorques

# Samples are taken at this multiple of the cutoff: what lies above is filtered out.
OVERSAMPLING = 10.0
# Delays of efforts for which they are looked up [s].
DELAYS = np.linspace(-0.1, 0.1, 21)
# Rows of a joint below which nothing is concluded of it; there are two for each period of the
# cutoff. More than `MAX_ROWS` tell nothing more.
MIN_ROWS, MAX_ROWS = 60, 20_000
# A joint whose torque is a smaller share of the largest of its kind is hardly loaded: errors of
# the URDF are as large, and its effort says nothing of sign, scale or name.
HARDLY_LOADED = 0.01
# An effort is not measured if it is a smaller share of the torque or of the effort limit, and if
# torque and friction leave at least this share of its standard deviation.
SILENT, SILENT_LIMIT, NOISE = 0.01, 0.001, 0.6
# Deviations below this share of the effort are not worth a hypothesis: models have them.
NEGLIGIBLE = 0.01
# Terms of each joint that are part of every hypothesis, of which offsets alone may be negative.
OWN = (ARMATURE, VISCOUS, COULOMB, OFFSET)
LOWER = (0.0, 0.0, 0.0, -np.inf)


class At:
    """Columns of a joint: those of `OWN`, and of what the model has.

    That is friction, gravity torques of 1 m/s^2 along each axis of the base, the torque of the
    motion, gravity torques with what is carried, and the torque of each body; then come ten of
    each body, and the efforts of all joints.
    """

    ROTOR, ONE, FRICTION, MOTION, LINKS = 0, 3, 4, 8, 12
    RUBBING, GRAVITY, TURNING = [1, 2], [5, 6, 7], [9, 10, 11]


def decimated(recording: Recording, names: tuple[str, ...]) -> tuple[list[Motion], int]:
    """The filtered motions of some joints, at `OVERSAMPLING` times the cutoff; all samples."""
    motions, count = [], 0
    for motion in recording.motions():
        count += len(motion)
        motions.append(motion.of(names).decimated(OVERSAMPLING))
    return motions, count


def samples_of(torques: ModelTorques, motions: Sequence[Motion]) -> Samples:
    """The samples of motions, one at least, with the terms of the model."""
    names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    states = [np.concatenate([getattr(one, name) for one in motions]) for name in names]
    begins = np.concatenate([np.arange(len(one)) == 0 for one in motions])
    terms = np.concatenate([torques.terms(one) for one in motions], axis=1)
    return Samples(torques.model.joint_names, begins, *states, *terms)


class Observations:
    """Products of the columns of each joint of a recording, over the rows that count.

    Attributes:
        bodies: (b, 10) inertial parameters of the model.
        counts: (n,) rows that count.
        squares: (n,) sums of squares of the efforts about their means.
        floor: (n,) sums of squares below which errors are negligible.
        judged: (n,) joints of which something can be concluded.
        silent: (n,) joints whose effort is noise about zero: they are not judged.
        loaded: (n,) joints that are judged and have torque enough to show sign, scale and name.
    """

    def __init__(
        self, torques: ModelTorques, motions: Sequence[Motion], *, usable: bool = True
    ) -> None:
        """With one motion at least; where it is not usable, no joint is judged."""
        self.torques, self.model, self.gravity = torques, torques.model, torques.gravity
        self.motions, self.samples = motions, samples_of(torques, motions)
        self.size, self.bodies = self.model.size, self.model.inertial_parameters().reshape(-1, 10)
        rows = make_rows(torques.dynamics, [GRAVITY, BODIES, *OWN], motions)
        self.times, self._used = rows.times, rows.used.T.copy()
        for delay in DELAYS:
            self._used &= np.isfinite(self.samples.efforts_at(rows.times + delay)).T
        self.counts = self._used.sum(axis=1)
        self._columns = self._made(rows)
        self.width = self._columns.shape[2] + self.size
        self._fixed = self._columns.swapaxes(1, 2) @ self._columns
        self._products: dict[float, Array] = {}
        self._judge(usable)

    def _judge(self, usable: bool) -> None:
        joints, counts = np.arange(self.size), np.maximum(self.counts, 1)
        efforts = self._efforts(0.0)[joints, :, joints]
        torques = self._columns[..., At.GRAVITY] @ self.gravity + self._columns[..., At.MOTION]
        self.squares, spread = (
            (one**2).sum(axis=1) - one.sum(axis=1) ** 2 / counts for one in (efforts, torques)
        )
        self.floor = np.maximum(NEGLIGIBLE**2 * self.squares, np.finfo(float).tiny)
        known = usable & ~np.isin(self.model.joint_names, self.torques.dependent)
        enough: Flags = known & (self.counts >= MIN_ROWS) & (self.squares > 0.0)
        size, rms = (np.sqrt((one**2).sum(axis=1) / counts) for one in (efforts, torques))
        limits = np.where(np.isfinite(self.model.effort_limits), self.model.effort_limits, 0.0)
        small = (size < SILENT * rms) | (size < np.minimum(SILENT_LIMIT * limits, rms))
        self.silent: Flags = enough & small
        for joint in np.flatnonzero(self.silent):
            columns = np.column_stack([self._columns[joint, :, : len(OWN)], torques[joint]])
            fitted = columns @ np.linalg.lstsq(columns, efforts[joint])[0]
            left = ((efforts[joint] - fitted) ** 2).sum()
            self.silent[joint] = left >= NOISE**2 * self.squares[joint]
        self.judged: Flags = enough & ~self.silent
        largest = spread * (self.model.sliding == self.model.sliding[:, None])
        self.loaded: Flags = self.judged & (spread > HARDLY_LOADED**2 * largest.max(axis=1))

    def body_at(self, body: int) -> list[int]:
        """The columns of a body."""
        first = At.LINKS + len(self.bodies) + 10 * body
        return list(range(first, first + 10))

    def under(self, gravity: Array, lacking: Array) -> Observations:
        """The same under another gravity (3,) [m/s^2], with parameters that the model lacks."""
        return Observations(self.torques.under(gravity, lacking), self.motions)

    def _made(self, rows: Rows) -> Array:
        """The columns (n, N, K - n) but for efforts."""
        gravity, bodies = rows.shared[..., :3], rows.shared[..., 3:]
        at = np.searchsorted(self.samples.times, rows.times - 1e-6)
        motion = rows.rigid - gravity @ self.gravity
        each = bodies.reshape(*motion.shape, -1, 10)
        links = np.einsum('tjbp,bp->tjb', each, self.bodies)
        friction, q = self.samples.friction[at][..., None], self.samples.positions[at]
        axes = [self.torques.carrying.with_gravity(axis) for axis in np.eye(3)]
        turning = np.stack([one.gravity_torque(q) for one in axes], axis=2)
        parts = rows.own, friction, gravity, motion[..., None], turning, links, bodies
        columns = np.concatenate(parts, axis=2).swapaxes(0, 1)
        return np.ascontiguousarray(columns * self._used[..., None])

    def _efforts(self, delay: float) -> Array:
        """Those of all joints (n, N, n) that come so much later than the rows of each [s]."""
        efforts = np.nan_to_num(self.samples.efforts_at(self.times + delay))
        return efforts * self._used[..., None]

    def products(self, delay: float) -> Array:
        """Sums of products (n, K, K) of the columns, with efforts that are late [s]."""
        if delay not in self._products:
            efforts = self._efforts(delay)
            mixed = self._columns.swapaxes(1, 2) @ efforts
            own = efforts.swapaxes(1, 2) @ efforts
            self._products[delay] = np.block([[self._fixed, mixed], [mixed.swapaxes(1, 2), own]])
        return self._products[delay]

    def products_of_blocks(self, delay: float) -> Iterator[Array]:
        """The same (n, K, K) over each block of time."""
        columns = np.concatenate([self._columns, self._efforts(delay)], axis=2)
        for begin, end in pairwise(blocks(self.times)):
            part = columns[:, begin:end]
            yield part.swapaxes(1, 2) @ part
