"""Residuals of an observer: how large they are, and the largest of short times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.contact_detector import ResidualBands
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core.checks import Array


@dataclass(frozen=True)
class ObservedPart:
    """Consecutive residuals of the watched joints, k of them, of an observer that has settled.

    Attributes:
        begins: whether the observer begins here; else the part continues the one before.
        times: (N,) since the start of the recording [s].
        residuals: (N, k) [N m or N].
        velocities: (N, k) [rad/s or m/s].
    """

    begins: bool
    times: Array
    residuals: Array
    velocities: Array


@dataclass(frozen=True)
class JointResiduals:
    """Sums over states, which are added for several recordings.

    Attributes:
        samples: how many states.
        sums: (k,) of the residuals [N m or N].
        squares: (k,) of their squares.
        largest: (k,) absolute residual [N m or N].
    """

    samples: int
    sums: Array
    squares: Array
    largest: Array

    @classmethod
    def of(cls, r: Array) -> JointResiduals:
        """Those of residuals (N, k) [N m or N], also of none."""
        return cls(len(r), r.sum(axis=0), (r * r).sum(axis=0), abs(r).max(axis=0, initial=0.0))

    def __add__(self, other: JointResiduals) -> JointResiduals:
        """These and those of other states."""
        return JointResiduals(
            self.samples + other.samples,
            self.sums + other.sums,
            self.squares + other.squares,
            np.maximum(self.largest, other.largest),
        )

    @property
    def rms(self) -> Array:
        """(k,) root of the mean square [N m or N]."""
        return np.asarray(np.sqrt(self.squares / max(1, self.samples)))

    @property
    def bias(self) -> Array:
        """(k,) mean [N m or N]."""
        return self.sums / max(1, self.samples)

    def as_json(self, joints: Sequence[str], units: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The figures of each joint, by its name."""
        rows = zip(joints, units, self.rms, self.bias, self.largest, strict=True)
        keys = ('unit', 'residual_rms', 'residual_bias', 'residual_largest')
        return {name: dict(zip(keys, figures, strict=True)) for name, *figures in rows}


# Of which the largest residual is kept [s]: the motion hardly changes meanwhile.
CELL = 0.05
# Times are rounded, and so may be the last sample of a cell.
ROUNDED = 0.999 * CELL
# Cells in which maxima are taken as independent [s]: longer than the filters remember.
BLOCK = 1.0


@dataclass(frozen=True)
class ResidualPeaks:
    """The largest residual of each cell of time, and the motion at it, for C cells; plain data.

    Attributes:
        times: (C,) begin of each [s].
        sizes: (C, 2, k) largest residual of collision and push [N m or N].
        motions: (C, 2, 2, k) speed and absolute acceleration at it.
        seconds: that the cells last together.
    """

    times: Array
    sizes: Array
    motions: Array
    seconds: float

    @classmethod
    def of(cls, size: int, parts: Iterable[ObservedPart]) -> ResidualPeaks:
        """Those of residuals, which are not kept.

        Args:
            size: number of joints, k.
            parts: consecutive ones; a cell ends where the observer begins anew.
        """
        bands, begin, seconds = ResidualBands(size), math.nan, 0.0
        peak, motion = np.empty((2, size)), np.empty((2, 2, size))
        times, sizes, motions = [], [np.empty((0, 2, size))], [np.empty((0, 2, 2, size))]
        for part in parts:
            if part.begins:
                bands.reset()
                begin = math.nan
            states = zip(part.times.tolist(), part.residuals, part.velocities, strict=True)
            for time, r, v in states:
                bands.step(r, v, time)
                lasted = time - begin
                if not lasted < ROUNDED:
                    if lasted >= ROUNDED:
                        times.append(begin)
                        sizes.append(peak[None].copy())
                        motions.append(motion[None].copy())
                        seconds += lasted
                    begin = time
                    peak.fill(-1.0)
                absolute = np.abs(bands.values)
                larger = absolute > peak
                np.copyto(peak, absolute, where=larger)
                np.copyto(motion, bands.motion, where=larger[:, None])
        return cls(np.array(times), np.concatenate(sizes), np.concatenate(motions), seconds)

    @classmethod
    def joined(cls, parts: Sequence[ResidualPeaks]) -> ResidualPeaks:
        """Those of several recordings, one at least."""
        each = ((part.times, part.sizes, part.motions) for part in parts)
        arrays = map(np.concatenate, zip(*each, strict=True))
        return cls(*arrays, sum(part.seconds for part in parts))

    def part(self, rows: Array | slice) -> ResidualPeaks:
        """Some of the cells."""
        times, sizes, motions = (each[rows] for each in (self.times, self.sizes, self.motions))
        share = len(times) / max(1, len(self.times))
        return ResidualPeaks(times, sizes, motions, self.seconds * share)

    @property
    def cells(self) -> int:
        """How many of them are a block; at a low rate of the states, cells are longer."""
        count = len(self.times)
        return max(1, round(BLOCK * count / self.seconds)) if count else 1

    def exceeding(self, thresholds: ContactThresholds) -> list[int]:
        """Cells in which alarms begin, as a detector with these thresholds would find them."""
        beyond = (self.sizes > thresholds.limits(self.motions)).any(axis=(1, 2))
        rows = np.flatnonzero(beyond)
        # A contact shows in several cells; of another recording, times begin anew.
        return rows[abs(np.diff(self.times[rows], prepend=np.inf)) > BLOCK].tolist()
