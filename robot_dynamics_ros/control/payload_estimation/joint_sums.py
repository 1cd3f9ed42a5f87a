"""The equations of each joint, added up: what least squares needs of them, in bounded memory.

Each equation of joint j is r = Y pi + F_j f_j + e with the wanted parameters pi, which all joints
share, and the friction parameters f_j of that joint alone. Of many equations least squares needs
the matrix of products of [Y, F, r] alone: adding an equation to it is recursive least squares in
its information form (L. Ljung, System Identification, 2nd ed., section 11.2), without a matrix to
invert at each sample, and in any order.

The sums are kept for blocks of time: how the sums of residuals differ from block to block shows
how far the errors of neighbouring equations are correlated (see `payload_fit`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

# Duration of a block of time [s].
BLOCK = 1.0
# When there are more blocks, neighbours are joined.
MOST_BLOCKS = 128


@dataclass(frozen=True)
class Equations:
    """Some equations of each joint.

    Attributes:
        rows: (N, r, k) coefficients of the wanted parameters.
        own: (N, r, f) coefficients of the friction parameters of the joint.
        torque: (N, r) torque that these have to explain [N m or N].
        used: (N, r) whether an equation counts.
    """

    rows: Array
    own: Array
    torque: Array
    used: npt.NDArray[np.bool_]

    def part(self, samples: slice) -> Equations:
        """Those of some of the samples."""
        rows, own, torque, used = self.rows, self.own, self.torque, self.used
        return Equations(rows[samples], own[samples], torque[samples], used[samples])

    def products(self) -> tuple[Array, Array]:
        """Matrices of products (r, c, c) of the columns [Y, F, r], and counts (r,)."""
        columns = np.concatenate([self.rows, self.own, self.torque[..., None]], axis=2)
        by_joint = np.where(self.used[..., None], columns, 0.0).transpose(1, 0, 2)
        return by_joint.transpose(0, 2, 1) @ by_joint, self.used.sum(axis=0).astype(np.float64)


class JointSums:
    """Sums of products of the equations of r joints, in blocks of time.

    Attributes:
        shared: number of wanted parameters, k.
        own: number of friction parameters of each joint, f.
        duration: of a block [s]; doubles when there are too many.
    """

    def __init__(self, joints: int, shared: int, own: int, duration: float = BLOCK) -> None:
        """Without an equation."""
        self.shared, self.own, self.duration = shared, own, duration
        self._shape = joints, shared + own + 1
        self._products: list[Array] = []
        self._counts: list[Array] = []
        self._times: list[float] = []

    def add(self, times: Array, equations: Equations) -> None:
        """Add equations, each to its block.

        Args:
            times: (N,) of them, not decreasing, and not before those of the call before [s].
            equations: N of each joint.
        """
        numbers = np.floor(times / self.duration)
        starts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1.0))
        for start, stop in zip(starts, [*starts[1:], len(times)], strict=True):
            self._add_together(float(times[start]), equations.part(slice(start, stop)))

    def _add_together(self, time: float, equations: Equations) -> None:
        products, counts = equations.products()
        if self._times and time < self._times[-1] + self.duration:
            self._products[-1] += products
            self._counts[-1] += counts
            return
        self._products.append(products)
        self._counts.append(counts)
        self._times.append(self.duration * float(np.floor(time / self.duration)))
        if len(self._times) > MOST_BLOCKS:
            self._join_neighbours()

    def _join_neighbours(self) -> None:
        self.duration *= 2.0
        for entries in (self._products, self._counts):
            count = len(entries) // 2
            pairs = [entries[2 * index] + entries[2 * index + 1] for index in range(count)]
            entries[:] = pairs + entries[2 * count :]
        self._times[:] = self._times[::2]

    def append(self, others: JointSums) -> None:
        """Add the blocks of another recording of the same robot."""
        shift = self._times[-1] + self.duration if self._times else 0.0
        self._products += others._products
        self._counts += others._counts
        self._times += [shift + time for time in others._times]

    @property
    def blocks(self) -> Array:
        """(B, r, c, c) products of the columns, block by block."""
        return np.array(self._products).reshape(-1, self._shape[0], *2 * self._shape[1:])

    @property
    def counts(self) -> Array:
        """(r,) how many equations each joint has."""
        return np.sum(self._counts, axis=0) if self._counts else np.zeros(self._shape[0])
