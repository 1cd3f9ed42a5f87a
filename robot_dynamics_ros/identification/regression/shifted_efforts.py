"""Motions whose efforts come later than their states, put right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.filtering.uniform_grid import UniformGrid

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings import Motion

STATES = ('times', 'positions', 'velocities', 'accelerations')


def shifted_efforts(motions: Iterable[Motion], delay: float) -> Iterator[Motion]:
    """The motions with the efforts that were measured `delay` later.

    Between two samples the effort is that of a cubic through four of them. At one end of each
    segment the samples without an effort are left out.

    Args:
        motions: in their order.
        delay: of the efforts behind the states; negative where they are earlier [s].
    """
    if delay == 0.0:
        yield from motions
        return
    segment: _Segment | None = None
    for motion in motions:
        if segment is None or motion.begins:
            segment = _Segment(motion, delay)
        shifted = segment.push(motion)
        if shifted is not None:
            yield shifted


class _Segment:
    """The states and the shifted efforts of one segment that still wait for each other."""

    def __init__(self, first: Motion, delay: float) -> None:
        start, interval = float(first.times[0]), 1.0 / first.rate
        # A cubic needs a sample on each side, and one more.
        begin = max(0, math.ceil(1.0 - delay / interval))
        self._delay, self._grid = delay, UniformGrid(start, interval, begin)
        self._number, self._skipped, self._begins = first.number + begin, begin, True
        size = len(first.joints)
        self._efforts: Array = np.empty((0, size))
        self._states: dict[str, Array] = {name: np.empty((0, size)) for name in STATES}
        self._states['times'] = np.empty(0)

    def push(self, motion: Motion) -> Motion | None:
        """The samples that have both now."""
        new = self._grid.push(motion.times - self._delay, motion.efforts)
        self._efforts = np.concatenate([self._efforts, new])
        skipped = min(self._skipped, len(motion))
        self._skipped -= skipped
        for name, waiting in self._states.items():
            self._states[name] = np.concatenate([waiting, getattr(motion, name)[skipped:]])
        count = min(len(self._efforts), len(self._states['times']))
        if not count:
            return None
        states: dict[str, Any] = {name: values[:count] for name, values in self._states.items()}
        shifted = replace(
            motion,
            **states,
            efforts=self._efforts[:count],
            begins=self._begins,
            number=self._number,
        )
        self._states = {name: values[count:] for name, values in self._states.items()}
        self._efforts = self._efforts[count:]
        self._number, self._begins = self._number + count, False
        return shifted
