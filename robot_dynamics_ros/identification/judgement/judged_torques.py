"""Measured, nominal and identified torques of equations, in pieces without a gap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression.equation_options import EquationOptions
from ..regression.equations import EquationBlock
from ..regression.moving_samples import Flags, at_rest

# Rows of a piece, at most about.
TOGETHER = 4096
# Of the usual interval: two equations that are farther apart do not follow each other.
GAP = 1.5


@dataclass(frozen=True)
class Torques:
    """Torques at equal intervals, all filtered alike.

    Attributes:
        times: (N,) [s].
        velocities: (N, n) [rad/s or m/s].
        measured: (N, n) NaN where the effort is missing or saturated [N m or N].
        nominal: (N, n) of the description.
        identified: (N, n) of the identified model.
        begins: whether a gap lies before it.
        rests: (N, n) whether the joint rests: what holds it then is friction that no model knows.
    """

    times: Array
    velocities: Array
    measured: Array
    nominal: Array
    identified: Array
    begins: bool
    rests: Flags

    def __len__(self) -> int:
        return len(self.times)

    @property
    def judged(self) -> Array:
        """(N, n) measured, NaN also where the joint rests [N m or N]."""
        return np.where(self.rests, np.nan, self.measured)

    @property
    def residual(self) -> Array:
        """(N, n) measured minus identified, NaN also where the joint rests [N m or N]."""
        difference: Array = self.judged - self.identified
        return difference


def torques_of(
    blocks: Iterable[EquationBlock], nominal: Array, identified: Array
) -> Iterator[Torques]:
    """The torques of equations, in pieces.

    Args:
        blocks: in torque form, whose layout has no known parameters, with the terms 'viscous',
            'coulomb' and 'armature'; a sample counts wherever its effort does.
        nominal: parameters (p,) of the description.
        identified: parameters (p,) of the identified model.
    """
    waiting: list[Torques] = []
    count, bands = 0, np.empty(0)
    last, interval = -np.inf, np.nan
    for block in blocks:
        if not len(block):
            continue
        if len(block) > 1:
            interval = float(np.median(np.diff(block.times)))
        bands = EquationOptions().bands(block.layout.model)
        begins = not block.times[0] - last < GAP * interval
        last = float(block.times[-1])
        if waiting and (begins or count >= TOGETHER):
            yield _joined(waiting, bands)
            waiting, count = [], 0
        waiting.append(_of_block(block, nominal, identified, begins))
        count += len(block)
    if waiting:
        yield _joined(waiting, bands)


def _of_block(block: EquationBlock, nominal: Array, identified: Array, begins: bool) -> Torques:
    measured = block.torques - _of_terms(block, identified, gains=True)
    return Torques(
        block.times,
        block.velocities,
        np.where(block.used, measured, np.nan),
        _of_terms(block, nominal),
        _of_terms(block, identified),
        begins,
        np.zeros(block.torques.shape, bool),
    )


def _of_terms(block: EquationBlock, parameters: Array, *, gains: bool = False) -> Array:
    """What gains, or all else, contribute to the rows (m, n).

    The column of a gain is minus a current: gain times current is the measured torque.
    """
    layout = block.layout
    of_gains = np.zeros(layout.size, bool)
    if 'gain' in layout.terms:
        of_gains[layout.columns('gain')] = True
    chosen = np.where(of_gains == gains, parameters, 0.0)
    result: Array = block.rows @ chosen
    return result


def _joined(pieces: list[Torques], bands: Array) -> Torques:
    """One piece, with its rests.

    Args:
        pieces: that follow each other.
        bands: (n,) dead bands of the joints [rad/s or m/s].
    """
    names = ('times', 'velocities', 'measured', 'nominal', 'identified')
    arrays: dict[str, Array] = {
        name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in names
    }
    times, slow = arrays['times'], np.abs(arrays['velocities']) < bands
    interval = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else np.inf
    return Torques(begins=pieces[0].begins, rests=at_rest(slow, interval), **arrays)
