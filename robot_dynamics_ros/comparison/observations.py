"""One recording beside the terms of the model: samples for figures, and products of columns.

Every hypothesis about a recording is a linear regression in the same columns, see `hypotheses`.
Their products are computed once: a hypothesis costs what a small matrix costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Motion, Recording
from robot_dynamics_ros.regression.intervals import blocks
from robot_dynamics_ros.regression.regressors import (
    ARMATURE,
    BODIES,
    COULOMB,
    OFFSET,
    VISCOUS,
    gravity_of,
)
from robot_dynamics_ros.regression.rows import RowMaker, Rows

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
# An effort below this share of the torque, or of a tenth of the limit, is not measured if torque
# and friction leave at least that share of its standard deviation.
SILENT, NOISE = 0.01, 0.6
# Deviations below this share of the effort are not worth a hypothesis: models have them.
NEGLIGIBLE = 0.01
# Columns of a joint: those that are part of every hypothesis, of which offsets alone may be
# negative; friction of the model; gravity torques of 1 m/s^2 along each axis of the base; torque
# of the motion; that of each body of the model, and ten of each body; efforts of all joints.
OWN = (ARMATURE, VISCOUS, COULOMB, OFFSET)
LOWER = (0.0, 0.0, 0.0, -np.inf)
ROTOR, RUBBING, ONE = 0, [1, 2], 3
FRICTION, GRAVITY, MOTION, FIRST_LINK = 4, [5, 6, 7], 8, 9


def decimated(recording: Recording, names: tuple[str, ...]) -> tuple[list[Motion], int]:
    """The filtered motions of some joints, at `OVERSAMPLING` times the cutoff; all samples."""
    motions, count = [], 0
    for motion in recording.motions():
        count += len(motion)
        stride = max(1, int(motion.rate / (OVERSAMPLING * motion.cutoff)))
        first = -motion.number % stride
        part = motion.of(names).part(slice(first, None, stride))
        number, rate = (motion.number + first) // stride, motion.rate / stride
        if len(part):
            motions.append(replace(part, rate=rate, number=number, begins=number == 0))
    return motions, count


def samples_of(torques: ModelTorques, motions: Sequence[Motion]) -> Samples:
    """The samples of motions, one at least, with the terms of the model."""
    names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    states = [np.concatenate([getattr(one, name) for one in motions]) for name in names]
    begins = np.concatenate([np.arange(len(one)) + one.number == 0 for one in motions])
    terms = np.concatenate([torques.terms(one) for one in motions], axis=1)
    return Samples(torques.model.joint_names, begins, *states, *terms)


class Observations:
    """Products of the columns of each joint of a recording, over the rows that count.

    Attributes:
        torques: of the model.
        gravity: (3,) of the model [m/s^2].
        bodies: (b, 10) inertial parameters of the model.
        motions: of the recording, see `decimated`.
        samples: of the motions.
        size: n, number of joints.
        width: K, number of columns.
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
        model, self.samples = torques.model, samples_of(torques, motions)
        self.torques, self.motions, self.gravity = torques, motions, torques.gravity
        self.size, self.bodies = model.size, model.inertial_parameters().reshape(-1, 10)
        maker = RowMaker(torques.dynamics, [gravity_of(), BODIES, *OWN])
        for motion in motions:
            maker.add(motion)
        rows = maker.rows()
        rows = rows.part(slice(None, None, math.ceil(len(rows.times) / MAX_ROWS) or 1))
        self.times, self._used = rows.times, rows.used.T.copy()
        for delay in DELAYS:
            self._used &= np.isfinite(self.samples.efforts_at(rows.times + delay)).T
        self.counts = self._used.sum(axis=1)
        self._columns = self._made(rows)
        self.width = self._columns.shape[2] + self.size
        self._fixed = self._columns.swapaxes(1, 2) @ self._columns
        self._products: dict[float, Array] = {}
        efforts = self._efforts(0.0)[np.arange(self.size), :, np.arange(self.size)]
        mean = efforts.sum(axis=1) / np.maximum(self.counts, 1)
        self.squares = (efforts**2).sum(axis=1) - self.counts * mean**2
        self.floor = np.maximum(NEGLIGIBLE**2 * self.squares, np.finfo(float).tiny)
        known = usable & ~np.isin(model.joint_names, torques.dependent)
        enough: Flags = known & (self.counts >= MIN_ROWS)
        self.silent: Flags = enough & self._is_silent(efforts)
        self.judged: Flags = enough & ~self.silent & (self.squares > 0.0)
        torque = np.sqrt(self._left(self._torques()) / np.maximum(self.counts, 1))
        same_kind = model.sliding == model.sliding[:, None]
        largest = (torque * same_kind).max(axis=1)
        self.loaded: Flags = self.judged & (torque > HARDLY_LOADED * largest)

    def body_at(self, body: int) -> list[int]:
        """The columns of a body."""
        first = FIRST_LINK + len(self.bodies) + 10 * body
        return list(range(first, first + 10))

    def under(self, gravity: Array) -> Observations:
        """The same under another gravity (3,) [m/s^2]."""
        return Observations(self.torques.under(gravity), self.motions)

    def _made(self, rows: Rows) -> Array:
        """The columns (n, N, K - n) but for efforts."""
        gravity, bodies = rows.shared[..., :3], rows.shared[..., 3:]
        at = np.searchsorted(self.samples.times, rows.times - 1e-6)
        motion = rows.rigid - gravity @ self.gravity
        each = bodies.reshape(*motion.shape, -1, 10)
        links = np.einsum('tjbp,bp->tjb', each, self.bodies)
        friction = self.samples.friction[at]
        parts = rows.own, friction[..., None], gravity, motion[..., None], links, bodies
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
            whole = np.block([[self._fixed, mixed], [mixed.swapaxes(1, 2), own]])
            self._products[delay] = whole
        return self._products[delay]

    def products_of_blocks(self, delay: float) -> Iterator[Array]:
        """The same (n, K, K) over each block of time."""
        columns = np.concatenate([self._columns, self._efforts(delay)], axis=2)
        for begin, end in pairwise(blocks(self.times)):
            part = columns[:, begin:end]
            yield part.swapaxes(1, 2) @ part

    def _torques(self) -> Array:
        """Torques (n, N) of the rigid bodies at the rows that count."""
        return self._columns[..., GRAVITY] @ self.gravity + self._columns[..., MOTION]

    def _is_silent(self, efforts: Array) -> Flags:
        """Whether efforts (n, N) are noise beside torques."""
        torques, limits = self._torques(), self.torques.model.effort_limits
        size, rms = (np.sqrt(np.mean(one**2, axis=1)) for one in (efforts, torques))
        small = size < SILENT * np.maximum(rms, 0.1 * np.where(np.isfinite(limits), limits, 0.0))
        return small & (self._left(efforts, torques) >= NOISE**2 * self.squares)

    def _left(self, targets: Array, *others: Array) -> Array:
        """Sums of squares (n,) of residuals of targets (n, N) beside friction, offset, others."""
        left = []
        for joint, target in enumerate(targets):
            friction = self._columns[joint][:, [*RUBBING, ONE]]
            columns = np.column_stack([friction, *(one[joint] for one in others)])
            found = np.linalg.lstsq(columns, target, rcond=None)[0]
            left.append(np.sum((target - columns @ found) ** 2))
        return np.array(left)
