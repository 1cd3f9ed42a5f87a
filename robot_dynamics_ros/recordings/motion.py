"""Filtered motion of a recording, with accelerations.

Filters need equal intervals, stamps have jitter. A cubic through the four samples around a time
gives the value there. Of stamps that nearly coincide, as in bursts of a log, the first one counts:
a cubic through both would overshoot. Equally spaced samples are passed on as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from .joint_samples import JointSamples
from .low_pass import check_rate, checked_cutoff, chosen_cutoff, kernels
from .quality import Quality

# Means that `averaged` gives for a period of the cutoff, which they damp by a tenth.
MEANS_OF_PERIOD = 4.0
# In intervals: what stamps may deviate from equal spacing, and stamps that are closer than this do
# not determine the slope of a cubic.
EQUAL, CLOSE = 1e-3, 0.2


@dataclass(frozen=True)
class Motion:
    """A segment: samples at equal intervals, all filtered by one zero-phase low pass.

    Attributes:
        joints: names, in the order of the columns.
        times: (N,) since the start of the recording [s].
        positions: (N, n) [rad, m].
        velocities: (N, n) [rad/s, m/s]; derivatives of the positions where not measured.
        accelerations: (N, n) derivatives of the velocities [rad/s^2, m/s^2].
        efforts: (N, n) [N m, N], NaN where not measured.
        cutoff: at which the low pass halves the amplitude [Hz].
        rate: of the samples [Hz].
        begins: whether it begins a segment, as those of a recording do.
        number: of its first sample, from the first one of the segment.
    """

    joints: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    accelerations: Array
    efforts: Array
    cutoff: float
    rate: float
    begins: bool = True
    number: int = 0

    def __len__(self) -> int:
        return len(self.times)

    def of(self, joints: tuple[str, ...]) -> Motion:
        """That of some of the joints, in this order."""
        columns = [self.joints.index(name) for name in joints]
        same = self.joints == joints
        return self if same else replace(self.mapped(lambda x: x[:, columns]), joints=joints)

    def part(self, rows: slice | Array) -> Motion:
        """Some of the samples; the rate is kept."""
        return replace(self.mapped(lambda values: values[rows]), times=self.times[rows])

    def averaged(self, cutoff: float) -> Motion:
        """Means of as many neighbours as pass what is below a cutoff [Hz]; none of too few."""
        size = max(1, int(self.rate / (MEANS_OF_PERIOD * cutoff)))
        count = len(self) // size
        means = self.mapped(lambda values: values[: count * size].reshape(count, size, -1).mean(1))
        times = self.times[: count * size].reshape(count, size).mean(axis=1)
        return replace(means, times=times, rate=self.rate / size, cutoff=min(cutoff, self.cutoff))

    def mapped(self, change: Callable[[Array], Array]) -> Motion:
        """The motion with other values (N, n), made of each array."""
        names = ('positions', 'velocities', 'accelerations', 'efforts')
        changed: dict[str, Any] = {name: change(getattr(self, name)) for name in names}
        return replace(self, **changed)


def filtered(
    segments: Sequence[JointSamples],
    quality: Quality,
    name: str,
    *,
    cutoff: float | None,
    efforts: bool,
) -> Iterator[Motion]:
    """The motion of each segment, as `Recording.motions` gives it, with its errors.

    The quality has the usual interval, and counts the samples that the filter loses.
    """
    interval, rate = quality.interval, 1.0 / quality.interval
    if cutoff is None:
        cutoff = usual_cutoff(segments, interval, name)
    check_rate(name, rate)
    weights = kernels(checked_cutoff(cutoff, rate), rate)
    lost, used = weights.shape[1] - 1, 0
    quality.unused = 0
    for samples in segments:
        grid = Grid(samples.times, interval)
        if grid.size <= lost:
            quality.unused += len(samples)
            continue
        used += 1
        times = samples.times[0] + (np.arange(grid.size - lost) + lost // 2) * interval
        q, v, a, effort = _smooth(samples, grid, weights, efforts)
        yield Motion(samples.joints, times, q, v, a, effort, cutoff, rate)
    if not used:
        cuts = quality.cuts if quality.samples > lost else ''
        raise RecordingError(
            f'{name}: the longest segment without a gap has {max(map(len, segments), default=0)} '
            f'samples, the filter at {cutoff:.3g} Hz needs more than {lost}: '
            f'{quality.doubt or cuts or "record longer, or raise the cutoff"}'
        )


def _smooth(samples: JointSamples, grid: Grid, weights: Array, efforts: bool) -> Array:
    """Positions, velocities, accelerations and efforts (4, N, n) of a segment by `kernels`."""
    convolve = required('scipy.signal').oaconvolve
    found = np.full((4, grid.size - weights.shape[1] + 1, len(samples.joints)), np.nan)
    measured = zip(samples.positions.T, samples.velocities.T, samples.efforts.T, strict=True)
    for joint, columns in enumerate(measured):
        q, v, effort = map(grid.values, columns)
        # Velocities that are not measured are derivatives of the positions.
        pairs = [(q, 0), (v, 0), (v, 1)] if np.isfinite(v[0]) else [(q, 0), (q, 1), (q, 2)]
        if efforts and np.isfinite(effort[0]):
            pairs.append((effort, 0))
        for place, (signal, order) in enumerate(pairs):
            found[place, :, joint] = convolve(signal, weights[order], 'valid')
    return found


def usual_cutoff(segments: Sequence[JointSamples], interval: float, name: str) -> float:
    """The cutoff [Hz] for the longest segment, by the usual interval of the samples [s].

    Raises:
        RecordingError: samples come too slowly.
    """
    check_rate(name, 1.0 / interval)
    if not segments:
        return chosen_cutoff(np.empty((0, 0)), 1.0 / interval)
    longest = max(segments, key=len)
    grid = Grid(longest.times, interval)
    velocities = [
        grid.values(v)[1:] if np.isfinite(v[0]) else np.diff(grid.values(q)) / interval
        for q, v in zip(longest.positions.T, longest.velocities.T, strict=True)
    ]
    return chosen_cutoff(np.stack(velocities, axis=1), 1.0 / interval)


class Grid:
    """Times at equal intervals, from the first sample of a segment on; `size` is their number."""

    def __init__(self, times: Array, interval: float) -> None:
        """Take times (N,) of samples, strictly increasing, and the interval of the grid [s]."""
        self.size, self._weights = len(times), np.empty(0)
        numbers = (times - times[0]) / interval
        if np.abs(numbers - np.arange(len(times))).max() < EQUAL:
            return
        rows = np.flatnonzero(np.diff(numbers, prepend=-1.0) >= CLOSE)
        numbers = numbers[rows]
        self.size = int(numbers[-2]) + 1 if len(rows) >= 4 else 0
        wanted = np.arange(self.size)
        left = np.searchsorted(numbers, wanted, side='right') - 2
        places = np.clip(left, 0, max(len(rows) - 4, 0)) + np.arange(4)[:, None]
        self._rows, nodes = rows[places], numbers[places]
        # Lagrange's formula.
        self._weights = np.ones(nodes.shape)
        for i, j in permutations(range(4), 2):
            self._weights[i] *= (wanted - nodes[j]) / (nodes[i] - nodes[j])

    def values(self, samples: Array) -> Array:
        """Those at its times, of samples (N,)."""
        if not self._weights.size:
            return samples
        values: Array = np.einsum('ki,ki->i', self._weights, samples[self._rows])
        return values
