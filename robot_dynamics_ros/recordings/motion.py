"""Filtered motion of a recording, with accelerations.

Filters need equal intervals, stamps have jitter. A cubic through the four samples around a time
gives the value there. Of stamps that nearly coincide, as in bursts of a log, the first one counts:
a cubic through both would overshoot. Equally spaced samples are passed on as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from .joint_samples import JointSamples
from .low_pass import check_rate, checked_cutoff, chosen_cutoff, kernels
from .quality import Quality

# Intervals that stamps may deviate from equal spacing: within a tenth of the jitter of any clock.
EQUAL = 1e-3
# Stamps that are closer, in intervals, do not determine the slope of a cubic.
CLOSE = 0.2


@dataclass(frozen=True)
class Motion:
    """A segment: samples at equal intervals, all filtered by one zero-phase low pass."""

    joints: tuple[str, ...]  #: names, in the order of the columns
    times: Array  #: (N,) since the start of the recording [s]
    positions: Array  #: (N, n) [rad, m]
    velocities: Array  #: (N, n) [rad/s, m/s]; derivatives of the positions where not measured
    accelerations: Array  #: (N, n) derivatives of the velocities [rad/s^2, m/s^2]
    efforts: Array  #: (N, n) [N m, N], NaN where not measured
    cutoff: float  #: at which the low pass halves the amplitude [Hz]
    rate: float  #: of the samples [Hz]

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

    def decimated(self, oversampling: float) -> Motion:
        """One of so many samples that this many are left of a period of the cutoff; a copy."""
        step = max(1, int(self.rate / (oversampling * self.cutoff)))
        return replace(self.part(np.arange(0, len(self), step)), rate=self.rate / step)

    def mapped(self, change: Callable[[Array], Array]) -> Motion:
        """The motion with other values (N, n), made of each array."""
        values = (self.positions, self.velocities, self.accelerations, self.efforts)
        return Motion(self.joints, self.times, *map(change, values), self.cutoff, self.rate)


def filtered(
    segments: Sequence[JointSamples],
    quality: Quality,
    name: str,
    *,
    cutoff: float,
    efforts: bool,
) -> Iterator[Motion]:
    """The motion of each segment, as of `Recording.motions`; what is too short is counted."""
    interval, rate = quality.interval, 1.0 / quality.interval
    weights = kernels(cutoff, rate)
    lost, convolve = weights.shape[1] - 1, required('scipy.signal').oaconvolve
    quality.unused = 0
    for samples in segments:
        size, values_of = grid(samples.times, interval)
        if size <= lost:
            quality.unused += len(samples)
            continue
        times = samples.times[0] + (np.arange(size - lost) + lost // 2) * interval
        found = np.full((4, size - lost, len(samples.joints)), np.nan)
        measured = zip(samples.positions.T, samples.velocities.T, samples.efforts.T, strict=True)
        for joint, columns in enumerate(measured):
            q, v, effort = map(values_of, columns)
            # Velocities that are not measured are derivatives of the positions.
            pairs = [(q, 0), (v, 0), (v, 1)] if np.isfinite(v[0]) else [(q, 0), (q, 1), (q, 2)]
            if efforts and np.isfinite(effort[0]):
                pairs.append((effort, 0))
            for place, (signal, order) in enumerate(pairs):
                found[place, :, joint] = convolve(signal, weights[order], 'valid')
        yield Motion(samples.joints, times, *found, cutoff, rate)
    if quality.unused == sum(map(len, segments)):
        cuts = quality.cuts if quality.samples > lost else ''
        raise RecordingError(
            f'{name}: the longest segment without a gap has {max(map(len, segments), default=0)} '
            f'samples, the filter at {cutoff:.3g} Hz needs more than {lost}: '
            f'{quality.doubt or cuts or "record longer, or raise the cutoff"}'
        )


def usual_cutoff(
    segments: Sequence[JointSamples], interval: float, name: str, asked: float | None
) -> float:
    """The cutoff that is asked for, or that for the longest segment [Hz]; see `low_pass`."""
    check_rate(name, 1.0 / interval)
    if asked is not None:
        return checked_cutoff(asked, 1.0 / interval)
    velocities: Array = np.empty((0, 0))
    if longest := max(segments, key=len, default=None):
        _, values_of = grid(longest.times, interval)
        each = [
            values_of(v)[1:] if np.isfinite(v[0]) else np.diff(values_of(q)) / interval
            for q, v in zip(longest.positions.T, longest.velocities.T, strict=True)
        ]
        velocities = np.stack(each, axis=1)
    return chosen_cutoff(velocities, 1.0 / interval)


def grid(times: Array, interval: float) -> tuple[int, Callable[[Array], Array]]:
    """Number of times at equal intervals [s] from the first one on, and the values there.

    Times (N,) of the samples are strictly increasing [s].
    """
    numbers = (times - times[0]) / interval
    if np.abs(numbers - np.arange(len(times))).max() < EQUAL:
        return len(times), lambda samples: samples
    rows = np.flatnonzero(np.diff(numbers, prepend=-1.0) >= CLOSE)
    if len(rows) < 4:
        return 0, lambda samples: samples[:0]
    numbers = numbers[rows]
    wanted = np.arange(int(numbers[-2]) + 1)
    left = np.searchsorted(numbers, wanted, side='right') - 2
    places = np.clip(left, 0, len(rows) - 4) + np.arange(4)[:, None]
    nodes, rows = numbers[places], rows[places]
    # Lagrange's formula.
    weights = np.ones(nodes.shape)
    for i, j in permutations(range(4), 2):
        weights[i] *= (wanted - nodes[j]) / (nodes[i] - nodes[j])
    return len(wanted), lambda samples: np.einsum('ki,ki->i', weights, samples[rows])
