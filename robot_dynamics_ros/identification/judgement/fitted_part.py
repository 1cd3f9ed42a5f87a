"""The part of a recording that is fitted, and the part that is held out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.filtering.zero_phase import half_length

Flags = npt.NDArray[np.bool_]
Role = Literal['split', 'fitted', 'held out']


@dataclass(frozen=True)
class FittedPart:
    """Which samples of a recording are fitted; plain data.

    Attributes:
        role: 'split' for a recording whose end is held out, or the role of a whole recording.
        split: time at which the held-out part of a split recording begins [s].
    """

    role: Role
    split: float = float('inf')

    def fitted(self, motions: Iterable[Motion]) -> Iterator[Motion]:
        """The motions of the fitted part."""
        return (motion for held_out, motion in self.parts(motions) if not held_out)

    def parts(self, motions: Iterable[Motion]) -> Iterator[tuple[bool, Motion]]:
        """The motions of both parts, each with whether it is held out.

        No raw sample of a held-out motion is in a fitted one.
        """
        for motion in motions:
            if self.role != 'split':
                yield self.role == 'held out', motion
                continue
            margin = _margin(motion)
            for part in _cut(motion, motion.times < self.split - margin):
                yield False, part
            for part in _cut(motion, motion.times >= self.split + margin):
                yield True, part


def _margin(motion: Motion) -> float:
    """Time on each side of a filtered sample whose raw samples it depends on [s]."""
    return half_length(motion.cutoff, motion.rate) / motion.rate


def _cut(motion: Motion, chosen: Flags) -> Iterator[Motion]:
    """Those samples of a motion that are chosen, which are at one of its ends."""
    if chosen.all():
        yield motion
    elif chosen.any():
        names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
        parts: dict[str, Any] = {name: getattr(motion, name)[chosen] for name in names}
        if not chosen[0]:
            parts |= {'begins': True, 'number': 0}
        yield replace(motion, **parts)
