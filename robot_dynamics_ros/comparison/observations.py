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
    GRAVITY,
    OFFSET,
    VISCOUS,
    gravity_of,
)
from robot_dynamics_ros.regression.rows import RowMaker

from .compared import Samples
from .model_torques import ModelTorques
from .recorded_joints import Flags

# Samples are taken at this multiple of the cutoff: what lies above is filtered out.
OVERSAMPLING = 10.0
# Delays of efforts for which they are looked up [s]; between two of them is interpolated.
DELAYS = np.linspace(-0.1, 0.1, 21)
# Rows of a joint below which nothing is concluded of it; there are two for each period of the
# cutoff. More than `MAX_ROWS` tell nothing more.
MIN_ROWS, MAX_ROWS = 60, 20_000
# Own columns of a joint that are part of every hypothesis; offsets alone may be negative.
OWN = (ARMATURE, VISCOUS, COULOMB, OFFSET)
LOWER = np.array([0.0, 0.0, 0.0, -np.inf])
ROTOR = 0
# A joint whose torque is a smaller share of the largest of its kind is hardly loaded: errors of
# the URDF are as large, and its effort says nothing of sign, scale or name.
HARDLY_LOADED = 0.01
# An effort is not measured if it is a smaller share of the torque or of the effort limit, and if
# torque and friction leave at least this share of its standard deviation.
SILENT, SILENT_LIMIT, NOISE = 0.01, 0.001, 0.6


def decimated(recording: Recording, names: tuple[str, ...]) -> tuple[list[Motion], int]:
    """The filtered motions of some joints, at `OVERSAMPLING` times the cutoff; all samples."""
    motions, count = [], 0
    for motion in recording.motions():
        count += len(motion)
        stride = max(1, int(motion.rate / (OVERSAMPLING * motion.cutoff)))
        first = -motion.number % stride
        part = motion.of(names).part(slice(first, None, stride))
        if len(part):
            number = (motion.number + first) // stride
            motions.append(
                replace(part, rate=motion.rate / stride, number=number, begins=number == 0)
            )
    return motions, count


def samples_of(torques: ModelTorques, motions: Sequence[Motion]) -> Samples:
    """The samples of motions, with the terms of the model."""
    empty = np.zeros((0, torques.model.size))
    fields = ('positions', 'velocities', 'accelerations', 'efforts')
    states = [np.concatenate([empty, *(getattr(one, name) for one in motions)]) for name in fields]
    terms = [torques.terms(one) for one in motions]
    parts = np.concatenate([np.zeros((4, *empty.shape)), *terms], axis=1)
    begins = [np.arange(len(one)) + one.number == 0 for one in motions]
    times = np.concatenate([np.zeros(0), *(one.times for one in motions)])
    return Samples(
        torques.model.joint_names, np.concatenate([np.zeros(0, bool), *begins]), times,
        *states, *parts,
    )  # fmt: skip


class Columns:
    """Places of the columns of a joint.

    The efforts of all n joints; gravity torques of 1 m/s^2 along each axis of the base, of the
    model and of what is carried too; the torque of the motion (inertia and Coriolis); those of
    `OWN`; ten for each body.
    """

    def __init__(self, joints: int, bodies: int) -> None:
        ends = np.cumsum([joints, 3, 3, 1, len(OWN), 10 * bodies]).tolist()
        self.count = ends[-1]
        self.efforts, self.gravity, self.turning, self.motion, self.own, self.bodies = (
            np.arange(end)[begin:] for begin, end in zip([0, *ends], ends, strict=False)
        )

    def body(self, index: int) -> Array:
        """Those of one body."""
        return self.bodies[10 * index : 10 * index + 10]


class Observations:
    """Products of the columns of each joint of a recording, over the rows that count.

    Attributes:
        torques: of the model.
        motions: of the recording, see `decimated`.
        samples: of the motions.
        columns: places of the columns.
        rows: of the regression: gravity and bodies as shared columns, `OWN`.
        friction: (N, n) that of the model, with its offsets [N m or N].
        used: (N, n) rows that count.
        counts: (n,) how many.
        judged: (n,) joints of which something can be concluded.
        silent: (n,) joints whose effort is noise about zero: they are not judged.
        loaded: (n,) joints that are judged and have torque enough to show sign, scale and name.
    """

    def __init__(
        self,
        torques: ModelTorques,
        motions: Sequence[Motion],
        samples: Samples | None = None,
        *,
        usable: bool = True,
    ) -> None:
        """With one motion at least; samples are computed if there are none.

        Where it is not usable, no joint is judged.
        """
        model = torques.model
        self.torques, self.motions, self.gravity = torques, motions, torques.gravity
        self.samples = samples_of(torques, motions) if samples is None else samples
        maker = RowMaker(
            torques.dynamics,
            [GRAVITY, gravity_of(torques.carrying), BODIES, *OWN],
        )
        for motion in motions:
            maker.add(motion)
        rows = maker.rows()
        rows = rows.part(slice(None, None, math.ceil(len(rows.times) / MAX_ROWS) or 1))
        self.size, self.rows = model.size, rows
        self.columns = Columns(model.size, len(model.joints))
        at = np.searchsorted(self.samples.times, rows.times - 1e-6)
        self.friction = self.samples.friction[at]
        later = rows.times[:, None] + DELAYS
        self._efforts = self.samples.efforts_at(later).transpose(1, 0, 2)
        self.used: Flags = rows.used & np.isfinite(self._efforts).all(axis=0)
        self._values = np.zeros((self.size, len(rows.times), self.columns.count))
        bare = rows.rigid - rows.shared[..., :3] @ self.gravity
        for place, values in (
            (self.columns.gravity, rows.shared[..., :3]),
            (self.columns.turning, rows.shared[..., 3:6]),
            (self.columns.motion, bare[..., None]),
            (self.columns.own, rows.own),
            (self.columns.bodies, rows.shared[..., 6:]),
        ):
            self._values[:, :, place] = values.swapaxes(0, 1)
        self._values *= self.used.T[:, :, None]
        self._products: dict[float, Array] = {}
        self.counts = self.used.sum(axis=0)
        known = usable & ~np.isin(model.joint_names, torques.dependent)
        self.judged: Flags = known & (self.counts >= MIN_ROWS)
        self.silent: Flags = self.judged & self._is_silent()
        self.judged &= ~self.silent & (self.squares() > 0.0)
        # RMS of the torque that friction and an offset cannot have [N m or N].
        torque = np.sqrt(self._left(self._torque()) / np.maximum(self.counts, 1))
        self.loaded: Flags = np.zeros(self.size, bool)
        for kind in model.sliding, ~model.sliding:
            self.loaded[kind] = torque[kind] > HARDLY_LOADED * torque[kind].max(initial=0.0)
        self.loaded &= self.judged

    def under(self, gravity: Array, lacking: Array) -> Observations:
        """The same under another gravity (3,) [m/s^2], with parameters that the model lacks."""
        return Observations(self.torques.under(gravity, lacking), self.motions)

    def efforts(self, delay: float) -> Array:
        """Efforts (N, n) that come so much later than the rows [s]."""
        place = np.clip((delay - DELAYS[0]) / (DELAYS[1] - DELAYS[0]), 0.0, len(DELAYS) - 1.0)
        first = min(int(place), len(DELAYS) - 2)
        share = place - first
        found = (1.0 - share) * self._efforts[first] + share * self._efforts[first + 1]
        return np.asarray(np.nan_to_num(found))

    def products(self, delay: float) -> Array:
        """Sums of products (n, K, K) of the columns, with efforts that are late [s]."""
        if delay not in self._products:
            values = self._with(delay)
            self._products[delay] = values.swapaxes(1, 2) @ values
        return self._products[delay]

    def _with(self, delay: float) -> Array:
        """The columns (n, N, K), with efforts that are late [s]."""
        self._values[:, :, self.columns.efforts] = self.efforts(delay) * self.used.T[:, :, None]
        return self._values

    def products_of_blocks(self, delay: float) -> Iterator[Array]:
        """The same (n, K, K) over each block of time."""
        values = self._with(delay)
        for begin, end in pairwise(blocks(self.rows.times)):
            part = values[:, begin:end]
            yield part.swapaxes(1, 2) @ part

    def combined(self, delay: float, combination: Array) -> Array:
        """Combinations (n, K) of the columns at each row, (N, n)."""
        return np.asarray((self._with(delay) @ combination[..., None])[..., 0].T)

    def squares(self) -> Array:
        """Sums of squares (n,) of the efforts about their means."""
        products, rows = self.products(0.0), np.arange(self.size)
        one = self.columns.own[-1]
        mean = products[rows, rows, one] ** 2 / np.maximum(self.counts, 1)
        return np.asarray(products[rows, rows, rows] - mean)

    def _torque(self) -> Array:
        """The combination (n, K) of columns that is the torque of the rigid bodies."""
        found = np.zeros((self.size, self.columns.count))
        found[:, self.columns.gravity], found[:, self.columns.motion] = self.gravity, 1.0
        return found

    def _left(self, combination: Array, *others: Array) -> Array:
        """Sums of squares (n,) of combinations (n, K) beside friction, offset and others."""
        free = np.zeros((self.size, 3 + len(others), self.columns.count))
        free[:, [0, 1, 2], self.columns.own[1:]] = 1.0
        for index, other in enumerate(others, 3):
            free[:, index] = other
        products = self.products(0.0)
        whole = np.einsum('nk,nkl,nl->n', combination, products, combination)
        mixed = np.einsum('npk,nkl,nl->np', free, products, combination)
        inverse = np.linalg.pinv(free @ products @ free.swapaxes(1, 2), rcond=1e-12)
        return np.maximum(0.0, whole - np.einsum('np,npq,nq->n', mixed, inverse, mixed))

    def _is_silent(self) -> Flags:
        """Whether efforts (n,) are noise beside torques."""
        counts, products = np.maximum(self.counts, 1), self.products(0.0)
        own, torque = np.eye(self.size, self.columns.count), self._torque()
        rms = np.sqrt(np.einsum('nk,nkl,nl->n', torque, products, torque) / counts)
        size = np.sqrt(np.einsum('nk,nkl,nl->n', own, products, own) / counts)
        limits = self.torques.model.effort_limits
        limits = np.where(np.isfinite(limits), limits, 0.0)
        small = (size < SILENT * rms) | (size < np.minimum(SILENT_LIMIT * limits, rms))
        return np.asarray(small & (self._left(own, torque) >= NOISE**2 * self.squares()))
