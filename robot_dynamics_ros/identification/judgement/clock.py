"""Whether efforts are late, and whether that changes along a recording: a clock that drifts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array

from ..estimation.disturbances import away_from_reversals
from .judged_evidence import Evidence

# Less has no effect that matters [s].
SMALL = 2e-3
# More is not a delay of a driver [s].
LARGEST = 0.2
# Standard deviations from which on a drift is certain.
DEVIATIONS = 5.0
# Windows that are taken together: errors of the model last as long.
TOGETHER = 5
# Fewest of these.
FEWEST = 6


@dataclass(frozen=True)
class DelayLine:
    """A straight line through the delays of a recording.

    Attributes:
        delay: in its middle [s].
        drift: change from its beginning to its end [s].
        deviation: standard deviation of the drift [s].
        duration: from the first to the last window [s].
        uncertainty: standard deviation of the delay [s].
    """

    delay: float
    drift: float
    deviation: float
    duration: float
    uncertainty: float

    @property
    def is_late(self) -> bool:
        """Whether a delay, of either sign, is certain, matters, and is there all the time."""
        least = max(SMALL, DEVIATIONS * self.uncertainty)
        return max(least, 2.0 * abs(self.drift)) < abs(self.delay) < LARGEST

    @property
    def drifts(self) -> bool:
        """Whether the drift is certain and matters."""
        return abs(self.drift) > max(SMALL, DEVIATIONS * self.deviation)


def delay_line(evidence: Evidence, noise: Array, *, at_reversals: bool = True) -> DelayLine | None:
    """The delay of the efforts of a recording along its time; None where too little is known.

    Args:
        evidence: of the recording.
        noise: (n,) RMS of the residual of each joint [N m or N].
        at_reversals: whether windows near reversals count: friction that the model lacks looks
            like a delay there, the same all the time.
    """
    size = len(noise)
    times, _, products, rates, speeds = evidence.windows.arrays(size)
    if not at_reversals:
        away = away_from_reversals(speeds)
        products, rates = np.where(away, products, 0.0), np.where(away, rates, 0.0)
    count = len(times) // TOGETHER
    used = noise > 0.0
    if count < FEWEST or not used.any():
        return None
    weights = np.where(used, 1.0 / np.where(used, noise, 1.0) ** 2, 0.0)

    def sums(values: Array) -> Array:
        result: Array = (values @ weights)[: count * TOGETHER].reshape(count, TOGETHER).sum(axis=1)
        return result

    middles = times[: count * TOGETHER].reshape(count, TOGETHER).mean(axis=1)
    power = sums(rates)
    known = power > 0.05 * np.median(power)
    if np.count_nonzero(known) < FEWEST:
        return None
    delays = -sums(products)[known] / power[known]
    return _line(middles[known], delays, power[known])


def _line(times: Array, delays: Array, weights: Array) -> DelayLine:
    """The straight line through delays at some times, by weighted least squares."""
    span = float(times[-1] - times[0])
    places = (times - np.average(times, weights=weights)) / span
    design = np.stack([np.ones_like(places), places], axis=1)
    normal = design.T @ (weights[:, None] * design)
    solution = np.linalg.solve(normal, design.T @ (weights * delays))
    left = delays - design @ solution
    scale = float(weights @ left**2) / (len(times) - 2)
    uncertainty, deviation = np.sqrt(scale * np.diag(np.linalg.inv(normal))).tolist()
    return DelayLine(float(solution[0]), float(solution[1]), deviation, span, uncertainty)


def clock_findings(
    evidence: Sequence[Evidence], noise: Array, punctual: Collection[str] = ()
) -> Iterator[Finding]:
    """Recordings in which efforts are late, or get later along the recording.

    Args:
        evidence: of each recording.
        noise: (n,) RMS of the residual of each joint [N m or N].
        punctual: recordings whose fit has shown that their efforts are not late.
    """
    for one in evidence:
        late = delay_line(one, noise)
        if late is not None and late.drifts:
            yield _drift_finding(one.file, late)
            continue
        if one.file in punctual:
            continue
        late = delay_line(one, noise, at_reversals=False)
        if late is not None and late.is_late:
            yield _delay_finding(one.file, late)


def _drift_finding(file: str, late: DelayLine) -> Finding:
    rate = 1e6 * late.drift / late.duration
    return Finding(
        'clock_drift',
        (),
        late.drift,
        f'{file}: efforts and positions drift apart by {1e3 * late.drift:.3g} ms '
        f'(standard deviation {1e3 * late.deviation:.2g} ms) in {late.duration:.3g} s, '
        f'{rate:.0f} ppm: they have stamps of two clocks. Synchronise the clocks, or '
        'record both in one message.',
    )


def _delay_finding(file: str, late: DelayLine) -> Finding:
    word = 'later' if late.delay > 0.0 else 'earlier'
    return Finding(
        'delay',
        (),
        late.delay,
        f'{file}: efforts come {1e3 * abs(late.delay):.3g} ms {word} than the torques of the '
        f'identified model (standard deviation {1e3 * late.uncertainty:.2g} ms): a delay looks '
        'like viscous friction, whose intervals do not hold then. Record positions and efforts '
        'with the stamp of one measurement.',
    )
