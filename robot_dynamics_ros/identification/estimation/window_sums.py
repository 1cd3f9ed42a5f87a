"""Sums of products of equations over windows of time: what a fit of some of the windows needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression.equations import EquationBlock


@dataclass(frozen=True)
class WindowSums:
    """Products of [Y S | e] over each window, for each equation; plain data.

    Y are the chosen columns, S their plausible magnitudes, and e is what the description leaves.

    Attributes:
        recordings: names (K,).
        begins: (K,) first time of each window [s].
        ends: (K,) last time [s].
        products: (K, r, c + 1, c + 1).
        counts: (K, r) equations that were used.
    """

    recordings: tuple[str, ...]
    begins: Array
    ends: Array
    products: Array
    counts: Array

    @classmethod
    def merged(cls, parts: Sequence[WindowSums]) -> WindowSums:
        """Those of all data from those of its parts, one at least."""
        # A part without a window does not know how many equations there are.
        parts = [part for part in parts if part.recordings] or parts[:1]
        return cls(
            tuple(name for part in parts for name in part.recordings),
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ('begins', 'ends', 'products', 'counts')
            ),
        )


def window_sums(
    blocks: Iterable[EquationBlock], columns: Sequence[int], scales: Array, size: int
) -> WindowSums:
    """Sums over windows of consecutive equations; those that are left at an end make no window.

    Args:
        blocks: of one layout, one at least.
        columns: (c,) that are fitted.
        scales: (c,) plausible magnitudes of their parameters.
        size: equations of each joint in a window.
    """
    windows: list[WindowSums] = []
    waiting: list[EquationBlock] = []
    for block in blocks:
        if waiting and block.recording != waiting[-1].recording:
            waiting = []
        waiting.append(block)
        if sum(map(len, waiting)) >= size:
            windows += _cut(waiting, columns, scales, size)
            waiting = []
    return WindowSums.merged(windows) if windows else _nothing(waiting, columns)


def _cut(
    blocks: Sequence[EquationBlock], columns: Sequence[int], scales: Array, size: int
) -> list[WindowSums]:
    """Windows of about the size, of all equations of these blocks."""
    first = blocks[0]
    nominal = first.layout.nominal()
    rows = np.concatenate([block.rows for block in blocks])
    left = np.concatenate([block.torques for block in blocks]) - rows @ nominal
    used = np.concatenate([block.used for block in blocks])
    times = np.concatenate([block.times for block in blocks])
    both = np.concatenate([rows[:, :, list(columns)] * scales, left[:, :, None]], axis=2)
    both[~used] = 0.0
    return [
        WindowSums(
            (first.recording,),
            times[part][:1],
            times[part][-1:],
            (both[part].transpose(1, 2, 0) @ both[part].transpose(1, 0, 2))[None],
            used[part].sum(axis=0)[None].astype(float),
        )
        for part in np.array_split(np.arange(len(times)), max(1, len(times) // size))
    ]


def _nothing(blocks: Sequence[EquationBlock], columns: Sequence[int]) -> WindowSums:
    """No window: there are fewer equations than one has."""
    r, c = len(blocks[0].equations) if blocks else 0, len(columns) + 1
    return WindowSums((), np.empty(0), np.empty(0), np.empty((0, r, c, c)), np.empty((0, r)))
