"""Thresholds of contacts: quantile regression of residuals without a contact, and its test.

A threshold c_0 + c_1 |v| + c_2 |a|, c >= 0, is a conditional quantile of the absolute residual
(R. Koenker, G. Bassett, "Regression quantiles", Econometrica 46, 1978). Its linear programme,

    min over c >= 0 of sum over i of rho(y_i - x_i c),    rho(e) = e (level - [e < 0]),

is solved in its dual form, three inequalities of bounded variables, by HiGHS. QuantReg of
statsmodels has no bounds: a threshold that falls with the speed is negative in a faster motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.external.contact_detector import (
    COLLISION,
    MAX_PAUSE,
    PUSH,
    SPEED,
)
from robot_dynamics_ros.control.external.thresholds import BANDS, PARTS, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError, StateError
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.recordings import Recording

from .observation import Observation, ObservedStates, WatchedRobot, observe

# Share of the time above the thresholds before the margin [-], and that margin.
FALSE_ALARMS, MARGIN = 0.01, 1.5
# Between states that are kept [s]: an observer of 20 Hz changes little meanwhile.
STEP = 5e-3
# States of a regression: of more, one in so many is taken, as neighbours are alike.
ROWS = 1000
# Mean speed below which a joint has not been moved [rad/s or m/s]; share of the effort limit that
# no residual is more exact than [-]: efforts in steps of 2 % of it, or masses that are wrong by
# 2 % where gravity takes half of it.
REST = ACCURACY = 0.01

# States of k joints, a structured array (N,): time [s], seconds that each stands for, size (2, k)
# of collision and push [N m or N], motion (2, 2, k) that their thresholds depend on.
BandStates = npt.NDArray[np.void]


def band_states(states: ObservedStates, interval: float) -> BandStates:
    """Both bands of a recording with that interval between states [s], `STEP` apart at least."""
    stride, k = max(1, round(STEP / interval)), states.residuals.shape[1]
    detectors = islice(states.detected(ContactThresholds.of(k)), 0, None, stride)
    rows = (
        (time, stride * interval, np.abs(detector.bands.values), detector.bands.motion.copy())
        for time, detector in zip(states.times[::stride], detectors, strict=True)
    )
    shapes = {'time': (), 'seconds': (), 'size': (2, k), 'motion': (2, 2, k)}
    return np.fromiter(rows, np.dtype([(name, float, shape) for name, shape in shapes.items()]))


def quantile_coefficients(states: BandStates, level: float) -> Array:
    """Coefficients (2, 3, k) of thresholds that a share `level` of the sizes does not exceed.

    Of a joint that rests, c_0 alone is found; it is positive.
    """
    optimize = required('scipy.optimize', 'identification')
    some = states[:: max(1, len(states) // ROWS)]
    bounds = np.tile([level - 1.0, level], (len(some), 1))
    found = np.zeros((len(BANDS), len(PARTS), states['size'].shape[-1]))
    for band, joint in np.ndindex(found.shape[::2]):
        motion = some['motion'][:, band, :, joint]
        x = np.column_stack([np.ones(len(some)), motion])
        x = x if motion[:, SPEED].mean() >= REST else x[:, :1]
        y, zero = some['size'][:, band, joint], np.zeros(x.shape[1])
        solution = optimize.linprog(-y, x.T, zero, bounds=bounds, method='highs')
        found[band, : len(zero), joint] = np.maximum(-solution.ineqlin.marginals, 0.0)
    found[:, 0] = np.maximum(found[:, 0], np.finfo(float).eps)
    return found


class Learned(NamedTuple):
    """Thresholds, and what each half of the time says of those of the other half."""

    thresholds: ContactThresholds
    tested: float | None  #: share of the time above them before the margin; None: too short
    exceeded: list[int] | None  #: the first state of each alarm with the margin


def learned_thresholds(
    states: BandStates, least: Array, share: float = FALSE_ALARMS, margin: float = MARGIN
) -> Learned:
    """Thresholds that some joint or band exceeds in that share of the time, before the margin.

    States that quantiles were not fitted to exceed them more often. So each half of the states is
    compared with the quantiles of the other one, and all are raised by one factor, such that
    (seconds above + 1) / (seconds + 1) <= share: what to expect of the next second, if seconds are
    exchangeable (A. Angelopoulos et al., "Conformal risk control", ICLR 2024).

    Args:
        states: without a contact.
        least: (2, 3, k) of thresholds that are taken in any case: what is below them is below.
        share: of the time [-].
        margin: factor of what was learned [-].

    Raises:
        StateError: there is too little time for that share.
    """
    halves, level = np.array_split(states, 2), 1.0 - share / states['size'][0].size
    whole, *others = (quantile_coefficients(each, level) for each in (states, *halves[::-1]))
    ratios = []
    for half, other in zip(halves, others, strict=True):
        size, motion = half['size'], half['motion']
        size = size * (size > ContactThresholds(least).limits(motion))
        ratios.append((size / ContactThresholds(other).limits(motion)).max(axis=(1, 2)))
    factor = margin * _factor(np.concatenate(ratios), states, share)
    thresholds = ContactThresholds(np.maximum(factor * whole, least))
    with suppress(StateError):
        factors = [_factor(*each, share) for each in zip(ratios, halves, strict=True)]
        sizes = np.concatenate([r / f for r, f in zip(ratios, factors[::-1], strict=True)])
        rows = np.flatnonzero(sizes > margin)
        # Alarms that are closer are one. Of another recording, times begin anew.
        apart = np.abs(np.diff(states['time'][rows], prepend=np.inf)) > MAX_PAUSE
        return Learned(thresholds, float((sizes > 1.0).mean()), rows[apart].tolist())
    return Learned(thresholds, None, None)


def _factor(ratios: Array, states: BandStates, share: float) -> float:
    """That raises quantiles so that the ratios are above it in that share of the time."""
    seconds, needed = states['seconds'].sum(), (1.0 - share) / share
    if not seconds >= needed:
        raise StateError(
            f'external torques are known for {seconds:.3g} s: a share of {share:.3g} needs '
            f'{needed:.3g} s: record {math.ceil(needed - seconds)} s more'
        )
    allowed = min(1.0, (1.0 - share) * (1.0 + 1.0 / seconds))
    return max(1.0, float(np.quantile(ratios, allowed, method='higher')))


def least_thresholds(robot: WatchedRobot, joints: Sequence[str]) -> Array:
    """Coefficients (2, 3, k) of joints that do not follow from a recording.

    At rest, the residual is up to the Coulomb friction, where the model takes zero: no recording
    shows all rests. And no residual is more exact than `ACCURACY`.
    """
    friction = robot.settings.joint_model.friction(robot.model)
    coulomb = friction.bounds[0, robot.model.indices_of(joints)]
    constant = np.maximum(coulomb, ACCURACY * robot.effort_limits(joints))
    return np.multiply.outer([[1.0, 0.0, 0.0]] * len(BANDS), constant)


@dataclass(frozen=True)
class SurveyedRecording(Observation):
    """What thresholds are learned from: `band_states` and `least_thresholds` beside the rest."""

    states: BandStates
    least: Array


def survey_recording(recording: Recording, robot: WatchedRobot, name: str) -> SurveyedRecording:
    """The residuals of a recording without contact; raises as `observe`."""
    found, states = observe(recording, robot, name)
    bands, least = band_states(states, recording.interval), least_thresholds(robot, found.joints)
    return SurveyedRecording(**vars(found), states=bands, least=least)


@dataclass(frozen=True)
class ThresholdSurvey:
    """The thresholds of some recordings."""

    recordings: tuple[SurveyedRecording, ...]  #: at least one
    states: BandStates  #: of all of them
    thresholds: ContactThresholds  #: learned from all of them
    false_alarms: float  #: share of the time above the thresholds before the margin, at most [-]
    margin: float  #: factor of what was learned [-]
    tested: float | None  #: that share, each half with the other; None: too short
    exceeded: tuple[tuple[str, float], ...] | None  #: each alarm with the margin: recording, begin

    @property
    def first(self) -> SurveyedRecording:
        """Whose robot, joints and bandwidth are those of all recordings."""
        return self.recordings[0]

    @property
    def seconds(self) -> float:
        """In which external torques are known."""
        return float(self.states['seconds'].sum())

    @property
    def residuals(self) -> Array:
        """(3, k) root mean square, mean and largest of the residuals of all recordings."""
        rms, bias, largest = np.stack([one.residuals for one in self.recordings], axis=1)
        weights = [one.samples for one in self.recordings]
        squares, bias = (np.average(each, 0, weights) for each in (rms**2, bias))
        return np.stack([np.sqrt(squares), bias, largest.max(axis=0)])

    @property
    def mean_limits(self) -> Array:
        """(2, k) threshold of collision and push, on average along the recordings [N m or N]."""
        return self.thresholds.limits(self.states['motion']).mean(axis=0)

    @property
    def largest_motion(self) -> Array:
        """(2, k) speed [rad/s or m/s] and acceleration: the share is that of motion like this."""
        return self.states['motion'][:, COLLISION].max(axis=0)

    @property
    def doubts(self) -> list[str]:
        """Why the thresholds may not hold, one line each; empty where nothing is known."""
        first, where = self.first, self.exceeded
        speeds = self.states['motion'][:, PUSH, SPEED].mean(axis=0)
        still = [*compress(first.joints, speeds < REST)]
        locked = first.missing if len(still) < len(first.joints) else ()
        unknown = {
            'unwatched: {}: no threshold, effort missing or constant': first.unwatched,
            'locked: {}: not recorded, and their motion is in other residuals': locked,
            'still: {}: record the motions of the application': still,
        }
        found = [f'large: {one.name}: {one.large}' for one in self.recordings if one.large]
        found += [text.format(', '.join(names)) for text, names in unknown.items() if names]
        if where is None:
            found.append(f'short: not tested: record {2.0 / self.false_alarms:.3g} s')
        elif where:
            alarms = f'{len(where)} x, first in {where[0][0]} at {where[0][1]:.1f} s'
            found.append(f'exceeded: {alarms}: a touch, or motion of one half only: record longer')
        return found

    def as_json(self) -> dict[str, Any]:
        """The result by names, in SI units."""
        joints, motion = self.first.joints_as_json(self.residuals), self.largest_motion
        # (2, 4, k): the coefficients, and the mean.
        limits = np.append(self.thresholds.coefficients, self.mean_limits[:, None], axis=1)
        for index, values in enumerate(joints.values()):
            values['largest_speed'], values['largest_acceleration'] = motion[:, index]
            for band, parts in zip(BANDS, limits[..., index], strict=True):
                values[band] = dict(zip((*PARTS, 'mean'), parts, strict=True))
        same = ('false_alarms', 'tested', 'seconds', 'margin', 'doubts')
        times = self.exceeded
        return {
            'robot': self.first.robot,
            'bandwidth': self.first.bandwidth,
            'joints': joints,
            'exceeded': times and [{'recording': name, 'time': time} for name, time in times],
            'recordings': [one.as_json() for one in self.recordings],
            **{name: getattr(self, name) for name in same},
        }


def surveyed(
    recordings: Sequence[SurveyedRecording],
    false_alarms: float = FALSE_ALARMS,
    margin: float = MARGIN,
) -> ThresholdSurvey:
    """Learn thresholds from recordings, one at least; see `learned_thresholds`.

    Raises:
        RecordingError: the recordings have other watched joints, or another bandwidth.
        StateError: they are too short for that share.
    """
    first = recordings[0]
    for one in recordings[1:]:
        # Bandwidths come from rates, which are medians: they may differ by a hundredth.
        alike = one.joints == first.joints and np.allclose(one.bandwidth, first.bandwidth, 0.01)
        if not alike:
            raise RecordingError(
                f'{one.name} has efforts of other joints than {first.name}, or another rate of '
                'states: learn from them apart, or set external_bandwidth in --parameters'
            )
    states = np.concatenate([one.states for one in recordings])
    learned = learned_thresholds(states, first.least, false_alarms, margin)
    names = [one.name for one in recordings for _ in one.states]
    tested, rows, exceeded = learned.tested, learned.exceeded, None
    if rows is not None:
        exceeded = tuple((names[row], float(states['time'][row])) for row in rows)
    return ThresholdSurvey(
        tuple(recordings), states, learned.thresholds, false_alarms, margin, tested, exceeded
    )
